"""What the help says of the terms on the screens."""

from __future__ import annotations

from typing import Final

from engine.keywords.judgement import REASON_MEANINGS

TERMS: Final[tuple[tuple[str, str], ...]] = (
    ("Full match", "The result has all keywords of the query: a hit."),
    (
        "Partial match",
        "The result has some of the query's keywords, not all: no hit, but for --relevance any.",
    ),
    ("No match", "The result has none of the query's keywords."),
    ("Relevant", "A clip of the collection that has all keywords of the query."),
    ("Not understood", "Words of the text that no keyword of the vocabulary explains."),
    (
        "Metric names",
        "They follow the profile: in alfa, Recall@K is hits@K / K and Precision@K is hits@K / R. "
        "{evaluate.all_metrics} shows each metric with its id and its formula.",
    ),
    (
        "Chance",
        "What a random ranking would score. Not above chance: as good a score would come about by "
        "chance in more than 5 % of cases.",
    ),
    (
        "Instead",
        "What results that lack a keyword have in its place: in how many of them, and how many "
        "times as often as among all clips that lack it. ?: that may be chance; few: too few "
        "different clips to tell.",
    ),
    ("Missed", "A relevant clip that is not among the first K results."),
    ("Published", "Metrics by the ground truth as it is."),
    ("Adjudicated", "The same metrics with your marks: relevant after all, not relevant."),
    (
        "Change",
        "A metric after minus before, turned so that above 0 is better. Each query is its own "
        "pair.",
    ),
    (
        "Interval",
        "All mean changes that the test does not reject. It leaves 0 out exactly where the verdict "
        "is better or worse.",
    ),
    (
        "p",
        "How often chance alone gives such a change (sign flips). The primary metric is tested by "
        "itself; of all others p is corrected together (Holm).",
    ),
    (
        "Fell out",
        "A relevant result that counted before and does not any more; came in: the other way.",
    ),
    ("Bias case", "A result that the embedding ranks high for a wrong reason:"),
    *((f"  {reason}", meaning) for reason, meaning in REASON_MEANINGS.items()),
)

TERMS_OF_KEYWORDS: Final = (
    *("Full match", "Partial match", "No match", "missing keyword"),
    *("Metric names", "Instead"),
)
"""Terms that a dataset of labels has no use for: there a result has the same label or another."""

TERMS_OF_COMPARING: Final = ("Change", "Interval", "p", "Fell out")
"""Terms that one model alone has no use for."""

TERMS_OF_MOMENTS: Final[tuple[tuple[str, str], ...]] = (
    ("Hit", "A prediction in the right video with at least the IoU that is asked for."),
    ("0.5-r1", "The metric's name: a hit has an IoU of 0.5 or more and is at rank 1."),
    ("IoU", "Seconds that two spans share, over the seconds from the first start to the last end."),
    ("VCMR", "The moment is searched in all videos."),
    ("SVMR", "The moment is searched in the right video: predictions in others are left out."),
    ("VR", "The video alone is searched: times do not count, repeats keep their places."),
    ("MR", "The moment is searched in the right video (QVHighlights)."),
    ("ranked low", "A hit exists, but after the first k."),
    ("nearly right", "No hit, but an IoU of at least 0.3 (or --near) in the right video."),
    ("wrong time", "The right video was found, but no time in it comes near."),
    ("wrong video", "No prediction that counts is in the right video."),
    ("no prediction", "The last class in MR, where every prediction is in the right video."),
    ("Several spans", "The best overlap counts; in TVR, of four or more spans the second best."),
)
