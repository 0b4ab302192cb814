"""`python -m tests.faults.soak`: one inspector for a long day, and what it costs at its end.

The day is made of rounds that are all alike: the same keys over every screen and dialog, and texts
that were never asked before. So the first round after the warm-up and the last one can be compared:
the processor's time per key, and the memory that is in use after each.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from textual.widgets import Input

from engine.sessions import SessionStore
from engine.text.opening import open_encoder
from tests.faults.result_files import write_result
from tests.tui.inspector import Inspector, sample
from tui.app.inspector import InspectorApp
from tui.opening.starts import InspectorStart
from tui.widgets.line_table import LineTable

MOST_GROWTH, MOST_SLOWER = 0.05, 1.1
WARM_UP = 5
"""Rounds before it counts: every screen is made once, and the caches that have a bound are full, of
which that of vectors is the largest and takes five rounds."""

MOVES = "j j r k n x u j N k"
TOURS = (
    "j r j x k u n N t t",
    "question_mark escape M escape b escape ctrl+p escape ctrl+o escape",
    "p j space space A D escape e l escape",
    "2 j s S p escape F escape M 1",
    "escape 1 a N o t e enter u ctrl+r",
    "4 j s S p escape F escape x 1",
    "escape 1 m g G ctrl+d ctrl+u m f f",
    "3 j k escape left_square_bracket right_square_bracket tab tab T T",
    "s escape v g r delete y n n k",
    "slash t u r n escape escape g j k",
)
"""Keys over all screens and dialogs, and between them those that are pressed most."""

WORDS = (
    "cyclist pedestrian truck bollard motorcycle bus crossing turning entering waiting lane street "
    "night rain tunnel highway left right behind front slowly suddenly parked oncoming empty wet"
).split()


@dataclass(frozen=True)
class Round:
    """What a round cost: the processor's seconds for a key and a query, megabytes afterwards."""

    keys: int
    per_key: float
    per_query: float
    megabytes: float


@dataclass(frozen=True)
class Soak:
    """The rounds after the warm-up."""

    rounds: tuple[Round, ...]

    @property
    def growth(self) -> float:
        """The share by which the memory grew."""
        return self.rounds[-1].megabytes / self.rounds[0].megabytes - 1

    @property
    def slower(self) -> float:
        """How many times as long a key takes in the last round as in the first."""
        return self.rounds[-1].per_key / self.rounds[0].per_key

    @property
    def holds(self) -> bool:
        return self.growth < MOST_GROWTH and self.slower <= MOST_SLOWER

    def as_document(self, queries: int) -> dict[str, float]:
        """`queries`: that were asked meanwhile."""
        return {
            "keys": sum(one.keys for one in self.rounds),
            "queries": queries,
            "growth": round(self.growth, 4),
            "slower": round(self.slower, 3),
        }


def soak(
    keys: int,
    queries: int,
    seed: int,
    folder: Path,
    *,
    warm_up: int = WARM_UP,
    report: Callable[[Round], None] = lambda _: None,
) -> Soak:
    """Rounds of a thousand keys, or two of half of them if they are fewer."""
    rounds = max(2, keys // 1000)
    per_round = max(1, queries // rounds)

    async def run() -> Soak:
        with open_encoder() as encoder, SessionStore(folder / "sessions.db") as store:
            start = InspectorStart(sample(), "sample", store, encoder=encoder, images="off")
            app = InspectorApp(start)
            async with app.run_test(size=(120, 40)) as pilot:
                see = Inspector(app, pilot, store)
                await see.until(lambda: app.truth is not None)
                await fill_tables(see)
                asked = make_queries(seed)
                done = []
                for _ in range(warm_up + rounds):
                    done.append(await live_one_round(see, asked, per_round, keys // rounds))
                    report(done[-1])
                await app.action_quit()
            return Soak(tuple(done[warm_up:]))

    return asyncio.run(run())


async def fill_tables(see: Inspector) -> None:
    """Evaluate and compare once, so that those screens have something to show."""
    for screen in ("2", "4"):
        await see.press(screen, "r")
        await see.until(lambda: see.app.screen.query(LineTable).first().source is not None)
    await see.press("1")


def make_queries(seed: int) -> Iterator[str]:
    """Texts that are all different, and the clips of the dataset, in turn."""
    chance = random.Random(seed)
    clips = cycle(range(284))
    for number in range(10**9):
        if number % 2:
            yield f"clip {next(clips)}"
        else:
            yield f"{' '.join(chance.sample(WORDS, 3))} {number}"


async def live_one_round(see: Inspector, asked: Iterator[str], queries: int, keys: int) -> Round:
    tours = cycle(" ".join(f"{tour} {MOVES}" for tour in TOURS).split())
    on_queries = on_keys = 0.0
    pressed = 0
    for number in range(queries):
        begun = time.process_time()
        await ask(see, next(asked))
        on_queries += time.process_time() - begun
        begun = time.process_time()
        share = keys * (number + 1) // queries - pressed
        await press(see, *islice(tours, share))
        await see.until(lambda: not see.app.services.questions.pending)
        on_keys += time.process_time() - begun
        pressed += share
        await go_home(see)
    gc.collect()
    return Round(pressed, on_keys / pressed, on_queries / queries, resident_megabytes())


async def press(see: Inspector, *keys: str) -> None:
    """Press keys one by one, each when the one before is handled, as fast as that goes: a Pilot
    waits a sixteenth of a second for each, to see that nothing else happens."""
    for key in keys:
        see.burst(key)
        for _ in range(2):  # what a widget tells its screen is handled as well
            await see.pilot._wait_for_screen()


async def ask(see: Inspector, query: str) -> None:
    """Paste a query, as who has a list of them does."""
    if query.startswith("clip "):
        assert see.app.truth is not None
        await press(see, "c")
        query = see.app.truth.ids[int(query.split()[1])]
    else:
        await press(see, "slash")
    field = see.app.inspect_screen.query_one("#query-field", Input)
    field.value = query
    await press(see, "enter")
    await see.until(lambda: not see.app.services.questions.pending)


async def go_home(see: Inspector) -> None:
    """Wherever the keys have led to."""
    while see.app.screen is not see.app.inspect_screen:
        await press(see, "escape" if see.app.screen.is_modal else "1")
    await press(see, "escape", "escape")
    see.app.inspect_screen.set_focus(see.results)


def resident_megabytes() -> float:
    """What this process has in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def print_round(one: Round) -> None:
    times = f"{one.per_key * 1e3:6.1f}  {one.per_query * 1e3:8.1f}"
    print(f"{one.keys:4}  {times}  {one.megabytes:5.1f}", flush=True)  # noqa: T201


def main() -> int:
    asked = argparse.ArgumentParser(prog="python -m tests.faults.soak", description=__doc__)
    asked.add_argument("--keys", type=int, default=20_000)
    asked.add_argument("--queries", type=int, default=2_000)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--out", type=Path, help="write what was measured as JSON")
    options = asked.parse_args()
    with tempfile.TemporaryDirectory() as place:
        os.environ["TUI_EVAL_CACHE"] = place  # not that of whoever runs it
        print(f"keys  ms/key  ms/query     MB, the first {WARM_UP} to warm up")  # noqa: T201
        found = soak(options.keys, options.queries, options.seed, Path(place), report=print_round)
    print(  # noqa: T201
        f"memory {found.growth:+.1%} (under {MOST_GROWTH:.0%}), "
        f"the last keys {found.slower:.2f} times as slow (at most {MOST_SLOWER})"
    )
    if options.out:
        write_result(options.out, found.as_document(options.queries))
    return int(not found.holds)


if __name__ == "__main__":
    sys.exit(main())
