"""Which clips are relevant: laws against brute force over plain Python sets."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.dataset.clip_set import ClipSet, pack_bits
from engine.dataset.ground_truth import GroundTruth
from tests.examples import examples

GROUPS = ("object_type", "scene_type")
WIDE = 50  # two groups of fifty keywords: more than one 64-bit word

patient = examples(60)  # the machine may be busy

Clips = list[tuple[set[int], set[int]]]
numbers = st.sets(st.integers(0, WIDE - 1), max_size=6)
clips_of_two_groups = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=40)


def named(values: set[int]) -> list[str]:
    return [f"k{value:02d}" for value in values]


def truth_of(clips: Clips) -> tuple[GroundTruth, list[set[Keyword]]]:
    """The ground truth, and the same as Python sets; a last clip has every keyword."""
    everything = set(range(WIDE))
    clips = [*clips, (everything, everything)]
    columns = {group: [named(clip[i]) for clip in clips] for i, group in enumerate(GROUPS)}
    truth = GroundTruth.from_columns([f"c{row}" for row in range(len(clips))], columns)
    sets = [
        {Keyword(group, name) for i, group in enumerate(GROUPS) for name in named(clip[i])}
        for clip in clips
    ]
    return truth, sets


keyword_sets = st.sets(
    st.builds(Keyword, st.sampled_from(GROUPS), st.sampled_from(named(set(range(WIDE))))),
    max_size=4,
)


@patient
@given(clips=clips_of_two_groups, keywords=keyword_sets)
def test_relevant_clips_are_those_that_have_all_keywords(
    clips: Clips, keywords: set[Keyword]
) -> None:
    truth, sets = truth_of(clips)
    expected = [row for row, own in enumerate(sets) if keywords and keywords <= own]

    found = truth.relevant(keywords)

    assert found.indices().tolist() == expected
    assert found.count == len(expected)


@patient
@given(clips=clips_of_two_groups, chosen=keyword_sets, keywords=keyword_sets)
def test_keywords_outside_the_selection_are_ignored(
    clips: Clips, chosen: set[Keyword], keywords: set[Keyword]
) -> None:
    truth, sets = truth_of(clips)
    restricted = {keyword.group for keyword in chosen}
    seen = {
        keyword
        for keyword in truth.words.keywords
        if keyword in chosen or keyword.group not in restricted
    }
    expected = [row for row, own in enumerate(sets) if keywords & seen and keywords & seen <= own]

    selection = truth.words.select(keywords=chosen)

    assert set(selection.keywords) == seen
    assert truth.relevant(keywords, selection).indices().tolist() == expected
    for row, own in enumerate(sets):
        assert truth.keywords_of(row, selection) == tuple(sorted(own & seen))


@patient
@given(clips=clips_of_two_groups, queries=st.lists(keyword_sets, max_size=12))
def test_batched_counts_equal_single_ones(clips: Clips, queries: list[set[Keyword]]) -> None:
    truth, sets = truth_of(clips)
    bits = truth.query_bits(queries)

    counts = truth.relevant_counts(bits)

    assert bits.shape == (len(queries), 2)
    assert counts.tolist() == [
        sum(bool(query) and query <= own for own in sets) for query in queries
    ]


@patient
@given(clips=clips_of_two_groups, group=st.sampled_from([None, *GROUPS]))
def test_a_video_query_does_not_count_itself(clips: Clips, group: str | None) -> None:
    truth, sets = truth_of(clips)
    selection = truth.words.select(None if group is None else [group])
    rows = np.arange(len(truth))
    masked = [{keyword for keyword in own if keyword in selection} for own in sets]

    counts = truth.relevant_counts(truth.bits_of(rows, selection), exclude_rows=rows)

    assert counts.tolist() == [
        sum(bool(own) and own <= sets[other] for other in range(len(sets)) if other != row)
        for row, own in enumerate(masked)
    ]


@patient
@given(
    clips=clips_of_two_groups,
    queries=st.lists(keyword_sets, min_size=1, max_size=8),
    data=st.data(),
)
def test_has_all_equals_the_subset_test(
    clips: Clips, queries: list[set[Keyword]], data: st.DataObject
) -> None:
    truth, sets = truth_of(clips)
    depth = data.draw(st.integers(0, 5))
    row = st.integers(-1, len(sets) - 1)
    rows = data.draw(
        st.lists(
            st.lists(row, min_size=depth, max_size=depth),
            min_size=len(queries),
            max_size=len(queries),
        )
    )

    hits = truth.has_all(
        np.array(rows, np.int64).reshape(len(queries), depth), truth.query_bits(queries)
    )

    assert hits.tolist() == [
        [bool(query) and r >= 0 and query <= sets[r] for r in ranking]
        for query, ranking in zip(queries, rows, strict=True)
    ]


@examples(5)
@given(seed=st.integers(0, 1000))
def test_counts_of_many_queries_are_exact_where_they_are_split(seed: int) -> None:
    random = np.random.default_rng(seed)
    matrix = random.random((1500, 70)) < random.uniform(0.02, 0.6, 70)
    lists = [[f"k{column}" for column in np.flatnonzero(row)] for row in matrix]
    truth = GroundTruth.from_columns(map(str, range(1500)), {"keywords": lists})
    queries = [
        row[random.permutation(len(row))[: random.integers(0, 5)]] for row in map(np.array, lists)
    ]

    counts = truth.relevant_counts(truth.query_bits([q.tolist() for q in queries]))

    columns = [[int(name[1:]) for name in query] for query in queries]
    assert counts.tolist() == [int(matrix[:, c].all(axis=1).sum()) if c else 0 for c in columns]


@patient
@given(st.sets(st.integers(0, 999)), st.integers(1, 3))
def test_a_clip_set_lists_its_rows_however_dense_it_is(rows: set[int], step: int) -> None:
    chosen = sorted({row for row in rows if row % step == 0} | set(range(0, 1000, 101 * step)))

    clips = ClipSet(pack_bits(np.isin(np.arange(1000), chosen)), 1000)

    assert clips.indices().tolist() == chosen
    assert clips.count == len(chosen)


def test_no_keyword_means_no_relevant_clip() -> None:
    truth = GroundTruth.from_columns(["a"], {"object_type": [["car"]], "scene_type": [["city"]]})

    assert truth.relevant([]).count == 0
    assert truth.relevant(["car"], truth.words.select(["scene_type"])).count == 0
    assert truth.relevant([]).indices().tolist() == []


def test_taking_rows_reorders_ids_and_bits() -> None:
    truth = GroundTruth.from_columns(["a", "b", "c"], {"keywords": [["x"], ["y"], ["x", "y"]]})

    taken = truth.take([2, 0])

    assert taken.ids == ("c", "a")
    assert taken.row_of("a") == 1
    assert taken.relevant(["x"]).indices().tolist() == [0, 1]
    assert taken.counts.tolist() == [2, 1]
    assert truth.take([0, 1, 2]) is truth


def test_the_sources_of_clips_go_with_them(tmp_path: Path) -> None:
    file = tmp_path / "clips.csv"
    lines = ["slice_id,video_path,pv_object_type", "a,x.mp4,car", "b,,car", "c,x.mp4,", "d,y.mp4,"]
    file.write_text("\n".join(lines))
    truth = GroundTruth.read(file)

    taken = truth.take([3, 2, 1, 0])

    assert taken.sources == ("y.mp4", "x.mp4", "", "x.mp4")
    assert taken.source_numbers.tolist() == [0, 1, 2, 1]


@pytest.mark.parametrize("column", [None, ["", ""]])
def test_where_no_clip_names_a_source_each_is_one_of_its_own(column: list[str] | None) -> None:
    truth = GroundTruth.from_columns(["a", "b"], {"g": [["x"], []]}, sources=column)

    assert truth.sources is None and truth.source_numbers.tolist() == [0, 1]
    assert truth.take([1]).sources is None


def test_ids_are_found_by_name_and_missing_ones_are_reported() -> None:
    truth = GroundTruth.from_columns(["clip_1", "clip_2"], {"keywords": [[], []]})

    assert truth.rows_of(["clip_2", "nowhere"]).tolist() == [1, -1]
    with pytest.raises(InputError, match=r'no clip "clip_3".*did you mean'):
        truth.row_of("clip_3")


def test_a_truth_without_any_keyword_answers_with_nothing() -> None:
    truth = GroundTruth.from_columns(["a", "b"], {"keywords": [[], []]})

    assert truth.words.keywords == ()
    assert truth.counts.tolist() == []
    assert truth.relevant_counts(truth.bits_of([0, 1])).tolist() == [0, 0]
    assert truth.keywords_of(0) == ()


def test_a_file_is_read_to_the_same_truth_as_one_built_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "clips.csv"
    path.write_text('slice_id,pv_object_type,scene_type\nc1,"bollard, Other",other\nc2,,\n')
    by_hand = GroundTruth.from_columns(
        ["c1", "c2"], {"object_type": [["other", "bollard"], []], "scene_type": [["other"], []]}
    )

    truth = GroundTruth.read(path)

    assert truth.ids == by_hand.ids
    assert truth.words.keywords == by_hand.words.keywords
    assert truth.bits.tolist() == by_hand.bits.tolist()


def test_merging_duplicates_unites_their_keywords(tmp_path: Path) -> None:
    path = tmp_path / "clips.csv"
    path.write_text("slice_id,keywords\nc1,a\nc2,b\nc1,b\n")

    truth = GroundTruth.read(path, duplicates="merge")

    assert truth.ids == ("c1", "c2")
    assert truth.counts.tolist() == [1, 2]


def test_free_text_taken_for_keywords_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.dataset.ground_truth.MAX_BYTES", 100)
    path = tmp_path / "clips.csv"
    path.write_text("slice_id,pv_note\n" + "".join(f"c{i},text {i}\n" for i in range(70)))

    with pytest.raises(InputError, match=r"70 different keywords.*free text"):
        GroundTruth.read(path)


@pytest.mark.slow
def test_importing_it_loads_no_heavy_library() -> None:
    code = (
        "import sys, engine.dataset.ground_truth;"
        "print(sorted({'pandas', 'pyarrow', 'torch', 'faiss'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
