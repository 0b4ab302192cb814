"""Options of `tui-eval moments`, and how their texts become values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engine.base.errors import InputError
from engine.moments.moments_source import choose_hit_rule
from engine.moments.tasks import HitRule, choose_near_iou
from tui.cli.shared import options as o
from tui.cli.shared.groups import option
from tui.cli.shared.output import SummaryOutput, written
from tui.opening.option_text import parse_ks

if TYPE_CHECKING:
    from engine.moments.moments_source import MomentsRequest, MomentsSource

_scored = partial(option, panel="What is scored")
_why = partial(option, panel="Why queries fail")
BENCHMARK_OF_TASK = {"VCMR": "TVR", "SVMR": "TVR", "VR": "TVR", "MR": "QVHighlights"}

BenchmarkChoice = Literal["tvr", "qvh", "auto"]
BENCHMARK = partial(option, "TVR, QVHighlights, or whatever the files look like (auto).")


@dataclass(frozen=True)
class ScoredOptions:
    """What is scored."""

    tasks: str | None = _scored(
        "Only these, e.g. VCMR,VR; the first is shown first. Default: all that the file has.",
        metavar="LIST",
    )
    iou: str = _scored(
        "Overlaps (IoU) from which a prediction is a hit.", "0.5,0.7", metavar="LIST"
    )
    k: str = o.K("1,5,10,100", panel="What is scored")
    nms: float | None = _scored(
        "First drop predictions that overlap a better one of the same video by more than "
        "this, and show the numbers without and with it. Default: drop none."
    )
    max_predictions: int = _scored("How many predictions of each query are used.", 100)
    no_types: bool = _scored("Ignore the types of descriptions.", False)

    def request(
        self, predictions: Path | None, gt: Path | None, benchmark: BenchmarkChoice
    ) -> MomentsRequest:
        """What is evaluated: the two files, or those of the sample."""
        from engine.moments.moments_source import MomentsRequest

        ious, ks = parse_ious(self.iou), parse_ks(self.k)
        check_numbers(ks, self.max_predictions, self.nms)
        found, truth = _files(predictions, gt, benchmark)
        return MomentsRequest(
            predictions=found,
            truth=truth,
            benchmark=benchmark,
            tasks=parse_tasks(o.split_list(self.tasks), benchmark),
            ious=ious,
            ks=ks,
            nms=self.nms,
            most=self.max_predictions,
            types=not self.no_types,
        )


@dataclass(frozen=True)
class WhyOptions:
    """Which failures are explained."""

    at: str | None = _why(
        "The recall at which failures are explained, e.g. 0.7-r10; r10 for VR alone. Default: "
        "the smallest --iou and --k.",
        metavar="IOU-rK",
    )
    near: float | None = _why(
        "The overlap from which a miss is nearly right. Default: 0.3, or half the IoU of --at if "
        "that IoU is 0.3 or less."
    )
    show: list[str] | None = _why(
        "Instead of scores, show this query (desc_id, qid) with its predictions. May be repeated.",
        metavar="ID",
        where="print",
    )
    listed: int | None = _why(
        "With --show: how many predictions of each query to list, 0 for all. Default: 10.",
        name="--predictions",
        where="print",
    )

    def rule(self, most: int) -> HitRule | None:
        """The recall that is explained; None: the usual one. More predictions than are used cannot
        be counted.

        >>> WhyOptions(at="0.7-r10", near=None, show=None, listed=None).rule(most=100)
        HitRule(iou=0.7, k=10)
        """
        try:
            at = None if self.at is None else HitRule.parse(self.at)
        except InputError as error:
            raise InputError(f"--at {error.message}", hint=error.hint) from error
        if at is not None and at.k > most:
            raise InputError(
                f"--at {at}: only {most} predictions are used", hint=f"add --max-predictions {at.k}"
            )
        return at

    def values_for(self, source: MomentsSource) -> tuple[HitRule, float]:
        """The recall, and the overlap from which a miss is nearly right, for opened predictions; a
        recall that does not fit their tasks is refused."""
        videos_alone = set(source.tasks) == {"VR"}
        asked = self.rule(source.request.most)
        at = asked or choose_hit_rule(source.request)
        if asked is not None and source.tasks and videos_alone != (at.iou is None):
            wanted = HitRule(None if videos_alone else min(source.request.ious), at.k)
            about = "VR ignores times" if videos_alone else f"{source.tasks[0]} needs an IoU"
            raise InputError(f"--at {at}: {about}", hint=f"write --at {wanted}")
        check_near(self.near, at)
        return at, choose_near_iou(at) if self.near is None else self.near


@dataclass(frozen=True)
class MomentsOutput(SummaryOutput):
    """What is written of the numbers."""

    format: Literal["summary", "json", "csv", "markdown", "document"] | None = written(
        "summary; json: that of the official script; csv, markdown: its numbers as tables; "
        "document: all of it (JSON): numbers with formulas, classes, curves. Default: by the name "
        "of --out (.csv, .md; .txt: summary; .json or none: json), without it summary.",
        short="-f",
        metavar="FORMAT",
    )


_SAMPLES = {
    "tvr": ("submission.json", "ground_truth.jsonl"),
    "qvh": ("highlights_predictions.jsonl", "highlights_truth.jsonl"),
}


def _files(
    predictions: Path | None, gt: Path | None, benchmark: BenchmarkChoice
) -> tuple[Path, Path]:
    """Both files, or both of the benchmark's sample."""
    if predictions is not None and gt is not None:
        return predictions, gt
    if predictions is not None:
        raise InputError("--gt is missing", hint="name the ground truth with --gt FILE")
    if gt is not None:
        raise InputError(
            "PREDICTIONS is missing", hint="name the predictions: tui-eval moments FILE --gt FILE"
        )
    from sample_data import folder

    names = _SAMPLES["qvh" if benchmark == "qvh" else "tvr"]
    found, truth = (folder() / "moments" / name for name in names)
    return found, truth


def check_near(near: float | None, at: HitRule) -> None:
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


def parse_tasks(names: tuple[str, ...] | None, choice: BenchmarkChoice) -> tuple[str, ...]:
    """The tasks by their official names; none: all.

    >>> parse_tasks(("vr", "VCMR"), "auto")
    ('VR', 'VCMR')
    """
    benchmark = {"tvr": "TVR", "qvh": "QVHighlights"}.get(choice)
    valid = [task for task, of in BENCHMARK_OF_TASK.items() if benchmark in (None, of)]
    tasks = tuple(dict.fromkeys(name.upper() for name in names or ()))
    for task in tasks:
        if task not in valid:
            known = f" of {BENCHMARK_OF_TASK[task]}" if task in BENCHMARK_OF_TASK else ""
            raise InputError(
                f"--tasks has {task[:40]!r}, a task{known}, not of {benchmark}"
                if known
                else f"--tasks has {task[:40]!r}, which is no task",
                hint="highlights are scored whenever they are there"
                if task == "HL"
                else f"choose from {', '.join(valid)}",
            )
    if len({BENCHMARK_OF_TASK[task] for task in tasks}) > 1:
        raise InputError(
            f"--tasks {','.join(tasks)} are of two benchmarks",
            hint="MR is of QVHighlights, the others are of TVR",
        )
    return tasks


def check_numbers(ks: tuple[int, ...], most: int, nms: float | None) -> None:
    """Refuse numbers that mean nothing, alone or together."""
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
    if nms is not None and not 0 <= nms <= 1:
        raise InputError(f"--nms {nms:g} is not between 0 and 1", hint="write --nms 0.5")
