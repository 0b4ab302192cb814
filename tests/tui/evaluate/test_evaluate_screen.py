"""The Evaluate screen, driven by keys alone over the shipped sample and the real engine."""

from __future__ import annotations

import asyncio
import csv
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.reactive import var
from textual.screen import Screen
from textual.widgets import Input, Static

import sample_data
from engine.base.arrays import Ints
from engine.base.choices import Mode
from engine.base.errors import InputError
from engine.base.progress import ProgressHook, Step
from engine.dataset.settings_file import open_dataset
from engine.keywords.evaluated_run import EvaluatedRun
from engine.keywords.instead import Absence
from engine.keywords.query_table import QueryTable
from engine.keywords.run import RunRequest, run_request
from engine.keywords.workbench import Workbench
from engine.sessions import TableView
from engine.text.encoder import SentenceEncoder
from engine.text.opening import open_encoder
from tests.tui.piloted import LIMIT
from tui.evaluate.screen import EvaluateScreen
from tui.look.glyphs import ASCII, UNICODE, Glyphs
from tui.look.themes import VARIABLE_DEFAULTS, register
from tui.widgets.line_table import LineTable
from tui.work.lanes import LaneGroup
from tui.work.scope import Scope

GROUPS = ("object_type", "actor_behavior")


class Home(Screen[None]):
    """Stands for Inspect."""


class Host(App[None]):
    """An app that can evaluate the sample, and writes down what it is asked for."""

    saving = var("")
    recorder = None

    def __init__(self, encoder: SentenceEncoder | None, glyphs: Glyphs = UNICODE) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.dataset = open_dataset(sample_data.folder())
        self.encoder = encoder
        self.groups: tuple[str, ...] = GROUPS
        self.failure: Exception | None = None
        self.hold: threading.Event | None = None
        self.opened: list[tuple[Mode, str, tuple[str, ...]]] = []
        self.evaluate_screen = EvaluateScreen()
        self.lanes = LaneGroup(self.call_later)

    def show_error(self, error: Exception) -> None:
        raise error

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return VARIABLE_DEFAULTS

    def on_mount(self) -> None:
        register(self)
        self.install_screen(self.evaluate_screen, "evaluate")
        self.push_screen(Home())
        self.push_screen("evaluate")

    @property
    def evaluation_scope(self) -> Scope:
        return Scope(self.dataset.model(None).name, tuple(self.groups))

    @property
    def dataset_name(self) -> str:
        return self.dataset.name

    def find_loading(self, *models: str) -> None:
        """Nothing loads."""

    def takes_texts(self, *models: str) -> bool:
        return True

    def query_count(self, mode: Mode) -> int | None:
        return 61 if mode == "text" else None

    def open_query(self, mode: Mode, query: str, keywords: tuple[str, ...]) -> None:
        self.opened.append((mode, query, keywords))
        if self.screen is self.evaluate_screen:
            self.pop_screen()

    def remember_table(self, table: TableView) -> None:
        self.table = table

    def show_inspect(self) -> None:
        self.pop_screen()

    @property
    def services(self) -> Host:
        """Stands for the services, too, and for the part of them that evaluates."""
        return self

    evaluations = services

    def recall(self, *_: object) -> None:
        """Nothing was kept."""

    def instead(
        self,
        evaluated: EvaluatedRun,
        rows: Ints,
        on_done: Callable[[tuple[Absence, ...]], None],
        on_failed: Callable[[Exception], None],
    ) -> None:
        on_done(evaluated.find_absences(rows))

    def evaluate(
        self,
        mode: Mode,
        scope: Scope,
        on_progress: ProgressHook,
        on_done: Callable[[EvaluatedRun], None],
        on_failed: Callable[[Exception], None],
        kept: bool = False,
    ) -> Callable[[], None]:
        cancelled = threading.Event()
        groups, hold = scope.groups, self.hold

        def report(step: Step) -> None:
            if cancelled.is_set():
                raise InterruptedError
            self.call_from_thread(on_progress, step)
            if hold is not None:
                hold.wait(LIMIT)

        def work() -> None:
            try:
                if self.failure is not None:
                    raise self.failure
                request = RunRequest(modes=mode, groups=groups)
                encoder = self.encoder or open_encoder()
                run = run_request(request, Workbench(self.dataset, encoder), report)
                self.call_from_thread(on_done, EvaluatedRun.of(run))
            except InterruptedError:
                return
            except Exception as error:
                self.call_from_thread(on_failed, error)

        self.run_worker(work, thread=True)

        def cancel() -> None:
            cancelled.set()
            if hold is not None:
                hold.set()

        return cancel


Flow = Callable[[Host, Pilot[None]], Awaitable[None]]


def drive(flow: Flow, host: Host, size: tuple[int, int] = (120, 40)) -> None:
    async def run() -> None:
        async with host.run_test(size=size) as pilot:
            await pilot.pause()
            await flow(host, pilot)

    asyncio.run(run())


async def evaluated(host: Host, pilot: Pilot[None], *keys: str) -> None:
    """Press keys, the last of which runs the query set, and wait for the table."""
    await pilot.press(*(keys or ("r",)))
    await host.workers.wait_for_complete()
    await pilot.pause()


async def typed(pilot: Pilot[None], text: str) -> None:
    names = {" ": "space", "@": "at", "<": "less_than_sign", ":": "colon", "=": "equals_sign"}
    names |= {"-": "minus", '"': "quotation_mark", "_": "underscore", ">": "greater_than_sign"}
    await pilot.press(*(names.get(letter, letter) for letter in text))
    await pilot.pause()


def table_of(host: Host) -> LineTable:
    return host.evaluate_screen.query_one("#queries", LineTable)


def lines(host: Host) -> list[str]:
    """The rows of the table as they stand on the screen, with its header."""
    table = table_of(host)
    return [table.render_line(y).text for y in range(table.size.height)]


def text_of(host: Host, part: str) -> str:
    return str(host.evaluate_screen.query_one(part, Static).content)


def query_under_cursor(host: Host) -> str:
    source, table = table_of(host).source, table_of(host)
    assert source is not None
    return str(source.cells(table.cursor)[0])


def test_before_a_run_it_says_which_key_runs_what() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        assert "r runs 61 text queries" in "\n".join(lines(host))
        await pilot.press("t")
        assert "r runs the whole set of video queries" in "\n".join(lines(host))
        assert "video queries" in text_of(host, "#title")

    drive(flow, Host(None), (80, 24))


@pytest.mark.slow
def test_a_text_run_lists_the_worst_first_with_means_and_who_was_left_out(
    encoder: SentenceEncoder,
) -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        await evaluated(host, pilot)
        table = host.evaluate_screen.table
        assert table is not None
        assert "52 text queries · worst first by Recall@5" in text_of(host, "#title")
        mean = table.scores.mean(table.main)
        said = text_of(host, "#summary")
        assert f"Recall@5 {mean:.3f} = hits@5 / 5 · chance 0.083" in said
        assert "n = 52 · left out: 9 without a keyword" in said
        assert table_of(host).cursor == 0
        worst = table.order()[0]
        assert lines(host)[1][1:].startswith(table.names[worst][:20])
        assert "Recall@5▲" in lines(host)[0]
        assert "NDCG@5" not in lines(host)[0]  # it would cut the keywords

    drive(flow, Host(encoder))


def test_further_measures_join_where_they_cut_no_query_and_hardly_a_keyword() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        await evaluated(host, pilot, "t", "r")
        table = host.evaluate_screen.table
        assert table is not None
        shown = [*zip(table.order().tolist(), lines(host)[1:], strict=False)]
        assert all(table.names[row] in line for row, line in shown)
        cut = [row for row, line in shown if table.join_keywords(row) not in line]
        assert len(cut) <= len(shown) / 5
        assert "NDCG@5" in lines(host)[0]
        assert "MRR@5" in lines(host)[0]

    drive(flow, Host(None), (159, 40))


def test_clips_without_a_relevant_clip_are_listed_last_and_left_out_of_the_mean() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        await evaluated(host, pilot, "t", "r")
        table = host.evaluate_screen.table
        assert table is not None
        assert table.scores.skipped == 13
        assert "n = 271 · left out: 13 without a relevant clip (–)" in text_of(host, "#summary")
        await pilot.press("G")
        assert " – " in lines(host)[-1]

    drive(flow, Host(None), (80, 24))


async def video_table(host: Host, pilot: Pilot[None]) -> QueryTable:
    await evaluated(host, pilot, "t", "r")
    table = host.evaluate_screen.table
    assert table is not None
    return table


def test_the_cursor_stays_on_its_query_through_sort_filter_and_another_run() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        await video_table(host, pilot)
        await pilot.press("ctrl+d", "ctrl+d", "j")
        query = query_under_cursor(host)
        for key in ("s", "S", "s", "s", "S"):
            await pilot.press(key)
            await pilot.pause()
            assert query_under_cursor(host) == query
        await pilot.press("slash")
        await typed(pilot, query.split("_")[0])
        assert query_under_cursor(host) == query
        await pilot.press("enter", "escape")
        assert query_under_cursor(host) == query
        await evaluated(host, pilot)
        assert query_under_cursor(host) == query

    drive(flow, Host(None), (80, 24))


def test_a_filter_that_hides_the_query_gives_it_back_when_it_is_cleared() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        await video_table(host, pilot)
        await pilot.press("ctrl+d")
        query = query_under_cursor(host)
        await pilot.press("slash")
        await typed(pilot, f"-{query}")
        await pilot.press("enter")
        assert query_under_cursor(host) != query
        await pilot.press("escape")
        await pilot.pause()
        assert query_under_cursor(host) == query

    drive(flow, Host(None))


def test_sorting_goes_through_the_columns_and_turns_around() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        table = await video_table(host, pilot)
        await pilot.press("S")
        assert "best first by Recall@5" in text_of(host, "#title")
        assert "▼" in lines(host)[0]
        shown = host.evaluate_screen.listed
        assert shown is not None
        keys = shown.keys[:-1]
        seen = []
        for _ in keys:
            await pilot.press("s")
            seen.append(host.evaluate_screen.listing.sort.key)
        here = keys.index(table.main)
        assert seen == [*keys[here + 1 :], *keys[: here + 1]]
        while host.evaluate_screen.listing.sort.key != "query":
            await pilot.press("s")
        assert "by query, A to Z" in text_of(host, "#title")
        await pilot.press("g")
        assert query_under_cursor(host) == min(table.names, key=str.casefold)
        await pilot.click("#queries", offset=(2, 0))
        assert "by query, Z to A" in text_of(host, "#title")

    drive(flow, Host(None))


def test_the_filter_works_as_it_is_typed_and_the_count_is_honest() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        table = await video_table(host, pilot)
        await pilot.press("slash")
        await typed(pilot, "kw:bicyclist Recall@5<0.4")
        expected = int(table.matching(table.parse("kw:bicyclist Recall@5<0.4")).sum())
        assert 0 < expected < len(table)
        assert f"{expected} of {len(table)} video queries" in text_of(host, "#title")
        assert len(host.evaluate_screen.listing.rows) == expected
        assert "of all 284: Recall@1 0." in text_of(host, "#summary")
        await pilot.press("enter")
        assert table_of(host).has_focus
        await pilot.press("escape")
        assert text_of(host, "#title").endswith("284 video queries · worst first by Recall@5")

    drive(flow, Host(None))


def test_a_filter_with_a_mistake_says_so_in_place_and_keeps_what_it_understood() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        table = await video_table(host, pilot)
        await pilot.press("slash")
        await typed(pilot, "R>=10 kw:bicylist")
        assert 'did you mean "bicyclist"?' in text_of(host, "#filter-note")
        assert len(host.evaluate_screen.listing.rows) == int((table.relevant >= 10).sum())
        await pilot.press("enter")
        assert host.evaluate_screen.query_one(Input).has_focus
        await pilot.press("escape")
        assert table_of(host).has_focus
        assert len(host.evaluate_screen.listing.rows) == len(table)
        assert not host.evaluate_screen.query_one("#filter-note").display

    drive(flow, Host(None), (80, 24))


def test_a_filter_that_nothing_matches_says_how_to_get_out() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        await video_table(host, pilot)
        await pilot.press("slash")
        await typed(pilot, "[b]zzz")
        await pilot.press("enter", "enter", "n", "down")
        shown = "\n".join(lines(host))
        assert "No query matches [b]zzz." in shown
        assert "esc clears it" in shown
        assert "0 of 284 video queries" in text_of(host, "#title")
        assert host.opened == []
        await pilot.press("F")
        await pilot.press("enter", "escape", "escape")
        assert "284 video queries" in text_of(host, "#title")

    drive(flow, Host(None), (80, 24))


@pytest.mark.parametrize("size", [(80, 24), (160, 40)])
def test_the_count_by_keyword_dives_and_escape_comes_back(size: tuple[int, int]) -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        table = await video_table(host, pilot)
        await pilot.press("F")
        await pilot.pause()
        counts = host.evaluate_screen.frequency
        assert counts.has_focus
        assert "Keywords of 284 video queries" in text_of(host, "#title")
        assert table_of(host).display == (size[0] > 100)
        await pilot.press("down")
        keyword = counts.subject
        assert keyword is not None
        await pilot.press("enter")
        await pilot.pause()
        assert not counts.display
        rows = host.evaluate_screen.listing.rows
        assert all(keyword in table.keywords(row) for row in rows)
        assert f"{len(rows)} of 284 video queries" in text_of(host, "#title")
        await pilot.press("escape")
        await pilot.pause()
        assert counts.has_focus
        assert counts.subject == keyword
        assert len(host.evaluate_screen.listing.rows) == 284
        await pilot.press("escape")
        assert table_of(host).has_focus

    drive(flow, Host(None), size)


def test_enter_opens_the_query_and_coming_back_finds_everything_as_it_was() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        table = await video_table(host, pilot)
        await pilot.press("slash")
        await typed(pilot, "R>=2")
        await pilot.press("enter", "S", "pagedown", "pagedown", "k", "k")
        await pilot.pause()
        before = lines(host)
        row = host.evaluate_screen.row
        assert row is not None
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(host.screen, Home)
        keywords = tuple(map(str, table.keywords(row)))
        assert host.opened == [("video", table.names[row], keywords)]
        host.push_screen("evaluate")
        await pilot.pause()
        assert lines(host) == before
        assert table_of(host).has_focus

    drive(flow, Host(None), (80, 24))


def test_inspect_can_step_through_the_table() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        table = await video_table(host, pilot)
        order = table.order()
        assert not host.evaluate_screen.open_neighbour(-1)
        assert not host.opened
        for place in (1, 2):
            assert host.evaluate_screen.open_neighbour(1)
            assert host.opened[-1][:2] == ("video", table.names[order[place]])
        host.push_screen("evaluate")
        await pilot.pause()
        await pilot.press("enter")
        assert host.opened[2][1] == table.names[order[2]]

    drive(flow, Host(None))


def test_n_goes_to_the_next_query_without_a_full_score() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        table = await video_table(host, pilot)
        imperfect = table.imperfect(table.main)
        await pilot.press("S")  # best first: full scores, then the others
        await pilot.press("g", "n")
        await pilot.pause()
        first = table_of(host).cursor
        rows = host.evaluate_screen.listing.rows
        assert first > 1
        assert imperfect[rows[first]]
        assert not imperfect[rows[:first]].any()
        await pilot.press("n", "N", "N")
        assert table_of(host).cursor == first
        assert len(host._notifications) == 1

    drive(flow, Host(None))


def test_escape_cancels_at_once_and_leaves_the_earlier_table() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        await video_table(host, pilot)
        before = lines(host)
        host.hold = threading.Event()
        await pilot.press("r")
        while "of 284 queries" not in text_of(host, "#summary"):
            await pilot.pause()
        assert "esc cancels" in text_of(host, "#summary")
        await pilot.press("t")  # does nothing while a run is under way
        assert host.evaluate_screen.mode == "video"
        await pilot.press("escape")
        assert "n = 271" in text_of(host, "#summary")
        await host.workers.wait_for_complete()
        await pilot.pause()
        assert lines(host) == before
        assert host.screen is host.evaluate_screen

    drive(flow, Host(None))


def test_a_cancelled_run_that_ends_all_the_same_is_not_listened_to() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        late: list[Callable[[QueryTable], None]] = []
        table = await video_table(host, pilot)
        host.evaluate = (  # type: ignore[method-assign]
            lambda mode, scope, on_progress, on_done, on_failed, kept=False: (
                late.append(on_done) or (lambda: None)
            )
        )
        await pilot.press("r", "escape")
        other = QueryTable.__new__(QueryTable)
        late[0](other)
        assert host.evaluate_screen.table is table

    drive(flow, Host(None))


def test_an_error_is_shown_in_place_with_its_remedy() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        host.failure = InputError("the file [b]x.npy is empty", hint="write it again")
        await evaluated(host, pilot)
        shown = "\n".join(lines(host))
        assert "the file [b]x.npy is empty." in shown
        assert "Write it again." in shown
        assert "r runs it again." in shown
        host.failure = None
        await evaluated(host, pilot, "t", "r")
        assert "284 video queries" in text_of(host, "#title")
        host.failure = RuntimeError("boom")
        await evaluated(host, pilot)
        assert "RuntimeError: boom" in text_of(host, "#summary")
        assert len(host.evaluate_screen.listing.rows) == 284

    drive(flow, Host(None), (80, 24))


@pytest.mark.slow
def test_when_every_query_is_left_out_it_says_which_groups_to_choose(
    encoder: SentenceEncoder, tmp_path: Path
) -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        queries = tmp_path / "queries.csv"
        queries.write_text("query,keywords\nat night,nighttime\n", encoding="utf-8")
        host.dataset = replace(host.dataset, queries_file=queries)
        await evaluated(host, pilot)
        shown = " ".join(" ".join(lines(host)).split())
        assert "none has a keyword of the chosen groups" in shown
        assert "Choose other groups or keywords." in shown

    drive(flow, Host(encoder), (80, 24))


def test_other_settings_than_the_tables_are_said() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        await video_table(host, pilot)
        host.groups = ("object_type",)
        host.evaluate_screen.scope_changed()
        title = text_of(host, "#title")
        assert "object type, actor behavior" in title
        assert "r runs it again" in title
        await evaluated(host, pilot)
        assert "r runs it again" not in text_of(host, "#title")

    drive(flow, Host(None))


def test_the_rows_shown_are_written_to_a_new_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def flow(host: Host, pilot: Pilot[None]) -> None:
        table = await video_table(host, pilot)
        await pilot.press("slash")
        await typed(pilot, "kw:bicyclist")
        await pilot.press("enter", "w", "w")
        host.lanes.writing.settle()
        await pilot.pause()
        names = sorted(path.name for path in tmp_path.iterdir())
        assert names == ["evaluate-video-alfa-0.1-2.csv", "evaluate-video-alfa-0.1.csv"]
        assert any("evaluate-video-alfa-0.1-2.csv" in n.message for n in host._notifications)
        with (tmp_path / names[1]).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        shown = host.evaluate_screen.listing.rows
        assert [row["query"] for row in rows] == [table.names[number] for number in shown]
        values = np.array([float(row["P@5"] or "nan") for row in rows])
        assert np.array_equal(values, table.scores.column(table.main)[shown], equal_nan=True)

    drive(flow, Host(None))


def test_plain_ascii_has_no_other_sign() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        await video_table(host, pilot)
        assert "".join(lines(host)).isascii()
        assert text_of(host, "#summary").replace("≤", "").isascii()
        await pilot.press("F")
        await pilot.pause()
        counts = host.evaluate_screen.frequency
        assert all(counts.render_line(y).text.isascii() for y in range(counts.size.height))

    drive(flow, Host(None, ASCII), (80, 24))


def test_escape_with_nothing_left_to_undo_goes_to_inspect() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(host.screen, Home)

    drive(flow, Host(None))
