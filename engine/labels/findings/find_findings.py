"""All findings of label scores: what they say about the embeddings, each with its numbers."""

from __future__ import annotations

from engine.labels.findings.between_directions import find_direction_gaps, find_prototype_gaps
from engine.labels.findings.by_direction import find_direction_findings
from engine.labels.findings.label_finding import DEFAULT_THRESHOLDS, LabelFinding, Thresholds
from engine.labels.scoring.label_run import LabelRun


def find_label_findings(
    run: LabelRun, limits: Thresholds = DEFAULT_THRESHOLDS
) -> tuple[LabelFinding, ...]:
    """All findings of a run, level by level."""
    return tuple(
        finding
        for level in run.levels
        for found in (
            find_direction_gaps(run.of_level(level), limits),
            find_prototype_gaps(run.of_level(level), limits),
            *(find_direction_findings(score, limits) for score in run.of_level(level)),
        )
        for finding in found
    )
