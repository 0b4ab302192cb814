"""The real inspector for tests: on real data, with the real engine, driven by keys alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot

from engine.base.choices import Mode
from engine.dataset.dataset import Dataset
from engine.keywords.inspection import Inspection
from engine.keywords.question import Question
from engine.sessions import Session, SessionStore
from engine.text.encoder import SentenceEncoder
from tests.engine.keywords.sample_workbench import CYCLIST as CYCLIST
from tests.engine.keywords.sample_workbench import GROUPS as GROUPS
from tests.engine.keywords.sample_workbench import sample as sample
from tests.engine.keywords.sample_workbench import small_dataset as small_dataset
from tests.engine.keywords.sample_workbench import workbench as workbench
from tests.engine.sessions.sessions_by_hand import ticking
from tests.tui.piloted import Piloted
from tui.app.inspector import InspectorApp
from tui.inspect.keyword_bar import KeywordBar
from tui.inspect.panes import Detail
from tui.inspect.picker import Picker
from tui.inspect.results import ResultTable
from tui.inspect.screen import InspectScreen
from tui.keys.names import find_character
from tui.opening.starts import InspectorStart
from tui.widgets.line_layout import ColouredCell, LineCell
from tui.widgets.line_table import LineTable
from tui.widgets.lines_view import LinesView
from tui.work.questions import choose_inspector_measures

PEDESTRIAN = "pedestrian straight crossing path"
CLIP = "urban_bicyclist_0002"


def answer(
    encoder: SentenceEncoder,
    query: str,
    mode: Mode = "text",
    model: str = "alfa-0.1",
    groups: tuple[str, ...] = GROUPS,
    **others: Any,
) -> Inspection:
    """What the engine answers to a question about the sample."""
    bench = workbench(encoder)
    question = Question(mode, query, model, groups, **others)
    measures, k = choose_inspector_measures(sample()), max(sample().ks)
    return bench.ask(question, measures, k=k, depth=bench.whole(model))


class Inspector(Piloted):
    """The inspector of a dataset."""

    app: InspectorApp

    def __init__(self, app: InspectorApp, pilot: Pilot[None], store: SessionStore) -> None:
        super().__init__(app, pilot)
        self.store = store

    # Keys

    async def press(self, *keys: str) -> None:
        """Press keys; the numbers that follow from a mark are there afterwards."""
        await super().press(*keys)
        await self.until(lambda: not self.app.services.questions.scoring, "the numbers")

    async def type(self, text: str) -> None:
        """Type quickly: the keys come in one burst, as over a slow line."""
        self.burst(*(c if c.isalnum() else _character_to_key(c) for c in text))
        await self.pilot.press()  # waits until all are handled

    def burst(self, *keys: str) -> None:
        """Send keys as they come from a terminal at once; waits for nothing."""
        driver = self.app._driver
        assert driver is not None
        for key in keys:
            event = events.Key(key, find_character(key))
            event.set_sender(self.app)
            driver.send_message(event)

    async def ask(self, text: str) -> None:
        """Type a text query; the answer is on the screen afterwards."""
        await self.press("slash")
        await self.type(text)
        await self.press("enter")
        await self.answered(text)

    async def ask_clip(self, clip: str) -> None:
        await self.press("c")
        await self.type(clip)
        await self.press("enter")
        await self.answered(clip)

    # Waiting

    async def answered(self, query: str | None = None) -> None:
        """Wait until the newest question is answered and all of its answer is painted."""

        def painted() -> bool:
            found, asked = self.inspection, self.home.question
            if found is None or self.app.services.questions.pending or found.question != asked:
                return False
            if query is not None and found.query != query:
                return False
            clip = self.results.clip
            if clip is None:
                return True
            other = self.app.other_model(found.question.model)
            return clip in self.detail and (other is None or f"in {other}" in self.detail)

        await self.until(painted, f"an answer to {query or 'the question'}")

    async def answered_alone(self, query: str) -> None:
        """As `answered`, where the other model cannot say where the clips stand."""
        there = lambda: self.inspection is not None and self.inspection.query == query  # noqa: E731
        await self.until(there, f"an answer to {query}")

    async def shows(self, clip: str) -> None:
        """Wait until the detail is that of a clip."""
        first = lambda: self.detail.partition("\n")[0]  # noqa: E731
        await self.until(lambda: first().endswith(clip), f"the detail of {clip}")

    # What stands on the screen

    @property
    def home(self) -> InspectScreen:
        return self.app.inspect_screen

    @property
    def inspection(self) -> Inspection | None:
        return self.home.inspection

    @property
    def results(self) -> ResultTable:
        return self.home.results

    @property
    def picker(self) -> Picker:
        return self.home.query_one(Picker)

    @property
    def detail(self) -> str:
        return self.home.query_one(Detail).text

    @property
    def metrics(self) -> str:
        return self.home.query_one("#metrics", LinesView).text

    @property
    def keywords(self) -> str:
        return self.home.query_one(KeywordBar).text

    @property
    def field(self) -> str:
        """What is typed in the query bar."""
        return str(self.home.query_one("#query-field").value)  # type: ignore[attr-defined]

    @property
    def title(self) -> str:
        return self.screen_text.partition("\n")[0]

    def rows(self, table: LineTable | None = None) -> list[list[str]]:
        """Every row of a table (the results, if none is named) as the texts of its cells."""
        source = (table or self.results).source
        if source is None:
            return []
        return [cell_texts(source.cells(row)) for row in range(len(source))]

    def session(self) -> Session:
        """The saved session, read by a store of its own, as another process would."""
        found = SessionStore(self.store.path).latest()
        assert found is not None, "nothing is saved"
        return found


def read_cell_text(cell: LineCell) -> str:
    """What a cell says."""
    if isinstance(cell, ColouredCell):
        return "".join(text for text, _ in cell.parts)
    return cell if isinstance(cell, str) else cell[0]


def cell_texts(cells: Sequence[LineCell]) -> list[str]:
    return list(map(read_cell_text, cells))


class Lasting(InspectorApp):
    """Its toasts stay until they are cleared, however long a busy machine takes to look at them."""

    def notify(self, message: str, **options: Any) -> None:
        super().notify(message, **{**options, "timeout": 3600})


Flow = Callable[[Inspector], Awaitable[None]]


def inspect(
    flow: Flow,
    folder: Path,
    encoder: SentenceEncoder,
    *,
    size: tuple[int, int] = (120, 40),
    dataset: Dataset | None = None,
    resume: bool = False,
    ready: bool = True,
    **options: Any,
) -> None:
    """Run a flow in the inspector, with its sessions in a folder and a clock of its own.

    `ready`: it begins when the dataset is read.
    """

    async def run() -> None:
        with SessionStore(folder / "sessions.db", ticking()) as store:
            opened = dataset or sample()
            source = "sample" if dataset is None else str(opened.source)
            start = InspectorStart(opened, source, store, encoder=encoder, images="off")
            session = store.latest() if resume else None
            app = Lasting(replace(start, **{"session": session, **options}))
            async with app.run_test(size=size) as pilot:
                see = Inspector(app, pilot, store)
                await see.until(lambda: app.truth is not None or not ready, "the dataset is read")
                await flow(see)
                await app.action_quit()

    asyncio.run(run())


def inspect_as_started(
    flow: Flow, start: InspectorStart, folder: Path, encoder: SentenceEncoder
) -> None:
    """Run a flow in the inspector as a command starts it; with sessions of its own."""
    asked = {one.name: getattr(start, one.name) for one in fields(InspectorStart)}
    for own in ("dataset", "source", "store", "session", "encoder", "images"):
        del asked[own]
    inspect(flow, folder, encoder, dataset=start.dataset, size=(170, 40), **asked)
