"""Options that several commands share, and how their texts become values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.base.errors import InputError

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset


MapGroupsOption = Annotated[
    str | None,
    typer.Option(
        "--groups",
        "-g",
        help="Keyword groups, e.g. object_type,actor_behavior (with or without pv_). Default: all.",
        show_default=False,
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", "-m", help="Embedding set of the dataset.", show_default=False),
]
GroupsOption = Annotated[
    str | None,
    typer.Option(
        "--groups",
        "-g",
        help="Keyword groups, e.g. object_type,actor_behavior (with or without pv_), or all. "
        "Default: the dataset's.",
        show_default=False,
    ),
]
KeywordsOption = Annotated[
    str | None,
    typer.Option(
        "--keywords",
        help='Only these keywords of their groups, e.g. "bicyclist,pedestrian".',
        show_default=False,
    ),
]
KOption = Annotated[str, typer.Option("--k", "-k", help="Cut-offs.")]
ProfileOption = Annotated[
    str,
    typer.Option(
        "--profile",
        help="Names of the metrics: alfa, ir, video, label, tvr or qvh. Formulas are always shown.",
    ),
]
MetricsOption = Annotated[
    str | None,
    typer.Option(
        "--metrics",
        help='Metrics by label or id, e.g. "Recall@5,nDCG@10,MedR". Default: the profile\'s.',
        show_default=False,
    ),
]
SearchMetricsOption = Annotated[
    str | None,
    typer.Option(
        "--metrics",
        help='Metrics by label or id, e.g. "Recall@5,nDCG@10". Default: the profile\'s first, '
        "Recall@k in alfa.",
        show_default=False,
    ),
]
MinSimilarityOption = Annotated[
    float | None,
    typer.Option(
        "--min-similarity",
        help="Results scored below count as not retrieved; K stays the denominator.",
        show_default=False,
    ),
]
ConfusionOption = Annotated[
    bool,
    typer.Option(
        "--confusion", help="Also count TP, FP, FN and TN at the largest K, as a picture."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Short for --format json.")]
AsciiOption = Annotated[bool, typer.Option("--ascii", help="Marks in plain letters.")]

ALL = "all"


def split_list(text: str | None) -> tuple[str, ...] | None:
    """The parts of a comma-separated option; None if it was not given.

    >>> split_list("a, b,")
    ('a', 'b')
    """
    if text is None:
        return None
    parts = tuple(part.strip() for part in text.split(",") if part.strip())
    if not parts:
        raise InputError(f"an option's list {text!r} is empty", hint="separate names by commas")
    return parts


def split_metrics(text: str | None) -> tuple[str, ...] | None:
    """Metric names; a comma inside parentheses belongs to the name.

    >>> split_metrics("P@5, AP@5(norm=min),RR")
    ('P@5', 'AP@5(norm=min)', 'RR')
    """
    parts, depth, current = [], 0, ""
    for character in text or "":
        depth += (character == "(") - (character == ")")
        if character == "," and depth <= 0:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    parts.append(current.strip())
    named = tuple(part for part in parts if part)
    if text is not None and not named:
        raise InputError(f"--metrics {text!r} names no metric", hint='write --metrics "P@5,AP"')
    return named or None


def is_file(text: str) -> bool:
    """Whether an option that takes names or a file names a file that is there."""
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a path, or no path at all
        return False


def resolve_groups(text: str | None, dataset: Dataset) -> tuple[str, ...] | None:
    """The chosen groups; `all` is every group of the annotations."""
    groups = split_list(text)
    return tuple(dataset.truth.groups) if groups == (ALL,) else groups
