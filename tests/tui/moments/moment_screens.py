"""Small predictions of moments with every class and every oddity, and the app on them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.moments.moments_source import MomentsRequest
from tests.tui.inspector import cell_texts
from tests.tui.piloted import Piloted
from tui.app.moments import MomentsApp
from tui.moments.screen import MomentsScreen
from tui.opening.moments_start import MomentsStart
from tui.widgets.line_table import LineTable
from tui.widgets.lines_view import LinesView

VIDEOS = ("castle_s01e01_clip_00", "friends_s02e03_clip_07", "house_s03e05_clip_11")
CASTLE, FRIENDS, HOUSE = range(3)

QUERIES: tuple[dict[str, Any], ...] = (
    {"desc_id": 101, "desc": "Castle opens the door and smiles.", "video": CASTLE, "ts": [30, 40]},
    {"desc_id": 102, "desc": "Ross drops his sandwich.", "video": FRIENDS, "ts": [10, 20]},
    {"desc_id": 103, "desc": "House throws a ball at the wall.", "video": HOUSE, "ts": [50, 60]},
    {"desc_id": 104, "desc": "Beckett answers the phone.", "video": CASTLE, "ts": [70, 80]},
    {"desc_id": 105, "desc": "Monica folds a towel.", "video": FRIENDS, "ts": [0, 5]},
    {
        "desc_id": 106,
        "desc": "Wilson knocks, five times in all, and waits until somebody opens.",
        "video": HOUSE,
        "ts": [[0, 10], [10, 30], [15, 35], [50, 60], [85, 100]],
    },
    {
        "desc_id": 107,
        "desc": "Nobody measured how long this video is.",
        "video": FRIENDS,
        "ts": [20, 40],
        "duration": None,
    },
    {"desc_id": 108, "desc": "Nothing was predicted here.", "video": CASTLE, "ts": [1, 2]},
)
DURATION = 90.0

VCMR: dict[int, list[list[float]]] = {
    101: [[CASTLE, 31, 41, 0.9], [CASTLE, 30, 34, 0.8], [HOUSE, 30, 40, 0.7]],
    102: [[CASTLE, 10, 20, 0.9], [FRIENDS, 12, 21, 0.8], [FRIENDS, 60, 70, 0.7]],
    103: [[HOUSE, 54, 64, 0.9], [CASTLE, 54, 64, 0.8]],
    104: [[FRIENDS, 70, 80, 0.9], [CASTLE, 10, 25, 0.8], [CASTLE, 75, 120, 0.7]],
    105: [[CASTLE, 0, 5, 0.9], [HOUSE, 0, 5, 0.8]],
    106: [[HOUSE, 12, 32, 0.9], [HOUSE, 0, 9, 0.8], [HOUSE, 84, 130, 0.7]],
    107: [
        [FRIENDS, 30, 30, 0.9],
        [FRIENDS, -20, 25, 0.8],
        [FRIENDS, 50, 1e6, 0.7],
        [FRIENDS, 22, 41, 0.6],
    ],
    108: [],
}
"""By hand, at 0.5-r1: hit, ranked low, nearly right (6/14), wrong time, wrong video, hit (of five
spans the second best: 18/22 and 17/23), ranked low (18/21 at rank 4), wrong video."""


def write_files(folder: Path) -> MomentsRequest:
    """A submission of VCMR, SVMR and VR, and its ground truth."""
    truth = folder / "truth.jsonl"
    lines = []
    for query in QUERIES:
        entry = {"desc_id": query["desc_id"], "desc": query["desc"], "ts": query["ts"]}
        entry |= {"vid_name": VIDEOS[query["video"]], "type": "v"}
        duration = query.get("duration", DURATION)
        lines.append(json.dumps(entry if duration is None else {**entry, "duration": duration}))
    truth.write_text("\n".join(lines) + "\n", encoding="utf-8")
    predictions = folder / "submission.json"
    lists = [{"desc_id": id_, "desc": "", "predictions": rows} for id_, rows in VCMR.items()]
    videos = [
        {**entry, "predictions": [[row[0], 0, 0, row[3]] for row in entry["predictions"]]}
        for entry in lists
    ]
    document = {"video2idx": {name: index for index, name in enumerate(VIDEOS)}}
    document |= {"VCMR": lists, "SVMR": lists, "VR": videos}
    predictions.write_text(json.dumps(document), encoding="utf-8")
    return MomentsRequest(predictions, truth)


class Moments(Piloted):
    """The inspector of predicted moments."""

    app: MomentsApp

    async def type(self, text: str) -> None:
        await self.pilot.press(*("space" if letter == " " else letter for letter in text))

    async def rests(self) -> None:
        """Wait until nothing is computed, and the detail is that of the row."""

        def painted() -> bool:
            chosen, rows = self.home.selected, self.home.predictions.rows
            if self.home.service.busy or self.home.state:
                return False
            return chosen is None or (
                rows is not None
                and rows.query.row == chosen.row
                and rows.query.explained is chosen.explained
            )

        await self.until(painted, "the detail of the row")
        await self.pilot.pause()

    async def go_to(self, id_: int) -> None:
        """Put the cursor on a query."""
        self.home.queries.cursor = self.ids.index(id_)
        await self.rests()

    @property
    def home(self) -> MomentsScreen:
        return self.app.moments_screen

    @property
    def queries(self) -> list[list[str]]:
        return self._rows(self.home.queries)

    @property
    def ids(self) -> list[int | str]:
        """The ids of the queries listed."""
        explained, rows = self.home.explained, self.home.listing.rows
        assert explained is not None
        return [explained.truth.ids[row] for row in rows]

    @property
    def predictions(self) -> list[list[str]]:
        return self._rows(self.home.predictions)

    @property
    def truth(self) -> list[list[str]]:
        """The lines above the predictions."""
        return [cell_texts(cells) for cells in self.home.predictions._pinned]

    def lines(self, name: str) -> str:
        view = self.home.query_one(f"#{name}", LinesView)
        view.fit()  # as painting would, if it was not laid out when it was filled
        return view.text

    @staticmethod
    def _rows(table: LineTable) -> list[list[str]]:
        source = table.source
        assert source is not None
        return [cell_texts(source.cells(row)) for row in range(len(source))]


Flow = Callable[[Moments], Awaitable[None]]


def look(
    flow: Flow,
    folder: Path,
    *,
    size: tuple[int, int] = (140, 40),
    request: MomentsRequest | None = None,
    ready: bool = True,
    **options: Any,
) -> None:
    """Run a flow in the app on the small files; `ready`: it begins when they are read."""

    async def run() -> None:
        start = MomentsStart(request or write_files(folder))
        app = MomentsApp(replace(start, **options))
        async with app.run_test(size=size) as pilot:
            see = Moments(app, pilot)
            if ready:
                await see.until(lambda: see.home.explained is not None, "the files are read")
                await see.rests()
            await flow(see)
            await app.action_quit()

    asyncio.run(run())
