"""What each pane is called and what it shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Pane(NamedTuple):
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
        several="The rank in the other model has the colour of a hit if the change is good: a hit "
        "rose or a miss fell.",
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
