"""`tui-eval open PREDICTIONS --gt GT`: the inspector on predicted moments."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from engine.base.errors import InputError
from tui.cli.moments.options import check_near, check_nms, parse_at

if TYPE_CHECKING:
    from engine.moments.source import MomentsRequest
    from tui.keys.keymap import Keymap

_PANEL = "Moments"

PredictionsArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="PREDICTIONS",
        help="Predicted moments: a submission of TVR, or JSON lines of QVHighlights. Needs --gt.",
        show_default=False,
    ),
]
TruthOption = Annotated[
    Path | None,
    typer.Option(
        "--gt",
        metavar="FILE",
        help="Ground truth of the predictions, JSON lines.",
        rich_help_panel=_PANEL,
        show_default=False,
    ),
]
FormatOption = Annotated[
    Literal["auto", "tvr", "qvh"],
    typer.Option("--format", help="auto looks at the ground truth.", rich_help_panel=_PANEL),
]
TaskOption = Annotated[
    str | None,
    typer.Option(
        "--task",
        metavar="TASK",
        help="Task that is shown first: VCMR, SVMR, VR or MR.",
        rich_help_panel=_PANEL,
        show_default=False,
    ),
]
AtOption = Annotated[
    str | None,
    typer.Option(
        "--at",
        metavar="METRIC",
        help="What counts as a hit, e.g. 0.7-r5 (r5 in VR). Default: 0.5-r1.",
        rich_help_panel=_PANEL,
        show_default=False,
    ),
]
NearOption = Annotated[
    float | None,
    typer.Option(
        "--near",
        help="IoU from which a miss is nearly right. Default: 0.3, or half the IoU if that is not "
        "more.",
        rich_help_panel=_PANEL,
        show_default=False,
    ),
]
SampleOption = Annotated[
    Literal["moments", "highlights", "labels"] | None,
    typer.Option(
        "--sample",
        help="Open a sample that comes with the install, in place of files. Default: labels.",
        show_default=False,
    ),
]
NmsOption = Annotated[
    float | None,
    typer.Option(
        "--nms",
        metavar="IOU",
        help="Drop predictions that overlap a better one of the same video by more than this.",
        rich_help_panel=_PANEL,
        show_default=False,
    ),
]


def refuse_mixture(predictions: Path | None, of_labels: Mapping[str, object]) -> None:
    """Predicted moments and embeddings with labels are opened one at a time."""
    for option, value in of_labels.items():
        if value:
            raise InputError(
                f"{option} and predicted moments were given",
                hint=f"leave {option} out; it belongs to embeddings with labels"
                if predictions is not None
                else f"leave {option} out and name the predictions, or leave --gt out",
            )


_SAMPLES = {
    "moments": ("submission.json", "ground_truth.jsonl"),
    "highlights": ("highlights_predictions.jsonl", "highlights_truth.jsonl"),
}


def sample_files(sample: str, named: Mapping[str, object]) -> tuple[Path | None, Path | None]:
    """Predictions and ground truth of a sample; none of labels, which `open` shows without files.

    named  the files that were named, by option: a sample is opened alone
    """
    for option, value in named.items():
        if value:
            raise InputError(
                f"--sample {sample} and {option} were given",
                hint=f"leave --sample or {option} out: a sample brings its files along",
            )
    if sample not in _SAMPLES:
        return None, None
    from sample_data import folder

    predictions, truth = (folder() / "moments" / name for name in _SAMPLES[sample])
    return predictions, truth


def open_moments(
    predictions: Path | None,
    truth: Path | None,
    *,
    format: Literal["auto", "tvr", "qvh"],
    task: str | None,
    at: str | None,
    near: float | None,
    nms: float | None,
    ascii: bool,
    theme: str,
    keymap: Keymap,
) -> int:
    """Open the inspector on predicted moments; returns the exit code."""
    from engine.moments.at import usual_at
    from engine.moments.inspectable import refuse_at_once
    from engine.moments.tasks import TASKS
    from tui.cli.shared.start import run_moments
    from tui.opening.moments import MomentsStart

    request = _request(predictions, truth, format, nms)
    wanted = next((name for name in TASKS if task and name == task.upper()), None)
    if task is not None and wanted is None:
        raise InputError(f"--task {task!r} is no task", hint=f"choose one of {', '.join(TASKS)}")
    metric = parse_at(at)
    timed = metric is not None and metric.iou is not None
    check_near(near, metric if metric is not None and timed else usual_at(request))
    refuse_at_once(request, wanted)
    return run_moments(MomentsStart(request, wanted, metric, near, ascii, theme, keymap))


def _request(
    predictions: Path | None,
    truth: Path | None,
    format: Literal["auto", "tvr", "qvh"],
    nms: float | None,
) -> MomentsRequest:
    from engine.moments.source import MomentsRequest

    if predictions is None:
        raise InputError(
            "no predictions were named", hint="write tui-eval open PREDICTIONS --gt GROUND_TRUTH"
        )
    if truth is None:
        raise InputError(
            f"{predictions.name} needs its ground truth",
            hint="add --gt GROUND_TRUTH; to open embeddings, write --sensor-embeddings FILE",
        )
    check_nms(nms)
    return MomentsRequest(predictions, truth, format, nms=nms)
