"""The Evaluate screen, driven by keys alone over the shipped sample and the real engine."""

from __future__ import annotations

import asyncio
import csv
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import numpy as np
import pytest
import sample_data
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, Static

from engine.dataset_file import open_dataset
from engine.encoder import SentenceEncoder
from engine.errors import InputError
from engine.query_table import QueryTable
from engine.question import Mode
from engine.run import RunRequest, carry_out
from tui.glyphs import ASCII, UNICODE, Glyphs
from tui.screens.evaluate import EvaluateScreen
from tui.themes import VARIABLE_DEFAULTS, register
from tui.widgets.frequency import FrequencyTable
from tui.widgets.line_table import LineTable

ROOT = Path(__file__).resolve().parents[2]
GROUPS = ("object_type", "actor_behavior")


class Home(Screen[None]):
    """Stands for Inspect."""


class Host(App[None]):
    """An app that can evaluate the sample, and writes down what it is asked for."""

    def __init__(self, encoder: SentenceEncoder | None, glyphs: Glyphs = UNICODE) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.dataset = open_dataset(sample_data.folder())
        self.encoder = encoder
        self.groups: tuple[str, ...] = GROUPS
        self.failure: Exception | None = None
        self.hold: threading.Event | None = None
        self.opened: list[tuple[Mode, str, tuple[str, ...]]] = []
        self.evaluate = EvaluateScreen()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return VARIABLE_DEFAULTS

    def on_mount(self) -> None:
        register(self)
        self.install_screen(self.evaluate, "evaluate")
        self.push_screen(Home())
        self.push_screen("evaluate")

    @property
    def evaluation_scope(self) -> str:
        return f"{self.dataset.name} · {self.dataset.model(None).name} · {', '.join(self.groups)}"

    def query_count(self, mode: Mode) -> int | None:
        return 61 if mode == "text" else None

    def open_query(self, mode: Mode, query: str, keywords: tuple[str, ...]) -> None:
        self.opened.append((mode, query, keywords))
        self.pop_screen()

    def show_inspect(self) -> None:
        self.pop_screen()

    def start_evaluation(
        self,
        mode: Mode,
        on_progress: Callable[[int, int], None],
        on_done: Callable[[QueryTable], None],
        on_failed: Callable[[Exception], None],
    ) -> Callable[[], None]:
        cancelled = threading.Event()
        groups, hold = self.groups, self.hold

        def report(done: int, total: int) -> None:
            if cancelled.is_set():
                raise InterruptedError
            self.call_from_thread(on_progress, done, total)
            if hold is not None:
                hold.wait(20)

        def work() -> None:
            try:
                if self.failure is not None:
                    raise self.failure
                request = RunRequest(modes=mode, groups=groups)
                encoder = self.encoder or SentenceEncoder()
                run = carry_out(request, self.dataset, encoder, lambda _: report)
                table = QueryTable.of(run.evaluations[0], run.collection, run.profile)
                self.call_from_thread(on_done, table)
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
    return host.evaluate.query_one("#queries", LineTable)


def lines(host: Host) -> list[str]:
    """The rows of the table as they stand on the screen, with its header."""
    table = table_of(host)
    return [table.render_line(y).text for y in range(table.size.height)]


def text_of(host: Host, part: str) -> str:
    return str(host.evaluate.query_one(part, Static).content)


def query_under_cursor(host: Host) -> str:
    source, table = table_of(host).source, table_of(host)
    assert source is not None
    return str(source.cells(table.cursor)[0])
