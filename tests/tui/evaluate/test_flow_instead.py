"""What is retrieved instead of a keyword: in the count by keyword, in Inspect, and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine.base.ranking import Ranking
from engine.dataset.ground_truth import GroundTruth
from engine.keywords.instead import Absence, find_absences
from engine.keywords.judge import judge
from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, Inspector, answer, inspect
from tui.cli.app import run_command_line
from tui.evaluate.keyword_table import draw_instead
from tui.inspect.metric_lines import describe_instead
from tui.look.glyphs import ASCII, UNICODE
from tui.look.instead_text import describe_absence, describe_best, format_stand_in, name_best
from tui.widgets.line_table import LineTable
from tui.work.evaluations import evaluate_set
from tui.work.scope import Scope


def absence_of(
    own: list[list[str]], asked: str, found: list[int], *, queries: int | None = None
) -> Absence:
    """`queries`: how many find these clips together; None: each clip is found by one of its own."""
    clips = [f"c{n}" for n in range(len(own))]
    truth = GroundTruth.from_columns(clips, {"g": own}, sources=clips)
    rows = np.array(found, np.int64).reshape(queries or len(found), -1)
    ranking = Ranking(rows, np.zeros_like(rows, np.float32))
    (absence,) = find_absences(
        truth, judge(ranking, truth, truth.query_bits([[asked]] * len(rows)))
    )
    return absence


OWN = [["q"]] * 20 + [["w"]] * 30 + [["v"]] * 150
MANY = absence_of(OWN, "q", [*range(20, 38), 60, 61])
FEW = absence_of([["q"]] * 20 + [["w"]] * 1 + [["v"]] * 150, "q", [20, 0])


def test_a_stand_in_is_its_share_and_its_lift() -> None:
    best = MANY.stand_ins[0]

    assert best in MANY.proven
    assert format_stand_in(MANY, best, UNICODE) == "90 % 5.4×"
    assert format_stand_in(MANY, MANY.stand_ins[1], UNICODE) == "10 % 0.1× ?"


def test_of_one_query_a_stand_in_is_in_doubt_and_without_an_interval() -> None:
    alone = absence_of(OWN, "q", [*range(20, 38), 60, 61], queries=1)

    assert format_stand_in(alone, alone.stand_ins[0], UNICODE) == "90 % 5.4× ?"
    assert describe_absence(alone, UNICODE, 200).endswith("→ w 90 % 5.4× ?, v 10 % 0.1× ?")


def test_from_one_clip_no_lift_is_shouted() -> None:
    assert FEW.stand_ins[0].lift == 151
    assert format_stand_in(FEW, FEW.stand_ins[0], UNICODE) == "1 of 1 few"
    assert describe_best(FEW, ASCII) == "q -> w 1 of 1 few"


def test_the_line_says_as_much_as_fits() -> None:
    short, wide = describe_absence(MANY, UNICODE, 20), describe_absence(MANY, UNICODE, 200)

    assert short.startswith("q: 20 of 20 results lack it → w 90 % 5.4× (95 % CI ")
    assert "v 10 %" not in short and ", v 10 % 0.1× ? (95 % CI" in wide


def test_a_result_without_any_keyword_of_the_group_is_said_so() -> None:
    bare = absence_of([["q"], [], []], "q", [1, 2])

    assert describe_best(bare, UNICODE) == "q → nothing of its group 2 of 2"
    assert describe_absence(bare, UNICODE, 80).endswith("→ nothing of its group 2 of 2")


def test_what_most_results_have_is_named_unless_something_else_is_proven() -> None:
    own = [["q"]] * 20 + [["w"]] * 10 + [["v"]] * 70 + [[]] * 100
    hardly = absence_of(own, "q", [20, 21, *range(100, 138)])
    proven = absence_of(own, "q", [*range(20, 30), *range(100, 115)])

    assert describe_best(hardly, UNICODE) == "q → nothing of its group 38 of 40"
    assert describe_best(proven, UNICODE) == "q → w 40 % 7.2×"


def test_the_column_makes_the_same_choice_as_the_line() -> None:
    """Also where no other keyword is among the results, and only the name is cut."""
    own = [["q"]] * 20 + [["w"]] * 10 + [["v"]] * 70 + [[]] * 100
    for found in ([20, 21, *range(100, 138)], [*range(100, 140)], [*range(20, 60)]):
        absence = absence_of(own, "q", found)

        assert describe_best(absence, UNICODE) == f"q → {draw_instead(absence, 48, UNICODE)[0]}"
    bare = absence_of(own, "q", [*range(100, 140)])
    assert draw_instead(bare, 26, UNICODE)[0] == "nothing of its g… 40 of 40"
    assert draw_instead(absence_of(own, "q", [0, 1]), 26, UNICODE)[0] == UNICODE.dash


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
def test_no_keyword_is_cut_in_the_count(
    tmp_path: Path, encoder: SentenceEncoder, size: tuple[int, int]
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("app.show_evaluate", "evaluate.toggle_mode", "evaluate.run")
        await see.says("mean of n")
        await see.do("evaluate.frequency")
        await see.says("Keywords of")
        rows = see.rows(see.app.evaluate_screen.frequency)
        longest = max((row[0] for row in rows), key=len)

        assert longest == "traveling in opposite direction"
        assert f" {longest} " in see.screen_text
        assert "object_type" not in see.screen_text
        assert ("actor behavior " in see.screen_text) == (size[0] > 80)

    inspect(flow, tmp_path, encoder, size=size)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
def test_the_count_by_keyword_says_what_is_retrieved_instead(
    tmp_path: Path, encoder: SentenceEncoder, size: tuple[int, int]
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("app.show_evaluate", "evaluate.toggle_mode", "evaluate.run")
        queries = see.app.evaluate_screen.query_one("#queries", LineTable)
        await see.until(lambda: queries.source is not None, "the table")
        await see.do("evaluate.frequency")
        await see.says("bicyclist 55 % 2.8×")
        result = see.app.evaluate_screen.listing.result
        assert result is not None
        known = {absence.keyword.name: absence for absence in result.find_absences()}
        for row in see.rows(see.app.evaluate_screen.frequency):
            absence = known[row[0]]
            _, numbers = name_best(absence, UNICODE)
            assert row[-1].endswith(numbers)
        first = see.app.evaluate_screen.frequency.subject.name
        await see.says(f"{first}: {known[first].results:,} of")
        await see.do("table.cursor_down")
        second = see.app.evaluate_screen.frequency.subject.name
        await see.says(f"{second}: {known[second].results:,} of")

    inspect(flow, tmp_path, encoder, size=size)


def test_a_filter_narrows_what_is_counted(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("app.show_evaluate", "evaluate.toggle_mode", "evaluate.run")
        queries = see.app.evaluate_screen.query_one("#queries", LineTable)
        await see.until(lambda: queries.source is not None, "the table")
        await see.do("evaluate.filter")
        await see.type("kw:bollard")
        await see.press("enter")
        await see.do("evaluate.frequency")
        await see.says("5 of 40 results lack it")

    inspect(flow, tmp_path, encoder)


def test_inspect_says_it_of_one_query(tmp_path: Path, encoder: SentenceEncoder) -> None:
    wanted = answer(encoder, CLIP, "video")
    lacking = [absence for absence in wanted.absences if absence.results]
    assert lacking and wanted.looked_at == 20

    async def flow(see: Inspector) -> None:
        await see.do("inspect.ask_clip")
        await see.type(CLIP)
        await see.press("enter")
        await see.answered(CLIP)
        assert "Instead, in the first 20: " in see.metrics
        assert describe_best(lacking[0], UNICODE) in see.metrics.replace("\n", " ")
        await see.do("inspect.all_metrics")
        await see.says("Retrieved instead, in the first 20")
        await see.says(f"{lacking[0].keyword.name}: {lacking[0].results} of 20 results lack it")

    inspect(flow, tmp_path, encoder)


def test_a_stand_in_is_not_torn_where_lines_are_short(encoder: SentenceEncoder) -> None:
    found = answer(encoder, "rural_bicyclist_0016", "video")
    said = [describe_best(absence, UNICODE) for absence in found.absences if absence.results]
    assert len(said) == 2

    def lines(width: int) -> list[str]:
        return [
            "".join(text for text, _ in line.spans)
            for line in describe_instead(found, UNICODE, width)
        ]

    head = "Instead, in the first 20: "
    assert lines(200) == [head + " · ".join(said)]
    assert lines(100) == [head + said[0], " " * len(head) + said[1]]


def test_on_a_low_screen_the_line_leaves_its_room_to_the_results(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("inspect.ask_clip")
        await see.type(CLIP)
        await see.press("enter")
        await see.answered(CLIP)
        assert "Instead" not in see.metrics

    inspect(flow, tmp_path, encoder, size=(80, 24))


def test_run_and_search_have_it_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    run_command_line(["run", "--mode", "video", "--json"])
    document = json.loads(capsys.readouterr().out)
    run_command_line(["search", "--video", CLIP, "--json"])
    searched = json.loads(capsys.readouterr().out)

    found = document["instead"]["video"]
    named = {one["keyword"]: one for one in found["keywords"]}
    best = named["object_type:motorcyclist"]["stand_ins"][0]
    assert (found["k"], best["keyword"]) == (5, "object_type:bicyclist")
    assert best["stands_in"] and best["low"] > 1 and best["p"] < 0.05
    assert best["lift"] == pytest.approx(best["share"] / best["base"])
    assert searched["instead"]["k"] == 20
    assert {one["keyword"] for one in searched["instead"]["keywords"]} == set(searched["keywords"])


def test_an_evaluation_looks_at_what_its_main_measure_looks_at(encoder: SentenceEncoder) -> None:
    from tests.tui.inspector import GROUPS, workbench

    evaluated = evaluate_set(
        workbench(encoder), "video", Scope("alfa-0.1", GROUPS), lambda step: None
    )

    assert evaluated.counted_k == 5
    assert sum(absence.retrieved for absence in evaluated.find_absences()) > 0
