"""One evaluation as a table: order, filter and count, against hand calculation and naive loops."""

from __future__ import annotations

import csv
import math
import operator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.dataset.collection import Collection
from engine.dataset.embeddings.read import EmbeddingSet, align_rows
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.model_spec import ModelSpec
from engine.dataset.query_set import build_video_queries
from engine.keywords.evaluate import evaluate
from engine.keywords.query_filter import Filter, KeywordTerm, Term, ValueTerm, WordTerm
from engine.keywords.query_table import QueryTable
from engine.keywords.sorting import sort_stably
from engine.metrics import Measure, find_profile
from engine.metrics.chance import ChanceTest
from engine.results.first_hits import FirstHits
from engine.results.read_results import read_results

ALFA = find_profile("alfa")
RECALL_5 = Measure.parse("P@5")
COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def video_table(objects: list[list[str]], scenes: list[list[str]], seed: int = 0) -> QueryTable:
    """Clips with random vectors, each asked for the others."""
    ids = [f"Clip_{n}" for n in range(len(objects))]
    truth = GroundTruth.from_columns(ids, {"object_type": objects, "scene_type": scenes})
    vectors = np.random.default_rng(seed).standard_normal((len(ids), 8)).astype(np.float32)
    embedded = EmbeddingSet("m", truth.ids, vectors)
    collection = Collection(
        ModelSpec("m", Path("m.npy")), truth, embedded.vectors, align_rows(embedded, truth.ids)
    )
    queries = build_video_queries(truth, truth.words.select(), np.arange(len(ids)))
    measures = ALFA.measures()
    return QueryTable.of(evaluate(collection, queries, measures, k=5), collection, ALFA)


@pytest.fixture(scope="module")
def table() -> QueryTable:
    """40 clips: one unlike all others (no relevant clip), one without any keyword."""
    objects = [[["bicyclist"], ["bollard"], ["bicyclist", "bollard"]][n % 3] for n in range(40)]
    scenes = [["night"] if n % 4 == 0 else [] for n in range(40)]
    objects[7], objects[9] = ["tram"], []
    scenes[9] = []
    return video_table(objects, scenes)


def test_the_table_has_the_numbers_of_the_evaluation(table: QueryTable) -> None:
    assert (len(table), table.no_keyword, table.scores.skipped) == (39, 1, 1)
    assert "Clip_9" not in table.names
    tram = table.names.index("Clip_7")
    assert table.relevant[tram] == 0
    assert np.isnan(table.scores.column(RECALL_5)[tram])
    assert table.label(table.main) == "Recall@5"
    assert table.formula(table.main) == "hits@5 / 5"
    assert [str(keyword) for keyword in table.keywords(tram)] == ["object_type:tram"]


def test_chance_is_described_with_what_it_was_tested_with(table: QueryTable) -> None:
    assert table.chance is not None
    every, level = np.arange(len(table)), f"{table.chance.level(RECALL_5):.3f}"
    count = len(table.measures)

    def describe(p: float, queries: int, rows: np.ndarray = every) -> str:
        tested = ChanceTest(np.full(count, p), [99] * count, [queries] * count)
        return replace(table, tested=tested).describe_chance(RECALL_5, rows, "{:.3f}".format)

    assert describe(0.3, 38) == f"chance {level}: not above chance"
    assert describe(0.3, 12) == f"chance {level}, tested with 12 of 38 queries: not above chance"
    assert describe(0.01, 12) == f"chance {level}: above chance"
    assert ":" not in describe(0.3, 38, every[:5]), "only all rows together are tested"


def lateness(table: QueryTable, row: int) -> float:
    assert table.first_hits is not None
    return float(table.first_hits.lateness[row]) if table.relevant[row] else 0.0


def test_the_worst_come_first_by_their_first_hit_and_those_left_out_last(
    table: QueryTable,
) -> None:
    values = table.scores.column(RECALL_5)
    expected = sorted(
        range(len(table)),
        key=lambda n: (math.isnan(values[n]), values[n], -lateness(table, n), n),
    )
    assert table.order().tolist() == expected


@pytest.mark.parametrize("descending", [False, True])
def test_every_column_sorts_both_ways_and_keeps_equal_rows_as_asked(
    table: QueryTable, descending: bool
) -> None:
    sign = -1 if descending else 1
    for measure in table.measures:
        values = table.scores.column(measure).tolist()
        later = 1 if descending != measure.lower_is_better else -1  # the better, the earlier
        keys = [
            (1, 0.0, 0.0, n) if math.isnan(v) else (0, sign * v, later * lateness(table, n), n)
            for n, v in enumerate(values)
        ]
        assert table.order(measure, descending).tolist() == [n for *_, n in sorted(keys)]
    late = [lateness(table, n) if table.relevant[n] else math.nan for n in range(len(table))]
    by_first_hit = [late[n] for n in table.order("first hit", descending)]
    assert math.isnan(by_first_hit[-1])
    assert by_first_hit[:-1] == sorted(by_first_hit[:-1], reverse=descending)
    by_relevant = table.order("relevant", descending).tolist()
    assert by_relevant == sorted(range(len(table)), key=lambda n: (sign * table.relevant[n], n))
    names = [table.names[n] for n in table.order("query", descending)]
    assert names == sorted(table.names, key=str.casefold, reverse=descending)
    keywords = [", ".join(k.name for k in table.keywords(n)) for n in table.order("keywords")]
    assert keywords == sorted(keywords)


@given(
    st.lists(st.sampled_from([0.0, 0.2, 1.0, math.nan]), max_size=50)
    | st.lists(st.floats(0, 1), min_size=60, max_size=80, unique=True),
    st.booleans(),
)
def test_few_and_many_distinct_values_are_sorted_alike(values: list[float], down: bool) -> None:
    keys = [
        (1, 0.0, n) if math.isnan(v) else (0, -v if down else v, n) for n, v in enumerate(values)
    ]
    order = sort_stably(np.array(values, np.float64), down)
    assert order.tolist() == [n for _, _, n in sorted(keys)]


def test_a_query_is_found_again_by_name_and_place(table: QueryTable) -> None:
    row = table.names.index("Clip_12")
    assert table.row_of("Clip_12", int(table.places[row])) == row
    assert table.row_of("Clip_12", 0) == row
    assert table.row_of("Clip_9", 9) is None


def test_equal_compares_as_many_decimals_as_are_written(table: QueryTable) -> None:
    recall_3 = table.scores.column(Measure.parse("P@3"))
    third = np.isclose(recall_3, 1 / 3)
    assert third.any()
    assert (table.matching(table.parse("Recall@3=0.33")) == third).all()
    assert not table.matching(table.parse("Recall@3=0.3")).any()
    assert (
        table.matching(table.parse("Recall@3!=0.33")).sum() == (~third & ~np.isnan(recall_3)).sum()
    )


def test_no_comparison_holds_for_a_query_that_was_left_out(table: QueryTable) -> None:
    tram = table.names.index("Clip_7")
    for term in ("Recall@5<1", "Recall@5>=0", "Recall@5=0", "Recall@5!=0"):
        assert not table.matching(table.parse(term))[tram]
        assert table.matching(table.parse(f"-{term}"))[tram]


def test_the_count_by_keyword_by_hand(table: QueryTable) -> None:
    rows = np.flatnonzero(table.matching(table.parse("-kw:night")))
    counts = table.frequency(rows)
    values = table.scores.column(RECALL_5)
    for count in counts:
        own = [values[n] for n in rows if count.keyword in table.keywords(n)]
        counted = [value for value in own if not math.isnan(value)]
        assert count.queries == len(own)
        if counted:
            assert count.mean == pytest.approx(sum(counted) / len(counted))
        else:
            assert math.isnan(count.mean)
    assert [count.keyword.name for count in counts][-1] == "tram"
    means = [count.mean for count in counts[:-1]]
    assert means == sorted(means)
    assert table.frequency(np.zeros(0, np.int64)) == ()


def test_the_mean_of_some_rows_leaves_out_what_does_not_count(table: QueryTable) -> None:
    rows = np.array([table.names.index("Clip_7"), 0, 1])
    values = table.scores.column(RECALL_5)
    assert table.aggregate(RECALL_5, rows) == pytest.approx((values[0] + values[1]) / 2)
    assert table.counted(RECALL_5, rows) == 2
    assert math.isnan(table.aggregate(RECALL_5, rows[:1]))
    assert table.aggregate(RECALL_5) == pytest.approx(np.nanmean(values))


def test_cells_for_a_spreadsheet_are_never_formulas() -> None:
    table = video_table([["=cmd"], ["=cmd"]], [[], []])
    header, first, _ = table.as_cells(np.array([0, 1]))
    assert header[:6] == ["mode", "profile", "query", "keywords", "relevant", "first_hit"]
    assert first[:6] == ["video", "alfa", "Clip_0", "object_type:=cmd", "1", "1"]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in first)


@pytest.mark.parametrize("language", ["alfa", "ir"])
def test_written_rows_are_a_file_of_per_query(
    table: QueryTable, language: str, tmp_path: Path
) -> None:
    spoken = replace(table, language=find_profile(language))
    path = tmp_path / "evaluate.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(spoken.as_cells(spoken.order()))

    found = read_results(path)

    assert found.language.name == language
    assert found.measures == table.measures
    assert [key.query for key in found.keys] == [table.names[row] for row in table.order()]
    np.testing.assert_array_equal(found.values, table.scores.values[table.order()])


def test_a_first_hit_deeper_than_anybody_looked_is_written_as_per_query_files_have_it(
    table: QueryTable,
) -> None:
    hits = FirstHits(np.zeros(len(table), np.int64), np.full(len(table), 500))

    header, first = replace(table, first_hits=hits).as_cells(np.array([0]))

    assert header[5:7] == ["first_hit", "first_hit_beyond"]
    assert first[5:7] == ["", "500"]


NAMES = st.sampled_from(["bicyclist", "bollard", "tram"])
SCENES = st.sampled_from(["night", "rain"])


@st.composite
def tables(draw: st.DrawFn) -> QueryTable:
    size = draw(st.integers(2, 12))
    rows = st.lists(NAMES, max_size=2, unique=True)
    objects = draw(st.lists(rows, min_size=size, max_size=size))
    scenes = draw(st.lists(st.lists(SCENES, max_size=1), min_size=size, max_size=size))
    objects[0] = objects[0] or ["bicyclist"]
    return video_table(objects, scenes, draw(st.integers(0, 9)))


@st.composite
def filtered(draw: st.DrawFn) -> tuple[QueryTable, Filter]:
    table = draw(tables())
    values = st.builds(
        ValueTerm,
        st.sampled_from([None, *table.measures]),
        st.sampled_from(["<", "<=", ">", ">=", "=", "!="]),
        st.sampled_from([0.0, 0.2, 1 / 3, 0.33, 0.5, 1.0, 2.0]),
        st.integers(0, 3),
        st.booleans(),
    )
    words = st.builds(WordTerm, st.sampled_from(["clip", "_1", "bo", "night", "z"]), st.booleans())
    keywords = st.builds(KeywordTerm, st.sampled_from(table.words.keywords), st.booleans())
    terms = draw(st.lists(st.one_of(values, words, keywords), max_size=3))
    return table, Filter(tuple(terms))


def naive(table: QueryTable, row: int, term: Term) -> bool:
    """One term for one query, the long way."""
    if isinstance(term, WordTerm):
        texts = [table.names[row], *(keyword.name for keyword in table.keywords(row))]
        return any(term.text in text.lower() for text in texts)
    if isinstance(term, KeywordTerm):
        return term.keyword in table.keywords(row)
    if term.measure is None:
        value = float(table.relevant[row])
    else:
        value = float(table.scores.column(term.measure)[row])
    if math.isnan(value):
        return False
    if term.operator in COMPARE:
        return bool(COMPARE[term.operator](value, term.value))
    return (abs(value - term.value) <= term.tolerance) == (term.operator == "=")


@given(filtered())
def test_a_filter_keeps_the_rows_for_which_every_term_holds(
    case: tuple[QueryTable, Filter],
) -> None:
    table, chosen = case
    expected = [
        all(naive(table, row, term) != term.negated for term in chosen.terms)
        for row in range(len(table))
    ]
    assert table.matching(chosen).tolist() == expected
