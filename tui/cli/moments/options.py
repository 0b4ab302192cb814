"""Options of `tui-eval moments`, and how their texts become values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from engine.base.errors import InputError
from engine.moments.at import At, usual_at, usual_near

if TYPE_CHECKING:
    from engine.moments.source import MomentsSource

_SCORED = "What is scored"
_WHY = "Why queries fail"
_OUTPUT = "Output"
TASKS = {"VCMR": "TVR", "SVMR": "TVR", "VR": "TVR", "MR": "QVHighlights"}

MomentsFormat = Literal["tvr", "qvh", "auto"]

PredictionsArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="PREDICTIONS",
        help="A TVR submission (.json) or predictions of QVHighlights (.jsonl). The sample if left "
        "out together with --gt.",
        show_default=False,
    ),
]
GtOption = Annotated[
    Path | None,
    typer.Option("--gt", help="The ground truth, JSON lines.", show_default=False),
]
MomentsFormatOption = Annotated[
    MomentsFormat,
    typer.Option("--format", help="Whose files they are; auto: the ground truth tells."),
]
TasksOption = Annotated[
    str | None,
    typer.Option(
        "--tasks",
        help="Only these, e.g. VCMR,VR. Default: all that the file has.",
        rich_help_panel=_SCORED,
        show_default=False,
    ),
]
IouOption = Annotated[
    str,
    typer.Option("--iou", help="Overlaps from which a hit counts.", rich_help_panel=_SCORED),
]
MomentsKOption = Annotated[
    str, typer.Option("--k", "-k", help="Cut-offs.", rich_help_panel=_SCORED)
]
NmsOption = Annotated[
    float | None,
    typer.Option(
        "--nms",
        help="First drop predictions that overlap a better one of the same video by more than "
        "this. Default: drop none.",
        rich_help_panel=_SCORED,
        show_default=False,
    ),
]
MostOption = Annotated[
    int,
    typer.Option(
        "--max-predictions", help="Predictions per query that are used.", rich_help_panel=_SCORED
    ),
]
NoTypesOption = Annotated[
    bool,
    typer.Option(
        "--no-types", help="Do not look at types of descriptions.", rich_help_panel=_SCORED
    ),
]
AtOption = Annotated[
    str | None,
    typer.Option(
        "--at",
        metavar="IOU-rK",
        help="At which recall failures are explained, e.g. 0.7-r10; r10 for VR alone. Default: the "
        "smallest --iou and --k.",
        rich_help_panel=_WHY,
        show_default=False,
    ),
]
NearOption = Annotated[
    float | None,
    typer.Option(
        "--near",
        help="The overlap from which a miss is nearly right. Default: 0.3, or half the IoU if that "
        "is not more.",
        rich_help_panel=_WHY,
        show_default=False,
    ),
]
ShowMomentsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--show",
        metavar="ID",
        help="Instead of scores, this query (desc_id, qid) with its predictions. Repeatable.",
        rich_help_panel=_WHY,
        show_default=False,
    ),
]
ListedOption = Annotated[
    int | None,
    typer.Option(
        "--predictions",
        metavar="N",
        help="With --show: list so many predictions of each query, 0 for all. Default: 10.",
        rich_help_panel=_WHY,
        show_default=False,
    ),
]
MomentsJsonOption = Annotated[
    bool,
    typer.Option("--json", help="Print the JSON of the official script.", rich_help_panel=_OUTPUT),
]
MomentsOutOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="Write the numbers here: official JSON, by name a table (.csv) or the summary (.txt, "
        "or .md as Markdown).",
        rich_help_panel=_OUTPUT,
        show_default=False,
    ),
]
MomentsPerQueryOption = Annotated[
    Path | None,
    typer.Option(
        "--per-query",
        help="Also write one row per task, IoU and query with why it failed (.csv, .jsonl, "
        ".parquet): compare and gate read it.",
        rich_help_panel=_OUTPUT,
        show_default=False,
    ),
]
DocumentOption = Annotated[
    Path | None,
    typer.Option(
        "--document",
        help="Also write everything as one JSON document: numbers with formulas, classes, curves.",
        rich_help_panel=_OUTPUT,
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class Explained:
    """At which recall, and from which overlap a miss is nearly right; None: the usual ones."""

    at: At | None
    near: float | None

    def values_for(self, source: MomentsSource) -> tuple[At, float]:
        """What is used for opened predictions; a name that does not fit their tasks is refused."""
        videos_alone = set(source.tasks) == {"VR"}
        at = self.at or usual_at(source.request)
        if self.at is not None and source.tasks and videos_alone != (at.iou is None):
            wanted = At(None if videos_alone else min(source.request.ious), at.k)
            about = "VR ignores times" if videos_alone else f"{source.tasks[0]} needs an IoU"
            raise InputError(f"--at {at}: {about}", hint=f"write --at {wanted}")
        check_near(self.near, at)
        return at, usual_near(at) if self.near is None else self.near


def check_near(near: float | None, at: At) -> None:
    """Refuse what cannot be nearly right; None is the usual overlap."""
    iou = at.iou or 1.0
    if near is not None and not 0 < near < iou:
        raise InputError(
            f"--near {near:g} is not above 0 and below the IoU {iou:g} of --at {at}",
            hint="a miss that is nearly right overlaps by less than a hit",
        )


def parse_ious(text: str) -> tuple[float, ...]:
    """The overlaps, ascending and each once.

    >>> parse_ious("0.7,0.5,0.5")
    (0.5, 0.7)
    """
    try:
        ious = sorted({float(part) for part in text.split(",") if part.strip()})
    except ValueError:
        ious = []
    if not ious or not all(0 < iou <= 1 for iou in ious):
        raise InputError(
            f"--iou {text[:40]!r} is not a list of numbers above 0 and up to 1",
            hint="write --iou 0.5,0.7",
        )
    return tuple(ious)


def parse_tasks(names: tuple[str, ...] | None, format: MomentsFormat) -> tuple[str, ...]:
    """The tasks by their official names; none: all.

    >>> parse_tasks(("vr", "VCMR"), "auto")
    ('VR', 'VCMR')
    """
    benchmark = {"tvr": "TVR", "qvh": "QVHighlights"}.get(format)
    valid = [task for task, of in TASKS.items() if benchmark in (None, of)]
    tasks = tuple(dict.fromkeys(name.upper() for name in names or ()))
    for task in tasks:
        if task not in valid:
            known = f" of {TASKS[task]}" if task in TASKS else ""
            raise InputError(
                f"--tasks has {task[:40]!r}, a task{known}, not of {benchmark}"
                if known
                else f"--tasks has {task[:40]!r}, which is no task",
                hint="highlights are scored whenever they are there"
                if task == "HL"
                else f"choose from {', '.join(valid)}",
            )
    if len({TASKS[task] for task in tasks}) > 1:
        raise InputError(
            f"--tasks {','.join(tasks)} are of two benchmarks",
            hint="MR is of QVHighlights, the others are of TVR",
        )
    return tasks


def check_numbers(ks: tuple[int, ...], most: int, nms: float | None) -> None:
    """Refuse numbers that mean nothing together."""
    if most < 1:
        raise InputError(
            f"--max-predictions {most} is less than 1", hint="the official number: 100"
        )
    if ks[-1] > most:
        kept = ",".join(str(k) for k in ks if k <= most) or str(most)
        raise InputError(
            f"--k {ks[-1]} is more than the {most:,} predictions that are used",
            hint=f"write --k {kept}, or raise --max-predictions",
        )
    check_nms(nms)


def check_nms(nms: float | None) -> None:
    """Refuse what is no overlap; None: nothing is dropped."""
    if nms is not None and not 0 <= nms <= 1:
        raise InputError(f"--nms {nms:g} is not between 0 and 1", hint="write --nms 0.5")


def parse_at(text: str | None) -> At | None:
    """A recall by its official name; None: the usual one.

    >>> parse_at("0.7-r10")
    At(iou=0.7, k=10)
    """
    try:
        return None if text is None else At.parse(text)
    except InputError as error:
        raise InputError(f"--at {error.message}", hint=error.hint) from error


def parse_counted_at(text: str | None, most: int) -> At | None:
    """The recall that is explained; more predictions than are used cannot be counted."""
    at = parse_at(text)
    if at is not None and at.k > most:
        raise InputError(
            f"--at {at}: only {most} predictions are used", hint=f"add --max-predictions {at.k}"
        )
    return at
