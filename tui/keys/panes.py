"""What each pane is called and what it shows, and the terms that they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from engine.keywords.judgement import REASON_MEANINGS


@dataclass(frozen=True, slots=True)
class Pane:
    """A part of a screen, in words.

    screen    the screen that it is on, or is; empty: on every screen
    is_list   it moves by the keys of lists; of a screen: one of its widgets is a list and no more
    is_field  a character is typed there, whatever it is bound to
    several   what is said besides where there are several models
    """

    title: str
    text: str
    screen: str = ""
    is_list: bool = False
    is_field: bool = False
    several: str = ""


PANES: Final[Mapping[str, Pane]] = {
    "results": Pane(
        "Results",
        "The ranked list: one row per result with its rank, its similarity and which of the "
        "query's keywords it lacks; below the line are those after the first K. The detail beside "
        "it follows the cursor. Marking a result moves on to the next miss that is not judged; "
        "every mark and note is saved at once and can be undone.",
        "inspect",
        is_list=True,
        several="The rank in the other model is green if the change is good: a hit rose or a miss "
        "fell.",
    ),
    "picker": Pane(
        "Groups",
        "The groups of keywords, and how many clips have each keyword. Only keywords of chosen "
        "groups count. The number of clips that are relevant to the query follows what you choose.",
        "inspect",
        is_list=True,
    ),
    "query": Pane(
        "Query",
        "A text to search with, or the id of a clip. Words and ids are completed as you type. "
        "Letters are typed here: press {inspect.back} first to use them as keys.",
        "inspect",
        is_field=True,
    ),
    "keywords": Pane(
        "Keywords",
        "What the query means in keywords of the chosen groups: the words each comes from, and how "
        "sure the mapping is. Drop or add one, and the relevant clips, the marks and the metrics "
        "are computed again. Below are the words that were not understood, and the keywords "
        "nearest to them. What you add or drop can be remembered for this dataset: that a phrase "
        "means the keyword, or never does.",
        "inspect",
    ),
    "detail": Pane(
        "Detail",
        "Why the selected result is a hit or not: each keyword of the query that it has or lacks, "
        "its other keywords, its similarity between the query's best and worst, what you said of "
        "it, and its keywords of groups that do not count. The picture above it loops while the "
        "cursor rests; the list has the keys that step it.",
        "inspect",
        several="Its rank in the other model stands there too.",
    ),
    "table": Pane("Lists", "Every list and table moves by the same keys."),
    "inspect": Pane(
        "Inspect",
        "One query: what it means in keywords, what was found, why each result is a hit or not, "
        "and the metrics with their formulas.",
        "inspect",
    ),
    "evaluate": Pane(
        "Evaluate",
        "The whole query set, one row per query with its metrics, the worst first. Open a query to "
        "see its results; {inspect.back} there comes back to the same row.",
        "evaluate",
        is_list=True,
    ),
    "compare": Pane(
        "Compare",
        "Two models over the same queries: how much they differ and how sure that is, then one row "
        "per query, the worst regression first. Open a query to see its results with the model "
        "after, and their ranks in the model before; {inspect.back} there comes back to the same "
        "row.",
        "compare",
        is_list=True,
    ),
    "flips": Pane(
        "Changes",
        "The results of the selected query that stand among the first K of either model: whether "
        "each is relevant, its rank before and after, and what fell out or came in.",
        "compare",
    ),
    "plots": Pane(
        "Plots",
        "Means at every k over the results that were kept, and how similar to their queries hits "
        "and misses are. Each line has a point of its own and its values below.",
    ),
    "sessions": Pane(
        "Sessions",
        "Saved work. Everything you do is saved as you do it; a session goes on where it stood.",
        "sessions",
        is_list=True,
    ),
    "moments": Pane(
        "Moments",
        "The queries of a submission, one row each, the worst error class first: the rank of the "
        "first prediction in the right video, the rank of the first hit, and the best IoU. The "
        "line above counts every class and says which metric it is about. The detail follows the "
        "cursor.",
        "moments",
        is_list=True,
    ),
    "moment": Pane(
        "Predictions",
        "The predictions of the selected query, best first, on the time line of the right video, "
        "below its ground truth. A bar is thick where it lies inside the truth and thin outside. "
        "A prediction in another video has no bar: its times say nothing here.",
        "moments",
        is_list=True,
    ),
    "recall": Pane(
        "Report",
        "Recall at every k and least IoU, the share of every class, and both by the length of the "
        "video and of the moment, in quarters.",
        "moments",
    ),
    "app": Pane("Everywhere", "These work on every screen."),
}

TERMS: Final[tuple[tuple[str, str], ...]] = (
    ("Full match", "The result has all keywords of the query: a hit."),
    ("Partial match", "The result has some of the query's keywords, not all: no hit."),
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
