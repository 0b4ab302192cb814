"""The classes of queries: their names, codes and meanings. Without numpy: a screen shows them
before anything is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.moments.tasks import Task

CLASSES = ("hit", "ranked low", "nearly right", "wrong time", "wrong video")
"""In the order of the rules; a query's code is the place of its class."""

HIT, RANKED_LOW, NEARLY_RIGHT, WRONG_TIME, WRONG_VIDEO = range(len(CLASSES))

NO_PREDICTION = "no prediction"
"""What the last class is called in QVHighlights, where every prediction is in the right video."""

PREDICTION_MARKS = (*CLASSES, "not counted")
"""What a single prediction is: the class that it alone would put its query in, or not counted."""

NOT_COUNTED = len(CLASSES)

CLASS_MEANINGS = {
    "hit": "a right moment is among the first k.",
    "ranked low": "a right moment was predicted, but after rank k.",
    "nearly right": "no moment is right, but one in the right video overlaps nearly enough.",
    "wrong time": "the right video was found, but no time in it comes near.",
    "wrong video": "no prediction that counts is in the right video.",
}
VIDEO_CLASS_MEANINGS = {
    "hit": "the right video is among the first k.",
    "ranked low": "the right video was found, but after rank k.",
    "wrong video": "the right video was not found.",
}
"""The same for VR, which knows no times: it has only these classes."""

WINDOW_CLASS_MEANINGS = {
    "nearly right": "no window is right, but one overlaps nearly enough.",
    "wrong time": "no window comes near.",
    NO_PREDICTION: "no window was predicted.",
}
"""The same for MR, where it differs."""


def list_class_names(task: Task) -> tuple[str, ...]:
    """The names of the classes in a task, by code.

    >>> list_class_names("MR")[WRONG_VIDEO], list_class_names("VCMR")[WRONG_VIDEO]
    ('no prediction', 'wrong video')
    """
    return (*CLASSES[:WRONG_VIDEO], NO_PREDICTION) if task == "MR" else CLASSES
