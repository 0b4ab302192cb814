"""The evaluation table on the screen: the time to sort, show and paint does not grow with rows."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator, Sequence

import numpy as np
from textual.app import App, ComposeResult
from textual.widgets import DataTable

from benchmarks.claim import Claim
from engine.base.keyword import Keyword
from engine.dataset.vocabulary import Vocabulary
from engine.keywords.query_table import QueryTable
from engine.metrics import Relevance, find_profile, score
from tui.evaluate.rows import QueryRows, choose_query_sort
from tui.look.glyphs import UNICODE
from tui.widgets.line_layout import LineCell
from tui.widgets.line_table import LineTable

FEW, MANY, SIZE, TURNS = 1_000, 100_000, (140, 40), 15
REST = 0.1


def run() -> Iterator[Claim]:
    yield asyncio.run(_measure())


async def _measure() -> Claim:
    few, many = _table(FEW), _table(MANY)
    app = _App()
    async with app.run_test(size=SIZE) as pilot:
        lines = app.query_one(LineTable)

        async def paint(table: QueryTable) -> float:
            # From rest: straight after a paint the wait for the next frame would hide the work.
            await asyncio.sleep(REST)
            start = time.perf_counter()
            sort = choose_query_sort(table.main)
            rows = _Counting(
                table,
                table.order(sort.key, sort.descending),
                sort,
                UNICODE,
                lambda: lines.line_width,
            )
            lines.show(rows)
            await _painted(app)
            spent = time.perf_counter() - start
            if rows.asked < lines.size.height - 1:
                raise RuntimeError(f"only {rows.asked} rows were painted in the time measured")
            return spent

        await paint(few)  # the first paint of all builds caches
        times: dict[int, list[float]] = {FEW: [], MANY: []}
        # They take turns, so that a busy machine slows both alike.
        for _ in range(TURNS):
            times[FEW].append(await paint(few))
            times[MANY].append(await paint(many))
        await pilot.pause()
    built_in = await _built_in(few)
    short, long = (statistics.median(times[count]) for count in (FEW, MANY))
    return Claim(
        f"evaluation table of {MANY:,} queries, sorted and painted / of {FEW:,}",
        long / short,
        1.5,
        "at most",
        f"{SIZE[0]}×{SIZE[1]}, median of {TURNS}: {long * 1e3:.0f} ms / {short * 1e3:.0f} ms; "
        f"Textual's DataTable with {FEW:,} rows, once: {built_in * 1e3:.0f} ms",
    )


class _Counting(QueryRows):
    """The screen's own rows, counting those that are painted."""

    asked = 0

    def cells(self, row: int) -> Sequence[LineCell]:
        self.asked += 1
        return super().cells(row)


class _App(App[None]):
    def compose(self) -> ComposeResult:
        yield LineTable()
        yield DataTable()

    def on_mount(self) -> None:
        self.query_one(DataTable).display = False


async def _painted(app: App[None]) -> None:
    """Wait until the screen has been painted with what was changed."""
    done = asyncio.Event()
    app.screen.call_after_refresh(done.set)
    await done.wait()


async def _built_in(table: QueryTable) -> float:
    app = _App()
    async with app.run_test(size=SIZE) as pilot:
        app.query_one(LineTable).display = False
        grid = app.query_one(DataTable)
        grid.display = True
        await pilot.pause()
        rows = QueryRows(
            table, table.order(), choose_query_sort(table.main), UNICODE, lambda: SIZE[0]
        )
        texts = [
            [cell[0] if isinstance(cell, tuple) else str(cell) for cell in rows.cells(row)]
            for row in range(len(rows))
        ]
        await asyncio.sleep(REST)
        start = time.perf_counter()
        for number, column in enumerate(rows.columns):
            grid.add_column(column.title, key=str(number))
        grid.add_rows(texts)
        await _painted(app)
        return time.perf_counter() - start


def _table(count: int) -> QueryTable:
    """An evaluation of `count` queries with random hits and two keywords each."""
    rng = np.random.default_rng(7)
    alfa = find_profile("alfa")
    names = tuple(Keyword(f"group_{n // 10}", f"keyword {n}") for n in range(50))
    words = Vocabulary(tuple(dict.fromkeys(keyword.group for keyword in names)), names)
    relevance = Relevance.of_hits(rng.random((count, 5)) < 0.4, relevant=rng.integers(5, 50, count))
    chosen = np.uint64(1) << rng.integers(0, 50, (2, count)).astype(np.uint64)
    return QueryTable(
        mode="text",
        model="m",
        language=alfa,
        words=words,
        names=tuple(f"query {n} about something that happens on a road" for n in range(count)),
        bits=np.bitwise_or.reduce(chosen, axis=0)[:, None],
        places=np.arange(count),
        relevant=relevance.relevant,
        scores=score(relevance, alfa.measures()),
        formulas=tuple(measure.formula for measure in alfa.measures()),
    )
