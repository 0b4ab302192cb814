"""The parts that screens with a table are made of, each on its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from textual.app import App, ComposeResult

from engine.base.errors import InputError
from engine.base.progress import Step
from engine.keywords.query_filter import Filter
from tui.look.glyphs import UNICODE
from tui.shell.filter_field import FilterField
from tui.shell.listing import RememberedRows
from tui.shell.work_line import Work, WorkLine
from tui.widgets.fitted_rows import FittedRows, Sort
from tui.widgets.line_layout import LineColumn
from tui.work.scope import Scope

EVERY = np.ones(5, bool)
FILE = np.arange(5)


def listed(current: int | None = None) -> RememberedRows[Any, str, Any]:
    return RememberedRows(current=current)


def test_the_cursor_stays_on_its_row_in_another_order() -> None:
    listing = listed(current=3)

    assert listing.arrange(FILE[::-1], EVERY) == 1
    assert listing.row_at(1) == 3


def test_a_filter_that_hides_the_row_does_not_make_the_first_one_the_users() -> None:
    listing = listed(current=3)
    place = listing.arrange(FILE, FILE < 2)
    listing.follow(place)

    assert (place, listing.current) == (0, 3)
    assert listing.arrange(FILE, EVERY) == 3


def test_a_row_that_one_goes_to_is_the_users() -> None:
    listing = listed(current=3)
    listing.arrange(FILE, FILE < 2)
    listing.follow(1)

    assert listing.arrange(FILE, EVERY) == 1


def test_no_row_is_under_a_cursor_beyond_the_rows() -> None:
    listing = listed()
    listing.arrange(FILE, FILE < 2)

    assert [listing.row_at(place) for place in (-1, 0, 1, 2)] == [None, 0, 1, None]


class Letters(FittedRows[str, str]):
    """One column for each letter that fits."""

    def _lay_out(self, width: int) -> Iterable[LineColumn]:
        self.keys = tuple(self.table[:width])
        return (LineColumn(self._title(key, key), 1) for key in self.keys)

    @staticmethod
    def first(key: str) -> Sort[str]:
        return Sort(key, descending=key == "c")


def letters(sort: Sort[str], width: Callable[[], int] = lambda: 3) -> Letters:
    return Letters("abcd", [0, 1], sort, UNICODE, width)


def test_columns_follow_the_width_of_the_line() -> None:
    width = 2
    rows = letters(Sort("a"), lambda: width)

    def titles() -> Sequence[str]:
        return [column.title for column in rows.columns]

    assert titles() == ["a▲", "b"]
    width = 3
    assert titles() == ["a▲", "b", "c"]


@pytest.mark.parametrize(("now", "then"), [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")])
def test_the_next_order_is_that_of_the_next_column_and_begins_again(now: str, then: str) -> None:
    assert letters(Sort(now)).next_sort() == Sort(then, descending=then == "c")


def test_a_title_sorts_by_its_column_and_turns_it_around_the_next_time() -> None:
    rows = letters(Sort("a"))

    assert rows.sort_by_column(2) == Sort("c", descending=True)
    assert rows.sort_by_column(0) == Sort("a", descending=True)
    assert rows.sort_by_column(3) is None


class Parts(App[None]):
    """A line of work and a filter's field, and what they said."""

    def __init__(self) -> None:
        super().__init__()
        self.line = WorkLine("evaluate.back", id="line")
        self.heard: list[object] = []
        self.field = FilterField(
            self.parse, lambda text, _: self.heard.append(text), lambda: self.heard.append("closed")
        )

    def compose(self) -> ComposeResult:
        yield self.line
        yield self.field

    @staticmethod
    def parse(text: str) -> Filter:
        if "bad" in text:
            raise InputError("bad cannot be read")
        return Filter()

    def on_work_line_next_part(self) -> None:
        assert self.line.work is not None
        self.heard.append(self.line.work.part)

    def begin(self, work: Work) -> tuple[Callable[..., None], ...]:
        """Begin it, and give what the work is to call."""
        given: list[Callable[..., None]] = []

        def start(*listeners: Callable[..., None]) -> Callable[[], None]:
            given.extend(listeners)
            return lambda: self.heard.append("cancelled")

        self.line.begin(work, start, self.heard.append, self.heard.append)
        return tuple(given)


def drive(flow: Callable[[Parts, Any], Any]) -> None:
    async def run() -> None:
        app = Parts()
        async with app.run_test(size=(80, 24)) as pilot:
            await flow(app, pilot)

    asyncio.run(run())


def some_work(*parts: str) -> Work:
    return Work(Scope("alfa", ("group",)), parts)


def test_work_says_how_far_it_is_and_hands_over_its_result() -> None:
    async def flow(app: Parts, pilot: Any) -> None:
        step, done, _ = app.begin(some_work())
        step(Step("text", "mapping", 30, 60))
        assert "30 of 60 texts mapped" in str(app.line.content)
        done("table")
        assert app.heard == ["table"]
        assert app.line.work is None

    drive(flow)


def test_cancelled_work_is_not_listened_to_any_more() -> None:
    async def flow(app: Parts, pilot: Any) -> None:
        step, done, failed = app.begin(some_work())
        app.line.cancel()
        step(Step("text", "mapping", 30, 60))
        done("table")
        failed(InputError("late"))
        assert app.heard == ["cancelled"]

    drive(flow)


def test_each_part_of_the_work_is_announced_and_goes_at_its_own_rate() -> None:
    async def flow(app: Parts, pilot: Any) -> None:
        work = some_work("alfa", "bravo")
        step, *_ = app.begin(work)
        for part, done in (("alfa", 10), ("alfa", 20), ("bravo", 0)):
            step(part, Step("text", "mapping", done, 20))
            await pilot.pause()
        assert (app.heard, work.pace.rate) == (["alfa", "bravo"], None)

    drive(flow)


def test_work_that_cannot_be_started_has_failed() -> None:
    async def flow(app: Parts, pilot: Any) -> None:
        error = InputError("no query set")

        def start(*listeners: object) -> Callable[[], None]:
            raise error

        app.line.begin(some_work(), start, app.heard.append, app.heard.append)
        assert (app.heard, app.line.work) == ([error], None)

    drive(flow)


def test_a_filter_is_used_as_it_is_typed_and_a_bad_end_is_left_out_and_said() -> None:
    async def flow(app: Parts, pilot: Any) -> None:
        app.field.open("", "help")
        await pilot.press("x", "space", "b", "a", "d")
        assert app.heard[-1] == "x"
        note = app.field.query_one("#filter-note")
        assert note.display
        await pilot.press("enter")
        assert app.field.is_open  # with what is wrong below it
        await pilot.press("backspace", "enter")
        assert (app.heard[-2:], note.display) == (["x ba", "closed"], False)

    drive(flow)


def test_a_filter_that_is_given_up_is_what_it_was() -> None:
    async def flow(app: Parts, pilot: Any) -> None:
        app.field.open("before", "help")
        await pilot.press("x")
        assert app.heard[-1] == "x"  # in place of what stood there, which End keeps
        app.field.give_up()
        assert app.heard[-2:] == ["before", "closed"]

    drive(flow)
