"""The documents of a comparison: JSON, and a CSV to plot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.base.json_text import dump_attributes, nan_to_none
from engine.compare import (
    CompareSettings,
    Comparison,
    Difference,
    ModeComparison,
    QueryChange,
    SystemLevel,
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
    *("difference_level", "primary", "tests", "verdict"),
)


def build_comparison_document(found: Comparison, worst: int = 10) -> dict[str, Any]:
    """A comparison as plain values, ready for JSON; `worst` queries of each pair are listed."""
    fields = {
        "systems": list(found.names),
        "pairs": [[found.names[old], found.names[new]] for old, new in found.pairs],
        "profile": found.language.name,
        "metrics": [dump_metric(m, found.language, found.formula(m)) for m in found.measures],
        "main": str(found.main),
        "secondary": [str(measure) for measure in found.others],
        "statistics": dump_settings(found.settings),
        "modes": {mode.mode: _mode(found, mode, worst) for mode in found.modes},
    }
    files = {system.name: system.file for system in found.modes[0].part.systems}
    return enclose(
        "compare",
        fields,
        inputs={name: file for name, file in files.items() if file is not None},
        notes=collect_mode_notes(found),
    )


def collect_mode_notes(found: Comparison) -> list[str]:
    """The notes of all modes, each with its mode."""
    return [f"{mode.mode}: {note}" for mode in found.modes for note in mode.notes]


def dump_metric(measure: Measure, language: Profile, formula: str) -> dict[str, Any]:
    return {
        "id": str(measure),
        "label": language.label(measure),
        "formula": formula,
        "lower_is_better": measure.lower_is_better,
    }


def dump_settings(settings: CompareSettings) -> dict[str, Any]:
    """How the numbers came about."""
    return {
        "level": settings.level,
        "alpha": round(settings.alpha, 12),
        "interval": f"bootstrap, {settings.method}",
        "interval_of_differences": "what the test does not reject at the level that p was held "
        "against",
        "resamples": settings.resamples,
        "seed": settings.seed,
        "clusters": settings.clusters_in_words,
        "least_queries_of_a_slice": settings.least_queries,
        "std_ddof": STD_DDOF,
        "test": "sign-flip permutation of paired differences, two-sided",
        "correction": "Holm and Benjamini–Hochberg within a mode: the primary metric over the "
        "pairs, all other metrics over metrics and pairs, slices over the slices and pairs",
    }


def _mode(found: Comparison, mode: ModeComparison, worst: int) -> dict[str, Any]:
    return {
        "queries": {
            "compared": len(mode.part.keys),
            "not_compared": dict(zip(found.names, mode.part.alone, strict=True)),
        },
        "levels": [_level(level) for level in mode.levels],
        "differences": [_difference(found, difference) for difference in mode.differences],
        "slices": [
            {
                **dump_attributes(row.slice, "kind", "name"),
                "levels": [_level(level) for level in row.levels],
                **_difference(found, row.difference),
            }
            for row in mode.slices
        ],
        "slices_with_too_few_queries": mode.few_slices,
        "regressions": [
            {
                "baseline": found.names[old],
                "system": found.names[new],
                "id": str(found.main),
                "queries": [
                    dump_change(change)
                    for change in mode.changes((old, new), found.main, worst)
                    if change.change < 0
                ],
            }
            for old, new in found.pairs
        ],
        "notes": list(mode.notes),
    }


def _level(level: SystemLevel) -> dict[str, Any]:
    return {
        "system": level.system,
        "id": str(level.measure),
        "n": level.n,
        "mean": nan_to_none(level.value),
        "std": nan_to_none(level.std),
        **dump_attributes(level.interval, "low", "high"),
    }


def _difference(whole: Comparison, found: Difference) -> dict[str, Any]:
    """One paired difference with all its statistics, and what follows from them."""
    return {
        "baseline": found.baseline,
        "system": found.system,
        "id": str(found.measure),
        "n": found.n,
        "difference": nan_to_none(found.value),
        "std": nan_to_none(found.std),
        **dump_attributes(found.interval, "low", "high", "level"),
        "primary": found.measure == whole.main,
        "tests": found.family,
        "verdict": found.verdict(whole.settings.alpha),
        "p": {
            **{
                name: nan_to_none(getattr(found, name).p)
                for name in ("t", "wilcoxon", "permutation")
            },
            **dump_attributes(found, "holm", "bh"),
        },
        "effect": {
            "cohens_dz": nan_to_none(found.effect),
            "rank_biserial": nan_to_none(found.rank_effect),
        },
        **dump_attributes(found.counts, "wins", "ties", "losses"),
    }


def dump_change(change: QueryChange) -> dict[str, Any]:
    """One query in two systems; a rank of null: the result is not among those kept."""
    return {
        "query": change.key.query,
        **dump_attributes(change, "keywords", "before", "after"),
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


def format_comparison_csv(found: Comparison) -> str:
    """Every level and difference, of the whole and of each slice: one row each, to be plotted."""
    rows = (
        {**dump_metric(level.measure, found.language, found.formula(level.measure)), **row}
        for level, row in _csv_rows(found)
    )
    return to_csv(_CSV_COLUMNS, ([row.get(name) for name in _CSV_COLUMNS] for row in rows))


def _csv_rows(found: Comparison) -> Iterator[tuple[SystemLevel, dict[str, Any]]]:
    for mode in found.modes:
        whole = {"mode": mode.mode, "scope": "all", "slice": ""}
        for level in mode.levels:
            own = level.system, level.measure
            about = [d for d in mode.differences if (d.system, d.measure) == own]
            for difference in about or (None,):
                yield level, {**whole, **_csv_numbers(found, level, difference)}
        for row in mode.slices:
            part = {**whole, "scope": row.slice.kind, "slice": row.slice.name}
            for level, difference in zip(row.levels, (None, row.difference), strict=True):
                yield level, {**part, **_csv_numbers(found, level, difference)}


def _csv_numbers(
    found: Comparison, level: SystemLevel, difference: Difference | None
) -> dict[str, Any]:
    row = {**_level(level), "level": level.interval.level}
    if difference is None:
        return row
    whole = _difference(found, difference)
    p, effect = whole["p"], whole["effect"]
    return {
        **row,
        **{name: whole[name] for name in ("baseline", "difference", "wins", "ties", "losses")},
        **{f"difference_{end}": whole[end] for end in ("low", "high", "level")},
        **{name: whole[name] for name in ("primary", "tests", "verdict")},
        **{f"p_{name}": p[name] for name in p},
        "effect_dz": effect["cohens_dz"],
        "rank_biserial": effect["rank_biserial"],
    }
