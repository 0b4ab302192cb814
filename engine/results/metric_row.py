"""MetricRow: one number of a result, with all that a reader needs to know what it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.base.json_text import nan_to_none
from engine.metrics import Profile, Scores, ShortListPolicy

METRIC_COLUMNS = ("mode", "id", "label", "formula", "mean", "std", "n")


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One number of a run, with all that a reader needs to know what it is."""

    mode: str
    id: str
    label: str
    formula: str
    mean: float
    std: float
    n: int
    is_mean: bool = True

    def as_dict(self) -> dict[str, Any]:
        """The row as plain values, ready for JSON; an undefined number is None."""
        return {
            **{name: getattr(self, name) for name in METRIC_COLUMNS},
            "mean": nan_to_none(self.mean),
            "std": nan_to_none(self.std),
        }


def rows_of_scores(
    mode: str, scores: Scores, language: Profile, short: ShortListPolicy
) -> list[MetricRow]:
    """The numbers of one kind of queries, in the order of their measures."""
    return [
        MetricRow(
            mode=mode,
            id=str(measure),
            label=language.label(measure),
            formula=measure.formula_for(short),
            mean=scores.aggregate(measure),
            std=scores.std(measure),
            n=len(scores.counted(measure)),
            is_mean=measure.aggregate == "mean",
        )
        for measure in scores.measures
    ]
