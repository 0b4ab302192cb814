"""A row of the results says why it is no hit, at every width, and the line after K is no row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from engine.keywords.clip_ranks import ClipRanks
from engine.keywords.judgement import Judgement
from tests.engine.keywords.workbench_by_hand import ALFA, asked_of
from tests.tui.inspector import cell_texts
from tui.inspect.id_shape import IdShape
from tui.inspect.lacking_words import LackingWords
from tui.inspect.rank_change import RankChange
from tui.inspect.result_room import share_room
from tui.inspect.result_rows import ResultRows
from tui.inspect.shown_answer import ShownAnswer
from tui.look.ascii_signs import draw_in_ascii
from tui.look.glyphs import ASCII, UNICODE, Glyphs
from tui.look.nouns import OF_ITEMS
from tui.look.safe import escape
from tui.widgets.line_layout import COLUMN_GAP, GUTTER, draw_line
from tui.widgets.line_map import LineMap
from tui.work.questions import score_answer

CLIPS = [
    "urban_small_vehicle_0036",
    "urban_pedestrian_0040",
    "urban_pedestrian_0219",
    "urban_small_vehicle_0217",
    "urban_bicyclist_0002",
    "urban_small_vehicle_0013",
    "urban_pedestrian_0069",
]
OBJECTS = [["pedestrian"], ["car"], ["pedestrian"], ["pedestrian"], ["car"], [], ["car"]]
CROSSING = "straight crossing path"
BEHAVIOUR = [[CROSSING]] * 5 + [[], []]
GROUPS = {
    "object": [*OBJECTS, ["pedestrian"]],
    "behaviour": [*BEHAVIOUR, [CROSSING]],
}
"""The picture of the screen: hits at ranks 2, 3 and 7, the last of them missed."""


def answer(said: dict[str, Judgement] | None = None, **others: Any) -> ShownAnswer:
    found = asked_of(GROUPS, clips=CLIPS)
    return ShownAnswer(score_answer(found, said or {}, ALFA), **others)


def in_another_model(shown: ShownAnswer, *ranks: int) -> ShownAnswer:
    """The same, with the ranks of its results in another model."""
    truth = shown.inspection.collection.truth
    places = np.zeros(len(truth), np.int64)
    places[shown.inspection.rows[: len(ranks)]] = ranks
    return ShownAnswer(
        shown.answer, ClipRanks("alfa-0.2", truth, places), shown.missed, shown.nouns
    )


def draw(shown: ShownAnswer, width: int, glyphs: Glyphs = UNICODE) -> list[str]:
    """Header and rows as they are painted on a list of this width."""
    return draw_rows(ResultRows(shown, glyphs, lambda: width), width)


def draw_rows(rows: ResultRows, width: int) -> list[str]:
    def line(cells: Sequence[Any]) -> str:
        strip = draw_line(
            rows.columns, cells, width, Style(), lambda _: Style(), sign=" ", ellipsis="…"
        )
        assert strip.cell_length == width
        return strip.text

    return [
        line([column.title for column in rows.columns]),
        *(line(rows.cells(row)) for row in range(len(rows))),
    ]


def find_ends(text: Sequence[str], ids: Sequence[str]) -> set[int]:
    """After how many cells of their lines these end, by their last letters."""
    pairs = zip(text, ids, strict=True)
    return {cell_len(line[: line.rindex(one[-4:])]) + 4 for line, one in pairs}


def test_at_200_columns_nothing_is_cut() -> None:
    text = draw(in_another_model(answer(), 8, 1, 3, 9, 2), 81)

    for line, clip in zip(text[1:], CLIPS, strict=True):
        assert clip in line
    assert "◐  −pedestrian  " in text[1] and f"❌ −pedestrian −{CROSSING} " in text[6]
    assert "✅  " in text[2] and "✅ missed" in text[7]


def test_at_80_columns_where_the_list_has_all_of_them_nothing_is_cut_either() -> None:
    text = draw(in_another_model(answer(), 8, 1, 3, 9, 2), 79)

    assert all(clip in line for line, clip in zip(text[1:], CLIPS, strict=True))
    assert f"❌ −pedestrian −{CROSSING} urban_small_vehicle_0013" in text[6]


def test_at_120_columns_no_id_is_cut_beside_blanks_and_what_is_cut_keeps_its_end() -> None:
    text = draw(in_another_model(answer(), 8, 1, 3, 9, 2), 64)

    for line, clip in zip(text[1:5], CLIPS, strict=False):
        assert clip in line
    assert "❌ −pedestrian −straight crossing urban_small_…_0013" in text[6]


def test_where_room_is_short_words_lose_letters_and_stay_apart() -> None:
    text = draw(in_another_model(answer(), 8, 1, 3, 9, 2), 41)

    assert "◐  −pedestr urban_sm…_0036" in text[1]
    assert "❌ −pedes −str urban_sm…_0013" in text[6]


def test_the_ends_of_ids_are_in_line_in_rows_that_lend_and_in_rows_that_do_not() -> None:
    text = draw(answer(), 60)

    assert find_ends(text, ["clip", *CLIPS]) == {59}


def test_where_nothing_is_judged_no_heading_says_what_is_lacking_and_ids_are_in_line() -> None:
    found = asked_of({"g": [[], *[["x"]] * 7]}, clips=CLIPS)
    text = draw(ShownAnswer(score_answer(found, {}, ALFA)), 45)

    assert text[0].split() == ["#", "sim", "clip"]
    assert len(find_ends(text, ["clip", *CLIPS])) == 1


def test_the_heading_of_ranks_in_another_model_is_whole_where_the_ranks_have_lent_their_room() -> (
    None
):
    text = draw(in_another_model(answer(), 8, 1, 3, 9, 2), 46)

    assert text[0].endswith(" alfa-0.2")


@pytest.mark.parametrize("width", range(40, 70))
def test_short_ids_are_whole_and_their_heading_is_once_at_every_width(width: int) -> None:
    ids = [f"clip_{number:03}" for number in range(29)]
    kinds = [["large vehicle"], ["pedestrian"]] * 15
    found = asked_of(
        {"object": kinds, "behaviour": [["traveling in same direction"], ["parked"], [], []] * 7
         + [[], []]},
        clips=ids,
    )  # fmt: skip
    header, *rows = draw(ShownAnswer(score_answer(found, {}, ALFA)), width)

    assert all(clip in line for line, clip in zip(rows, ids, strict=True))
    assert header.split() == ["#", "sim", "lacks", "clip"]


@pytest.mark.parametrize(
    ("room", "shares"), [(60, (24, 24)), (46, (24, 22)), (37, (23, 14)), (28, (14, 14))]
)
def test_ids_keep_what_tells_them_apart_and_lose_first_what_all_have(
    room: int, shares: tuple[int, int]
) -> None:
    ids = IdShape.of(CLIPS)

    assert ids == IdShape(longest=24, prefix="urban_", suffix="", tail=5, least=14)
    assert share_room(room, 24, ids) == shares
    assert ids.shorten("urban_small_vehicle_0036", 20) == "…small_vehicle_0036"


def test_ids_that_differ_in_their_middle_keep_more_of_it() -> None:
    ids = [f"{city}_at_night_{'x' * 20}_0001" for city in ("boston", "boston_harbour", "bern")]

    shape = IdShape.of([*ids, "boston_and_more_0001"])

    assert shape.suffix == "_0001" and shape.least == 18
    assert len({shape.shorten(one, shape.least) for one in ids}) == 3


NUMBERS = st.lists(st.integers(0, 10**6), min_size=7, max_size=7, unique=True)
IDS = st.one_of(
    NUMBERS.map(lambda some: [f"clip_{number:07}" for number in some]),
    NUMBERS.map(lambda some: [str(number) for number in some]),
    NUMBERS.map(lambda some: [f"2024_10_03_drive_{number}_front_camera.mp4" for number in some]),
    NUMBERS.map(lambda some: [f"{Random(number).getrandbits(128):032x}" for number in some]),
    NUMBERS.map(lambda some: [f"右折車両_夜間の交差点_{number}" for number in some]),
    NUMBERS.map(lambda some: [f"{number}の右折車両の夜間の交差点" for number in some]),
    NUMBERS.map(lambda some: [f"{number:07}" + "-long" * 30 for number in some]),
    st.lists(st.from_regex("[a-fé0-9][a-fé0-9_-]{0,12}", fullmatch=True), min_size=7, max_size=7,
             unique=True),
)  # fmt: skip
"""As people call their clips; the query is one more, and has none of it."""

WORDS = st.sampled_from(
    ["car", "pedestrian", "large vehicle", CROSSING, "traveling in opposite direction", "歩行者"]
)


@given(IDS, st.lists(WORDS, min_size=2, max_size=3, unique=True), st.integers(60, 200), st.data())
def test_nothing_is_cut_while_its_row_has_blanks_for_it(
    ids: list[str], words: list[str], width: int, data: Any
) -> None:
    own = st.lists(st.sampled_from([[word] for word in words]), min_size=7, max_size=7)
    groups = {f"g{number}": [[word], *data.draw(own)] for number, word in enumerate(words)}
    said = data.draw(st.sampled_from([{}, {ids[0]: Judgement("bias")}]))
    shown = ShownAnswer(score_answer(asked_of(groups, clips=ids), said, ALFA))
    if data.draw(st.booleans()):
        shown = in_another_model(shown, *data.draw(st.permutations(range(1, 8))))
    rows = ResultRows(shown, UNICODE, lambda: width)

    painted = []
    for line, row, clip in zip(draw_rows(rows, width)[1:], range(7), ids, strict=True):
        cells = cell_texts(rows.cells(row))
        _, why, rest = line.partition(cells[2])
        assert why, f"{cells[2]} is not whole in {line}"
        painted.append(rest.split()[0])
        taken = cell_len("".join([*cells[:3], painted[-1], *cells[4:]]))
        blanks = width - GUTTER - COLUMN_GAP * (len(cells) - 1) - taken
        assert painted[-1] == clip or cell_len(clip) - cell_len(painted[-1]) > blanks
        said, whole = cells[2].partition(" ")[2].lstrip(), write_whole(shown, row)
        assert said == whole or cell_len(whole) - cell_len(said) > blanks
    assert len(set(painted)) == len(ids)


def write_whole(shown: ShownAnswer, place: int) -> str:
    """All that a result lacks, or that it was missed."""
    found = shown.inspection
    lacks = found.lacks(found.keywords, [place])[0]
    names = [f"−{keyword.name}" for keyword in np.array(found.keywords, object)[lacks]]
    return " ".join(names) or ("missed" if place >= shown.k else "")


def test_signs_in_ascii_say_the_same() -> None:
    text = draw(in_another_model(answer(), 8, 1), 90, ASCII)

    assert "~  -pedestrian" in text[1] and f"-  -pedestrian -{CROSSING}" in text[6]
    assert "+  missed" in text[7] and "#8 v good" in text[1] and "#1 ^ good" in text[2]
    assert all(line == draw_in_ascii(line) for line in text)


def test_items_say_which_label_they_have() -> None:
    found = asked_of({"scene": [["kitchen"], ["kitchen"], ["bathroom"]]}, clips=["a_1", "a_2"])
    shown = ShownAnswer(score_answer(found, {}, ALFA), nouns=OF_ITEMS)

    head, hit, miss = draw(shown, 64)

    assert "label" in head and "✅ kitchen" in hit and "❌ bathroom" in miss
    assert "−" not in miss


@pytest.mark.parametrize(
    ("said", "cell"),
    [
        (Judgement("bias", "hub"), "⚑ "),
        (Judgement(note="car"), "✎"),
        (Judgement("relevant", note="car"), "✓✎"),
    ],
)
def test_a_mark_and_a_note_are_both_seen(said: Judgement, cell: str) -> None:
    rows = ResultRows(answer({CLIPS[0]: said}), UNICODE)

    assert rows.cells(0)[4] == (cell, "mark")


@given(
    st.lists(st.text("abcdeé 日", min_size=1, max_size=12).map(str.strip).filter(bool), min_size=1,
             max_size=6, unique=True),
    st.data(),
)  # fmt: skip
def test_shortened_words_fit_and_cannot_be_taken_for_another(names: list[str], data: Any) -> None:
    words = LackingWords(names, "−")
    lacking = sorted(data.draw(st.sets(st.integers(0, len(names) - 1), min_size=1)))
    width = data.draw(st.integers(8, 60))

    text = words.write(lacking, width)

    assert cell_len(text) <= width
    said = [word.strip() for word in text.split("−")[1:]]
    if " more" not in text and " of " not in text:
        assert len(said) == len(lacking)
        for word, number in zip(said, lacking, strict=True):
            assert names[number].startswith(word)
            others = [name for name in names if name.startswith(word) and name != names[number]]
            assert not others or word == names[number]


# Ranks in another model


@pytest.mark.parametrize(
    ("other", "relevant", "kind", "verdict"),
    [
        (2, True, "hit", "good: a hit rose"),
        (9, True, "miss", "bad: a hit fell"),
        (9, False, "hit", "good: a miss fell"),
        (2, False, "miss", "bad: a miss rose"),
        (4, False, "dim", ""),
        (9, None, "", ""),
    ],
)
def test_a_change_is_coloured_by_good_or_bad_and_says_so(
    other: int, relevant: bool | None, kind: str, verdict: str
) -> None:
    change = RankChange(4, other, relevant)

    assert (change.kind, change.verdict) == (kind, verdict)
    assert change.sign(UNICODE) == ("=" if other == 4 else "▲" if other < 4 else "▼")


def test_the_list_colours_changes_so_and_has_the_word_where_there_is_room() -> None:
    shown = in_another_model(answer(), 8, 1, 9, 2)
    wide = ResultRows(shown, UNICODE, lambda: 100)
    narrow = ResultRows(shown, UNICODE, lambda: 54)

    assert [wide.cells(row)[5] for row in range(5)] == [
        ("#8 ▼ good", "hit"),
        ("#1 ▲ good", "hit"),
        ("#9 ▼ bad ", "miss"),
        ("#2 ▲ bad ", "miss"),
        ("–", "dim"),
    ]
    assert narrow.cells(0)[5] == ("#8 ▼", "hit")


# The line after K


def test_the_line_stands_after_rank_k_and_nowhere_if_nothing_is_below() -> None:
    assert answer().rule() == (5, "K = 5")
    assert ShownAnswer(score_answer(asked_of({"g": [["x"]] * 4}), {}, ALFA)).rule() is None


def test_with_a_filter_the_line_tells_what_is_listed_of_what_was_missed() -> None:
    found = asked_of({"g": [["x"]] * 8}, clips=CLIPS)
    missed = ShownAnswer(score_answer(found, {}, ALFA), missed=True)
    assert missed.rule() == (5, "K = 5 · 2 missed below")
    assert missed.keep(CLIPS[0]).rule() == (1, "K = 5 · 0 of 2 missed listed")
    assert missed.keep("urban").rule() == (5, "K = 5 · 2 of 2 missed listed")


def test_a_hidden_character_of_a_keyword_is_spelt_once() -> None:
    found = asked_of({"g": [["x\u202ey"], ["z"]]})
    rows = ResultRows(ShownAnswer(score_answer(found, {}, ALFA)), UNICODE, lambda: 80)
    said = rows.cells(0)[2]
    assert isinstance(said, tuple)
    assert escape(said[0]) == said[0]


@given(st.data())
def test_places_rows_and_lines_are_in_step_whatever_is_kept(data: Any) -> None:
    count = data.draw(st.integers(1, 30))
    words = data.draw(st.lists(st.sampled_from(["x", "y"]), min_size=count, max_size=count))
    found = asked_of({"g": [["x"], *([word] for word in words)]}, k=data.draw(st.integers(1, 8)))
    bits = data.draw(st.none() | st.lists(st.booleans(), min_size=count, max_size=count))
    kept = None if bits is None else np.array(bits)
    shown = ShownAnswer(score_answer(found, {}, ALFA), missed=data.draw(st.booleans()), kept=kept)
    rows = ResultRows(shown, UNICODE, lambda: 80)
    rule = shown.rule()
    lines = LineMap(len(rows), rule[0] if rule else None)

    wanted = [
        place
        for place in range(count)
        if (not shown.missed or place < shown.k or words[place] == "x")
        and (not bits or bits[place])
    ]
    assert rows.places.tolist() == wanted
    on_lines = [lines.row_at(line) for line in range(lines.count)]
    assert [int(rows.places[row]) for row in on_lines if row is not None] == wanted
    for row, place in enumerate(wanted):
        assert rows.find_row(found.clip(place)) == row
        assert rule is None or (lines.line_of(row) < rule[0]) == (place < shown.k)


# Filtered


def test_the_title_says_how_many_are_listed_and_the_filter_ends_with_the_query() -> None:
    shown = answer().keep("-pedestrian")

    assert shown.title == "Results ── 2 of 5 hits, 4 of 7 listed"
    assert [shown.inspection.clip(int(place)) for place in shown.places] == [
        CLIPS[0], CLIPS[3], CLIPS[4], CLIPS[5],
    ]  # fmt: skip
    assert shown.filter_for(shown.inspection) == "-pedestrian"
    another = replace(shown.inspection.question, query=CLIPS[1])
    assert shown.filter_for(replace(shown.inspection, question=another)) == ""
    assert shown.keep("").places.tolist() == list(range(7))
