"""Two models as one table: by hand, against `compare`, and by what must hold of any two."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.base.progress import Step
from engine.compare import CompareSettings, Slice, compare
from engine.compare.table import CHANGE_KEYS, CompareTable
from engine.compare.top_results import TopResult
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.query_set import build_video_queries
from engine.keywords.evaluate import evaluate
from engine.keywords.evaluated_run import EvaluatedRun
from engine.keywords.run import Run, RunRequest
from engine.metrics import Measure
from engine.metrics.policies import Policies
from engine.results.read_results import read_results
from tests.engine.keywords.workbench_by_hand import ALFA, at_cosine, workbench
from tests.examples import examples

FEW = CompareSettings(resamples=200, least_queries=2)
P2 = Measure.parse("P@2")


def turned(order: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Vectors of which each is the more similar to the first the earlier it stands."""
    cosines = np.linspace(1.0, 0.1, len(order)).tolist()
    return {clip: at_cosine(cosine) for clip, cosine in zip(order, cosines, strict=True)}


def evaluated(
    truth: GroundTruth,
    vectors: Mapping[str, Mapping[str, Sequence[float]]],
    model: str,
    ks: tuple[int, ...] = (1, 2),
    policies: Policies = Policies(),  # noqa: B008 (frozen)
) -> EvaluatedRun:
    """What a run of the dataset in memory, of which there are no files to digest, would leave."""
    bench = workbench(truth, vectors, policies)
    collection = bench.collection(model)
    selection = collection.truth.words.select()
    queries = build_video_queries(collection.truth, selection, np.arange(len(collection)))
    found = evaluate(collection, queries, ALFA.measures(ks), k=max(ks), policies=policies)
    request = RunRequest(modes="video", model=model, ks=ks, policies=policies)
    return EvaluatedRun.of(
        Run(request, bench.dataset, collection, selection, ALFA, (found,), {}, {})
    )


CARS = GroundTruth.from_columns(
    ["q", "car1", "car2", "bus1", "bus2"],
    {
        "object": [["car"], ["car"], ["car"], ["bus"], ["bus"]],
        "scene": [["day"], ["day"], ["day"], [], []],
    },
)
ORDERS = {
    "old": turned(["q", "car1", "car2", "bus1", "bus2"]),
    "new": turned(["q", "bus1", "car2", "bus2", "car1"]),
}


@pytest.fixture(scope="module")
def table() -> CompareTable:
    """q finds car1, car2 before, and bus1, car2 after."""
    return CompareTable.of(*(evaluated(CARS, ORDERS, model) for model in ORDERS), settings=FEW)


def row(table: CompareTable, name: str) -> int:
    return next(n for n in range(len(table)) if table.name(n) == name)


def test_a_row_has_its_values_before_and_after_and_what_fell_out(table: CompareTable) -> None:
    q = row(table, "q")

    before, after = table.values(P2)
    assert (before[q], after[q], table.change[q]) == (1.0, 0.5, -0.5)
    assert (table.fell_out[q], table.came_in[q]) == (1, 0)
    assert [str(word) for word in table.keywords(q)] == ["object:car", "scene:day"]
    assert table.relevant(q) == 2


def test_the_results_of_a_row_are_those_of_either_model_with_both_ranks(
    table: CompareTable,
) -> None:
    assert table.results(row(table, "q")) == (
        TopResult("car1", True, 1, 0),
        TopResult("car2", True, 2, 2),
        TopResult("bus1", False, 0, 1),
    )


def test_the_worst_regression_is_first_and_n_goes_through_all_that_got_worse(
    table: CompareTable,
) -> None:
    order = table.order()

    assert table.change[order].tolist() == sorted(table.change.tolist())
    assert table.name(int(order[0])) == "q"
    assert table.regressed.tolist() == [change < 0 for change in table.change.tolist()]


@pytest.mark.parametrize("key", CHANGE_KEYS)
@pytest.mark.parametrize("descending", [False, True])
def test_every_column_sorts_both_ways(table: CompareTable, key: str, descending: bool) -> None:
    columns = {
        "change": table.change.tolist(),
        "before": table.values(P2)[0].tolist(),
        "after": table.values(P2)[1].tolist(),
        "fell out": table.fell_out.tolist(),
        "came in": table.came_in.tolist(),
        "query": [table.name(n) for n in range(len(table))],
        "keywords": [", ".join(word.name for word in table.keywords(n)) for n in range(len(table))],
    }
    shown = [columns[key][n] for n in table.order(key, descending).tolist()]  # type: ignore[arg-type]

    assert shown == sorted(shown, reverse=descending)
    assert sorted(table.order(key, descending).tolist()) == [*range(len(table))]  # type: ignore[arg-type]


def test_a_query_keeps_its_row_by_its_name_and_place(table: CompareTable) -> None:
    for n in range(len(table)):
        assert table.row_of(table.name(n), table.place(n)) == n
    assert table.row_of("nobody", 3) is None


def test_a_filter_looks_at_the_values_after(table: CompareTable) -> None:
    q = row(table, "q")

    assert table.matching(table.parse("Recall@2<0.6"))[q]
    assert not table.matching(table.parse("Recall@2>0.6"))[q]
    names = [table.name(n) for n in np.flatnonzero(table.matching(table.parse("kw:bus")))]
    assert names == ["bus1", "bus2"]


@pytest.mark.parametrize(
    ("piece", "names"),
    [
        (Slice("keyword", "object:bus"), {"bus1", "bus2"}),
        (Slice("group", "scene"), {"q", "car1", "car2"}),
    ],
)
def test_a_slice_keeps_its_queries(table: CompareTable, piece: Slice, names: set[str]) -> None:
    assert {table.name(n) for n in np.flatnonzero(table.within(piece)).tolist()} == names


def test_the_numbers_are_those_of_compare(table: CompareTable) -> None:
    steps: list[Step] = []
    old, new = table.old, table.new
    again = CompareTable.of(old, new, FEW, steps.append).statistics
    whole = compare([old.results(), new.results()], settings=FEW)
    (mode,) = whole.modes

    assert again.main == whole.main
    assert tuple(change.difference for change in again.changes) == mode.differences
    stand = [level for change in again.changes for level in (change.before, change.after)]
    assert tuple(stand) == mode.levels
    assert (again.slices, again.few_slices) == (mode.slices, mode.few_slices)
    assert (again.asked, again.counted) == (len(mode.part.keys), mode.differences[-1].n)
    total = len(whole.measures) + 1
    assert [(step.done, step.total) for step in steps] == [(n, total) for n in range(total + 1)]


def test_what_is_reported_may_end_the_work(table: CompareTable) -> None:
    def stop(step: Step) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        CompareTable.of(table.old, table.new, FEW, stop)


def test_means_of_some_rows_are_those_of_the_rows_that_count(table: CompareTable) -> None:
    rows = np.array([row(table, "q"), row(table, "car1")])
    first, second = (column[rows] for column in table.values(P2))

    found = table.means(rows)

    assert found.n == 2
    assert found.before == pytest.approx(first.mean())
    assert found.after == pytest.approx(second.mean())
    assert found.change == pytest.approx(found.after - found.before)
    assert table.means(rows[:0]).n == 0


def test_a_model_without_a_clip_is_compared_over_the_clips_of_both() -> None:
    lacking = {clip: vector for clip, vector in ORDERS["new"].items() if clip != "car1"}
    vectors = {"old": ORDERS["old"], "new": lacking}

    table = CompareTable.of(*(evaluated(CARS, vectors, m) for m in vectors), settings=FEW)

    assert [table.name(n) for n in range(len(table))] == ["q", "car2", "bus1", "bus2"]
    assert (table.statistics.asked, table.statistics.alone) == (4, (1, 0))
    q = row(table, "q")
    assert table.results(q)[0] == TopResult("car1", True, 1, 0)
    assert (table.fell_out[q], table.came_in[q]) == (1, 0)  # car2 is in both, at other rows


def test_a_result_below_the_least_similarity_does_not_count_but_is_listed() -> None:
    least = Policies(min_similarity=0.9)
    table = CompareTable.of(
        *(evaluated(CARS, ORDERS, model, policies=least) for model in ORDERS), settings=FEW
    )

    q = row(table, "q")
    # Similarities to q are 1, 0.775, 0.55 …: none reaches 0.9.
    assert [result.counts for result in table.results(q)] == [
        (False, True),
        (False, False),
        (True, False),
    ]
    assert (table.fell_out[q], table.came_in[q]) == (0, 0)


def test_models_without_a_common_query_are_refused() -> None:
    apart = {
        "old": {clip: ORDERS["old"][clip] for clip in ("q", "car1")},
        "new": {clip: ORDERS["new"][clip] for clip in ("bus1", "bus2")},
    }

    with pytest.raises(InputError, match="no query in common"):
        CompareTable.of(*(evaluated(CARS, apart, model, (1,)) for model in apart))


def test_rows_are_written_with_every_measure_and_nothing_that_a_spreadsheet_would_run() -> None:
    truth = GroundTruth.from_columns(["=1+1", "b", "c"], {"object": [["car"]] * 3})
    orders = {"old": turned(["=1+1", "b", "c"]), "new": turned(["c", "b", "=1+1"])}
    table = CompareTable.of(*(evaluated(truth, orders, m) for m in orders), settings=FEW)
    file = io.StringIO()

    csv.writer(file).writerows(table.as_cells(table.order("query")))

    header, *rows = csv.reader(io.StringIO(file.getvalue()))
    assert header[:5] == ["mode", "profile", "query", "keywords", "relevant"]
    assert header[5:10] == ["fell out", "came in", "P@1 old", "P@1 new", "P@1 change"]
    assert rows[0][2] == "'=1+1"
    assert len(rows) == 3
    assert {len(cells) for cells in rows} == {len(header)}


def test_written_changes_are_not_taken_for_a_run(tmp_path: Path) -> None:
    table = CompareTable.of(*(evaluated(CARS, ORDERS, m, (1,)) for m in ORDERS), settings=FEW)
    path = tmp_path / "compare.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(table.as_cells(table.order()))

    with pytest.raises(InputError) as error:
        read_results(path)

    assert str(error.value) == (
        f"{path}: is a table of changes between two runs, not a run; "
        "compare the saved runs: tui-eval compare A B"
    )


@st.composite
def two_models(draw: st.DrawFn) -> tuple[GroundTruth, dict[str, dict[str, tuple[float, float]]]]:
    ids = [f"c{n}" for n in range(draw(st.integers(3, 12)))]
    objects = [[draw(st.sampled_from(["car", "bus"]))] for _ in ids]
    truth = GroundTruth.from_columns(ids, {"object": objects})
    return truth, {model: turned(draw(st.permutations(ids))) for model in ("old", "new")}


@given(two_models())
@examples(25)
def test_the_change_of_hits_at_k_is_what_came_in_less_what_fell_out(
    models: tuple[GroundTruth, dict[str, dict[str, tuple[float, float]]]],
) -> None:
    truth, vectors = models

    table = CompareTable.of(
        *(evaluated(truth, vectors, model) for model in vectors),
        settings=CompareSettings(resamples=100, least_queries=2),
    )

    counted = ~np.isnan(table.change)
    hits = np.rint(table.change[counted] * 2).astype(int)
    assert hits.tolist() == (table.came_in - table.fell_out)[counted].tolist()
