"""What the pictures of a triage show, as plain numbers: nothing here is measured anew.

An analysis that was not asked for has no picture; what is too much to be looked at is left out, and
counted.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.json_text import nan_to_none
from engine.triage.analyses.looks import LOOKS
from engine.triage.analyses.slices import SLICES
from engine.triage.analyses.substitutions import SUBSTITUTIONS, collect_substitutions
from engine.triage.analyses.used import USED
from engine.triage.effect import Effect
from engine.triage.mode_queries import ModeQueries
from engine.triage.triage import Triage
from engine.triage.workings.look_balance import Balance, measure_looks
from engine.triage.workings.reliance import measure_reliance
from engine.triage.workings.slice_table import SliceTable, choose_slices, measure_slices
from engine.triage.workings.substitution_matrix import SubstitutionMatrix, measure_substitutions

MOST_KEYWORDS = 20
"""Of one substitution matrix: those of which most came instead, or were missed."""

MOST_BARS = 12
"""Slices of one mode: those of findings, then single keywords."""

MOST_GROUPS = 20

_DIGITS = 4
"""Of the places of pairs: a picture is a thousand dots wide at most."""


def dump_pictures(found: Triage) -> dict[str, Any]:
    """The pictures of the analyses that were carried out; one that could measure nothing has
    none either."""
    carried = {one.name for one in found.analyses}
    makers = (
        ("looks", LOOKS, _dump_looks),
        ("substitutions", SUBSTITUTIONS, _dump_substitutions),
        ("slices", SLICES, _dump_slices),
        ("reliance", USED, _dump_reliance),
    )
    drawn = {name: make(found) for name, analysis, make in makers if analysis.name in carried}
    return {name: value for name, value in drawn.items() if value}


def _dump_effect(effect: Effect) -> dict[str, Any]:
    ends = [nan_to_none(end) for end in (effect.interval.low, effect.interval.high)]
    return {"value": nan_to_none(effect.value), "interval": None if None in ends else ends}


def _dump_looks(found: Triage) -> dict[str, Any] | None:
    balance = found.study.once(measure_looks)
    if balance is None:
        return None
    pairs = balance.pairs
    columns = (pairs.similarity, pairs.look, pairs.overlap)
    return {
        "reference": balance.reference,
        "clips": len(balance.clips),
        "pairs": int(balance.looks.pairs),
        "correlation": nan_to_none(balance.looks.correlation),
        "balances": [_dump_balance(one) for one in (balance.whole, *balance.groups[:MOST_GROUPS])],
        **{
            name: [round(value, _DIGITS) for value in column.tolist()]
            for name, column in zip(("similarity", "look", "overlap"), columns, strict=True)
        },
    }


def _dump_balance(one: Balance) -> dict[str, Any]:
    return {
        "group": one.group,
        "meaning": nan_to_none(one.meaning),
        "index": _dump_effect(one.index),
    }


def _dump_substitutions(found: Triage) -> list[dict[str, Any]]:
    """One for each mode and group of which anything could be tested."""
    study = found.study
    proven: dict[tuple[str, str], Bools] = {}
    for pair in collect_substitutions(study):
        matrix = pair.matrix
        table = proven.setdefault((matrix.mode, matrix.group), np.zeros(matrix.tested.shape, bool))
        table[pair.asked, pair.instead] = found.tested * pair.p <= study.settings.alpha
    return [
        _dump_matrix(matrix, proven[matrix.mode, matrix.group])
        for matrix in study.once(measure_substitutions)
        if (matrix.mode, matrix.group) in proven
    ]


def _dump_matrix(matrix: SubstitutionMatrix, proven: Bools) -> dict[str, Any]:
    kept = _choose_keywords(matrix.observed, proven)

    def cut(table: Any) -> Any:
        return table[np.ix_(kept, kept)]

    lifts = np.where(matrix.tested, matrix.lift, math.nan)
    return {
        "mode": matrix.mode,
        "group": matrix.group,
        "keywords": [matrix.names[place] for place in kept.tolist()],
        "left_out": len(matrix.names) - len(kept),
        "results": cut(matrix.results).astype(np.int64).tolist(),
        "instead": cut(matrix.observed).astype(np.int64).tolist(),
        "lift": [[nan_to_none(value) for value in row] for row in cut(lifts).tolist()],
        "proven": cut(proven).tolist(),
    }


def _choose_keywords(observed: Floats, proven: Bools) -> Ints:
    """Those of proven pairs first, then those with the most results; in their own order."""
    counts = observed.sum(axis=0) + observed.sum(axis=1)
    shown = proven.any(axis=0) | proven.any(axis=1)
    order = np.lexsort((np.arange(len(counts)), -counts, ~shown))
    return np.sort(order[:MOST_KEYWORDS])


def _dump_slices(found: Triage) -> list[dict[str, Any]]:
    study = found.study
    tables = [study.once(measure_slices, mode) for mode in range(len(study.asked))]
    families = sum(table is not None for table in tables)
    drawn = []
    for asked, table in zip(study.asked, tables, strict=True):
        if table is not None:
            p = np.nan_to_num(np.minimum(table.tests.adjusted * families, 1.0), nan=1.0)
            drawn.append(_dump_table(found, asked, table, p))
    return drawn


def _dump_table(found: Triage, asked: ModeQueries, table: SliceTable, p: Floats) -> dict[str, Any]:
    study, words = found.study, found.study.truth.words.keywords
    chosen = _choose_bars(table, choose_slices(table, p, study.settings))
    values = np.full((len(asked), len(chosen)), np.nan)
    for place, number in enumerate(chosen):
        values[table.rows, place] = np.where(table.inside(number), table.values, np.nan)
    relevant, k = asked.judged.relevant[table.rows], study.settings.k
    ceiling = np.minimum(relevant, k) / k
    chance = study.chance_of(asked)[table.rows]
    bars = []
    for number, mean in zip(chosen, study.resamples(asked).means(values), strict=True):
        inside = table.inside(number)
        corrected = min(1.0, found.tested * float(p[number]))
        bars.append(
            {
                "keywords": [str(words[table.columns[part]]) for part in table.parts(number)],
                "support": int(inside.sum()),
                "inside": _dump_effect(mean),
                "chance": float(chance[inside].mean()),
                "ceiling": float(ceiling[inside].mean()),
                "difference": table.contrast(inside),
                "corrected_p": corrected,
                "proven": bool(
                    corrected <= study.settings.alpha and table.tests.difference[number] < 0
                ),
            }
        )
    return {
        "mode": asked.mode,
        "tested": len(table.lattice),
        "mean": float(table.values.mean()),
        "slices": bars,
    }


def _choose_bars(table: SliceTable, chosen: list[int]) -> list[int]:
    """Those of findings, then single keywords, those that are answered worst first."""
    t = np.nan_to_num(table.tests.t, nan=math.inf)
    single = [n for n in np.argsort(t, kind="stable").tolist() if len(table.parts(n)) == 1]
    return list(dict.fromkeys([*chosen, *single]))[:MOST_BARS]


def _dump_reliance(found: Triage) -> dict[str, Any] | None:
    reliance = found.study.once(measure_reliance)
    if not np.isfinite(reliance.before).any():
        return None
    shown = range(min(MOST_GROUPS, len(reliance.groups)))
    return {
        "groups": list(reliance.groups[: len(shown)]),
        "left_out": len(reliance.groups) - len(shown),
        **{
            name: [nan_to_none(value) for value in getattr(reliance, name)[: len(shown)].tolist()]
            for name in ("before", "chance", "ceiling")
        },
        "costs": [
            [_dump_effect(reliance.effect(erased, measured)) for measured in shown]
            for erased in shown
        ],
    }
