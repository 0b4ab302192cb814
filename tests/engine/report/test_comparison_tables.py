"""Comparisons as paper tables: the best in bold, what is sure marked, hostile names harmless."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from engine.compare import CompareSettings, compare
from engine.metrics import Measure, find_profile
from engine.report.compare.document import format_comparison_csv
from engine.report.compare.tables import build_paper_tables
from engine.report.tables.report_table import as_latex, as_markdown, find_best_places
from engine.results.results import Results, number_queries
from tests.engine.report.latex_by_hand import assert_whole

QUICK = CompareSettings(resamples=500)
HOSTILE = "=\\input{x} & 50% | _a_ $b$ [c] <i> ~^ -- 日本 \x1b[31m"


def systems(ids: tuple[str, ...] = ("P@5", "MedR")) -> list[Results]:
    """A base; one that is better on every query; and one that does as the base does."""
    rng = np.random.default_rng(1)
    base = np.stack([rng.random(30) * 0.5] * len(ids), axis=1)
    better = base + rng.uniform(0.1, 0.3, base.shape)
    lower = [Measure.parse(i).lower_is_better for i in ids]
    better[:, lower] = base[:, lower] - 0.1

    def of(name: str, values: np.ndarray) -> Results:  # type: ignore[type-arg]
        keys = number_queries(["text"] * 30, [f"query {n}" for n in range(30)])
        measures = tuple(map(Measure.parse, ids))
        own = find_profile("alfa")
        return Results(name, own, measures, keys, values, ((),) * 30, np.full(30, 2))

    return [of("base", base), of("better", better), of("same", base)]


def test_the_best_is_bold_and_what_differs_from_the_baseline_is_marked() -> None:
    (table,) = build_paper_tables(compare(systems(), settings=QUICK))

    assert [column.head for column in table.columns] == ["system", "Recall@5", "MedR"]
    base, better, same = table.rows
    assert [cell.best for cell in better[1:]] == [True, True]
    assert [cell.mark for cell in better[1:]] == ["*", "*"]
    assert not any(cell.best or cell.mark for cell in (*base[1:], *same[1:]))
    assert table.notes[0].startswith("*: differs from base, p < 0.05")
    assert table.notes[2] == (
        "Primary metric: Recall@5; p corrected by Holm over the 2 pairs. "
        "The other metric: p corrected by Holm over all 2."
    )
    assert "Recall@5 = hits@5 / 5" in table.notes[3]


def test_with_every_pair_letters_name_those_that_are_beaten() -> None:
    (table,) = build_paper_tables(compare(systems(), pairs="all", settings=QUICK))

    assert [str(row[0]) for row in table.rows] == ["a base", "b better", "c same"]
    assert [[cell.mark for cell in row[1:]] for row in table.rows] == [
        ["", ""],
        ["ac", "ac"],
        ["", ""],
    ]


def test_many_metrics_stand_in_rows() -> None:
    ids = ("P@1", "P@2", "P@3", "P@4", "P@5", "R@1", "R@2", "R@3", "R@4")
    (table,) = build_paper_tables(compare(systems(ids), settings=QUICK))

    assert [column.head for column in table.columns] == ["metric", "base", "better", "same"]
    assert len(table.rows) == 9


@pytest.mark.parametrize("all_pairs", [False, True])
def test_latex_is_whole_whatever_the_systems_are_called(all_pairs: bool) -> None:
    first, *others = systems()
    named = [replace(first, name=HOSTILE), *others]

    (table,) = build_paper_tables(
        compare(named, pairs="all" if all_pairs else "first", settings=QUICK)
    )

    assert_whole(as_latex(table, label="tab:results"))


def test_markdown_is_one_table_whatever_the_systems_are_called() -> None:
    first, *others = systems()
    named = [replace(first, name=HOSTILE), *others]

    (table,) = build_paper_tables(compare(named, settings=QUICK))
    lines = [line for line in as_markdown(table).splitlines() if line.startswith("|")]

    assert len(lines) == 2 + 3
    assert "\x1b" not in as_markdown(table)


def test_no_cell_is_run_as_a_formula() -> None:
    first, *others = systems()
    found = compare([replace(first, name=HOSTILE), *others], settings=QUICK)

    rows = list(csv.DictReader(io.StringIO(format_comparison_csv(found))))
    assert rows[0]["system"] == f"'{HOSTILE}"


def test_nothing_is_bold_if_all_systems_are_equal() -> None:
    base, _, same = systems()

    (table,) = build_paper_tables(compare([base, same], settings=QUICK))

    assert not any(cell.best for row in table.rows for cell in row)


def test_those_that_tie_for_the_best_are_all_bold() -> None:
    base, better, _ = systems()

    (table,) = build_paper_tables(
        compare([base, better, replace(better, name="twin")], settings=QUICK)
    )

    assert [row[1].best for row in table.rows] == [False, True, True]


def test_large_ranks_have_two_digits_and_a_median_no_deviation() -> None:
    first, second, _ = systems()
    far = [replace(one, values=one.values * 100) for one in (first, second)]

    (table,) = build_paper_tables(compare(far, settings=QUICK))

    median = float(np.median(far[0].values[:, 1]))
    mean, std = far[0].values[:, 0].mean(), far[0].values[:, 0].std(ddof=1)
    assert [cell.text for cell in table.rows[0][1:]] == [f"{mean:.2f} ± {std:.2f}", f"{median:.2f}"]


@pytest.mark.parametrize(
    ("values", "lower", "best"),
    [
        ((0.1, 0.3, 0.2), False, {1}),
        ((0.1, 0.3, 0.2), True, {0}),
        ((0.30001, 0.30002), False, {1}),
        ((0.3, 0.3, 0.1), False, {0, 1}),
        ((0.3, 0.3), False, set()),
        ((float("nan"), 0.3), False, set()),
        ((float("nan"), 0.3, 0.2), False, {1}),
        ((), False, set()),
    ],
)
def test_the_best_is_found_by_the_exact_value(
    values: tuple[float, ...], lower: bool, best: set[int]
) -> None:
    assert find_best_places(values, lower_is_better=lower) == best
