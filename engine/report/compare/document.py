"""The documents of a comparison: JSON, and a CSV to plot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.base.json_text import plain
from engine.compare import (
    Comparison,
    Difference,
    Level,
    ModeComparison,
    QueryChange,
    Settings,
    SliceDifference,
)
from engine.files.csv_cells import to_csv
from engine.files.envelope import enclose
from engine.metrics import Measure, Profile
from engine.metrics.scores import STD_DDOF

_CSV_COLUMNS = (
    *("mode", "scope", "slice", "id", "label", "formula", "system", "n"),
    *("mean", "std", "low", "high", "level"),
    *("baseline", "difference", "difference_low", "difference_high"),
    *("p_t", "p_wilcoxon", "p_permutation", "p_holm", "p_bh"),
    *("effect_dz", "rank_biserial", "wins", "ties", "losses"),
)


_NOTHING: tuple[Difference | None, ...] = (None,)


def comparison_document(found: Comparison, worst: int = 10) -> dict[str, Any]:
    """A comparison as plain values, ready for JSON; `worst` queries of each pair are listed."""
    fields = {
        "systems": list(found.names),
        "pairs": [[found.names[old], found.names[new]] for old, new in found.pairs],
        "profile": found.language.name,
        "metrics": [metric_plain(m, found.language, found.formula(m)) for m in found.measures],
        "main": str(found.main),
        "statistics": settings_plain(found.settings),
        "modes": {mode.mode: _mode(found, mode, worst) for mode in found.modes},
    }
    files = {system.name: system.file for system in found.modes[0].part.systems}
    return enclose(
        "compare",
        fields,
        inputs={name: file for name, file in files.items() if file is not None},
        notes=[f"{mode.mode}: {note}" for mode in found.modes for note in mode.notes],
    )


def metric_plain(measure: Measure, language: Profile, formula: str) -> dict[str, Any]:
    return {
        "id": str(measure),
        "label": language.label(measure),
        "formula": formula,
        "lower_is_better": measure.lower_is_better,
    }


def settings_plain(settings: Settings) -> dict[str, Any]:
    """How the numbers came about."""
    return {
        "level": settings.level,
        "interval": f"bootstrap, {settings.method}",
        "resamples": settings.resamples,
        "seed": settings.seed,
        "clusters": settings.clusters_in_words,
        "least_queries_of_a_slice": settings.least_queries,
        "std_ddof": STD_DDOF,
        "test": "sign-flip permutation of paired differences, two-sided",
        "correction": "Holm and Benjamini–Hochberg over all modes, pairs and metrics; "
        "for slices over the slices of a mode",
    }


def _mode(found: Comparison, mode: ModeComparison, worst: int) -> dict[str, Any]:
    return {
        "queries": {
            "compared": len(mode.part.keys),
            "not_compared": dict(zip(found.names, mode.part.alone, strict=True)),
        },
        "levels": [_level(level) for level in mode.levels],
        "differences": [difference_plain(difference) for difference in mode.differences],
        "slices": [_slice(row) for row in mode.slices],
        "slices_with_too_few_queries": mode.few_slices,
        "regressions": [
            {
                "baseline": found.names[old],
                "system": found.names[new],
                "id": str(found.main),
                "queries": [
                    change_plain(change)
                    for change in mode.changes((old, new), found.main, worst)
                    if change.change < 0
                ],
            }
            for old, new in found.pairs
        ],
        "notes": list(mode.notes),
    }


def _level(level: Level) -> dict[str, Any]:
    return {
        "system": level.system,
        "id": str(level.measure),
        "n": level.n,
        "mean": plain(level.value),
        "std": plain(level.std),
        "low": plain(level.interval.low),
        "high": plain(level.interval.high),
    }


def difference_plain(found: Difference) -> dict[str, Any]:
    """One paired difference with all its statistics."""
    return {
        "baseline": found.baseline,
        "system": found.system,
        "id": str(found.measure),
        "n": found.n,
        "difference": plain(found.value),
        "std": plain(found.std),
        "low": plain(found.interval.low),
        "high": plain(found.interval.high),
        "p": {
            "t": plain(found.t.p),
            "wilcoxon": plain(found.wilcoxon.p),
            "permutation": plain(found.permutation.p),
            "holm": plain(found.holm),
            "bh": plain(found.bh),
        },
        "effect": {"cohens_dz": plain(found.effect), "rank_biserial": plain(found.rank_effect)},
        "wins": found.counts.wins,
        "ties": found.counts.ties,
        "losses": found.counts.losses,
    }


def _slice(row: SliceDifference) -> dict[str, Any]:
    return {
        "kind": row.slice.kind,
        "name": row.slice.name,
        "levels": [_level(level) for level in row.levels],
        **difference_plain(row.difference),
    }


def change_plain(change: QueryChange) -> dict[str, Any]:
    """One query in two systems; a rank of null: the result is not among those kept."""
    return {
        "query": change.key.query,
        "keywords": list(change.keywords),
        "before": plain(change.before),
        "after": plain(change.after),
        "flips": [
            {
                "id": flip.id,
                "hit": flip.gain > 0,
                "rank_before": flip.before or None,
                "rank_after": flip.after or None,
            }
            for flip in change.flips
        ],
    }


def comparison_csv(found: Comparison) -> str:
    """Every level and difference, of the whole and of each slice: one row each, to be plotted."""
    rows = (
        {**metric_plain(level.measure, found.language, found.formula(level.measure)), **row}
        for level, row in _csv_rows(found)
    )
    return to_csv(_CSV_COLUMNS, ([row.get(name) for name in _CSV_COLUMNS] for row in rows))


def _csv_rows(found: Comparison) -> Iterator[tuple[Level, dict[str, Any]]]:
    for mode in found.modes:
        whole = {"mode": mode.mode, "scope": "all", "slice": ""}
        for level in mode.levels:
            about = [difference for difference in mode.differences if _about(difference, level)]
            for difference in about or _NOTHING:
                yield level, {**whole, **_csv_numbers(level, difference)}
        for row in mode.slices:
            part = {**whole, "scope": row.slice.kind, "slice": row.slice.name}
            for level, own in zip(row.levels, (None, row.difference), strict=True):
                yield level, {**part, **_csv_numbers(level, own)}


def _about(difference: Difference, level: Level) -> bool:
    return (difference.system, difference.measure) == (level.system, level.measure)


def _csv_numbers(level: Level, difference: Difference | None) -> dict[str, Any]:
    row = {**_level(level), "level": level.interval.level}
    if difference is None:
        return row
    whole = difference_plain(difference)
    p, effect = whole["p"], whole["effect"]
    return {
        **row,
        **{name: whole[name] for name in ("baseline", "difference", "wins", "ties", "losses")},
        **{f"difference_{end}": whole[end] for end in ("low", "high")},
        **{f"p_{name}": p[name] for name in p},
        "effect_dz": effect["cohens_dz"],
        "rank_biserial": effect["rank_biserial"],
    }
