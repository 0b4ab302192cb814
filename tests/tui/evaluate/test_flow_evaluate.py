"""Evaluate inside the inspector: the worst first, dive into a query, come back to its row."""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path

import pytest
from textual.widgets import Static

from engine.base.choices import Mode
from engine.base.progress import ProgressHook, Step
from engine.keywords.query_table import QueryTable
from engine.keywords.run import RunRequest, run_request
from engine.results.read_results import read_results
from engine.text.encoder import SentenceEncoder
from tests.tui.inspect.test_flow_inspect import find_wrong_reasons
from tests.tui.inspector import GROUPS, Inspector, answer, inspect, workbench
from tests.tui.piloted import LIMIT
from tui.look.nouns import spell_group
from tui.widgets.line_table import LineTable
from tui.widgets.plot_pane import PlotPane


@cache
def table(encoder: SentenceEncoder, mode: Mode, model: str = "alfa-0.1") -> QueryTable:
    """The evaluation as the engine gives it."""
    request = RunRequest(modes=mode, groups=GROUPS, model=model)
    run = run_request(request, workbench(encoder))
    return QueryTable.of(run.evaluations[0], run.collection, run.profile)


def names_in_order(wanted: QueryTable) -> list[str]:
    return [wanted.names[row] for row in wanted.order()]


def queries(see: Inspector) -> LineTable:
    return see.app.evaluate_screen.query_one("#queries", LineTable)


def shown(see: Inspector) -> list[str]:
    return [row[0] for row in see.rows(queries(see))]


async def evaluated(see: Inspector, mode: Mode = "video") -> None:
    """2, r: the table is there afterwards."""
    await see.press("2")
    if mode == "video":
        await see.press("t")
    await see.press("r")
    await see.until(lambda: queries(see).source is not None, "the table")


@pytest.mark.slow
def test_the_text_queries_are_listed_worst_first_and_one_opens_with_its_keywords(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    wanted = table(encoder, "text")
    order = wanted.order()

    async def flow(see: Inspector) -> None:
        await see.press("2")
        assert "Nothing is evaluated yet." in see.screen_text
        assert "r runs the whole set of text queries" in " ".join(see.screen_text.split())
        await see.press("r")
        await see.until(lambda: queries(see).source is not None, "the table")
        assert shown(see) == names_in_order(wanted)
        values = [wanted.scores.values[row][wanted.measures.index(wanted.main)] for row in order]
        defined = [value for value in values if value == value]
        assert defined == sorted(defined)
        await see.press("j", "j", "enter")
        name, keywords = wanted.names[order[2]], tuple(map(str, wanted.keywords(int(order[2]))))
        assert see.app.screen is see.home
        await see.answered(name)
        assert see.inspection is not None
        assert tuple(map(str, see.inspection.keywords)) == keywords
        expected = answer(encoder, name, keywords=keywords)
        assert find_wrong_reasons(see.rows(), expected) == []

    inspect(flow, tmp_path, encoder)


def test_escape_returns_to_the_row_it_came_from_and_brackets_step_to_the_neighbours(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    names = names_in_order(table(encoder, "video"))

    async def flow(see: Inspector) -> None:
        await evaluated(see)
        assert shown(see) == names
        await see.press("j", "j", "j", "enter")
        await see.answered(names[3])
        await see.press("escape")
        assert see.app.screen is see.app.evaluate_screen
        assert queries(see).cursor == 3
        await see.press("enter")
        await see.answered(names[3])
        await see.press("right_square_bracket")
        await see.answered(names[4])
        await see.press("left_square_bracket")
        await see.answered(names[3])
        await see.press("left_square_bracket")
        await see.answered(names[2])
        await see.press("d", "escape", "escape")  # out of the missed clips first
        assert see.app.screen is see.app.evaluate_screen
        assert queries(see).cursor == 2
        assert see.session().history("video") == (names[4], names[3], names[2])

    inspect(flow, tmp_path, encoder)


def test_at_the_end_of_the_table_a_bracket_stays_where_it_is(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    names = names_in_order(table(encoder, "video"))

    async def flow(see: Inspector) -> None:
        await evaluated(see)
        await see.press("enter")
        await see.answered(names[0])
        await see.press("left_square_bracket")
        await see.answered(names[0])
        assert see.home.dived

    inspect(flow, tmp_path, encoder)


def test_a_filter_keeps_the_queries_that_match_and_escape_clears_it(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    wanted = table(encoder, "video")
    bollards = [
        wanted.names[row]
        for row in wanted.order()
        if "object_type:bollard" in map(str, wanted.keywords(int(row)))
    ]
    assert 0 < len(bollards) < len(wanted)

    async def flow(see: Inspector) -> None:
        await evaluated(see)
        await see.press("slash")
        await see.type("kw:bollard")
        await see.press("enter")
        assert shown(see) == bollards
        assert f"{len(bollards)} of {len(wanted)}" in see.screen_text
        await see.press("j", "enter")
        await see.answered(bollards[1])
        await see.press("escape")
        assert shown(see) == bollards
        assert queries(see).cursor == 1
        await see.press("escape")
        assert len(shown(see)) == len(wanted)
        assert shown(see)[queries(see).cursor] == bollards[1]  # the cursor stays on its query
        await see.press("slash")
        await see.type("zzz")
        await see.press("enter")
        assert "No query matches zzz." in see.screen_text
        assert "esc clears it" in see.screen_text
        await see.press("enter")  # opens nothing
        assert see.app.screen is see.app.evaluate_screen
        await see.press("escape", "escape")
        assert see.app.screen is see.home

    inspect(flow, tmp_path, encoder)


def test_the_count_by_keyword_is_dived_into_and_left_again(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    wanted = table(encoder, "video")
    counts = wanted.frequency(wanted.order())

    async def flow(see: Inspector) -> None:
        await evaluated(see)
        await see.press("F")
        frequency = see.app.evaluate_screen.frequency
        assert [row[:3] for row in see.rows(frequency)] == [
            [count.keyword.name, spell_group(count.keyword.group), str(count.queries)]
            for count in counts
        ]
        await see.press("j", "enter")
        word = counts[1].keyword
        assert len(shown(see)) == counts[1].queries
        assert str(word) in see.screen_text
        await see.press("escape")
        assert frequency.has_focus
        assert frequency.subject == word
        await see.press("escape", "escape")
        assert see.app.screen is see.home

    inspect(flow, tmp_path, encoder)


def test_the_plots_show_the_means_by_k_and_are_left_by_escape(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    wanted = table(encoder, "video")

    async def flow(see: Inspector) -> None:
        await see.press("2", "t")
        assert "Plots" not in see.footer  # nothing to draw yet
        await see.press("r")
        await see.until(lambda: queries(see).source is not None, "the table")
        await see.press("P")
        await see.says("Similarity")
        drawn = see.app.evaluate_screen.query_one(PlotPane).text
        for label in ("Recall@1", "Recall@3", "Recall@5", "NDCG@5", "Precision@3"):
            measure = wanted.language.parse(label)
            name, _, k = label.partition("@")
            line = next(line for line in drawn.splitlines() if f" {name}@k" in line)
            assert line.split()[1 + int(k)] == f"{wanted.scores.mean(measure):.2f}"
        hits = int(sum(wanted.scores.counted(wanted.main)) * 5 + 0.5)
        assert f"\n{hits:,} " in drawn
        await see.press("F")  # the count takes their place
        assert see.focused == "frequency"
        await see.press("P")
        assert see.focused == "plots"
        await see.press("escape")
        assert see.focused == "queries"
        assert see.app.screen is see.app.evaluate_screen

    inspect(flow, tmp_path, encoder, size=(140, 40))


def test_a_run_is_cancelled_by_escape_and_what_it_finds_later_is_not_shown(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tui.work.evaluations

    real, hold, ended = tui.work.evaluations.evaluate_set, threading.Event(), threading.Event()

    def held(bench: object, mode: Mode, scope: object, report: ProgressHook) -> object:
        report(Step(mode, "evaluating", 7, 284))
        hold.wait(LIMIT)
        try:
            return real(bench, mode, scope, report)
        finally:
            ended.set()

    monkeypatch.setattr(tui.work.evaluations, "evaluate_set", held)

    async def flow(see: Inspector) -> None:
        await see.press("2", "t", "r")
        await see.says("7 of 284")
        assert "esc cancels" in see.screen_text
        assert "Run" not in see.footer  # one at a time
        await see.press("escape")
        assert "Nothing is evaluated yet." in see.screen_text
        assert see.footer["Run"] == "r"
        hold.set()
        await see.until(ended.is_set, "the thread ends")
        await see.pilot.pause()
        assert queries(see).source is None
        await see.press("r")  # and it can be run again
        await see.until(lambda: queries(see).source is not None, "the table")

    inspect(flow, tmp_path, encoder)


def test_after_another_model_or_group_is_chosen_the_table_says_that_it_is_old(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    other = table(encoder, "video", "alfa-0.2")

    async def flow(see: Inspector) -> None:
        await evaluated(see)
        assert "made with other settings" not in see.screen_text
        await see.press("m")
        await see.says("made with other settings: r runs it again")
        await see.press("r")
        await see.until(lambda: shown(see) == names_in_order(other), "the other model's table")
        title = str(see.app.evaluate_screen.query_one("#title", Static).content)
        assert "alfa-0.2" in title
        assert "made with other settings" not in title

    inspect(flow, tmp_path, encoder)


def test_w_writes_the_rows_that_are_shown(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def flow(see: Inspector) -> None:
        await evaluated(see)
        await see.press("slash")
        await see.type("kw:bollard")
        await see.press("enter", "w")
        file = tmp_path / "evaluate-video-alfa-0.1.csv"
        await see.until(lambda: file.exists() and file.read_text().endswith("\n"), "the file")
        lines = file.read_text().splitlines()
        assert len(lines) == 1 + len(shown(see))
        assert all(name in line for name, line in zip(shown(see), lines[1:], strict=True))
        assert [key.query for key in read_results(file).keys] == shown(see)

    inspect(flow, tmp_path, encoder)
