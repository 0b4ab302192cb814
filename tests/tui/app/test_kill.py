"""kill -9 of the real app at any moment: what the screen has shown is in the store."""

from __future__ import annotations

import random
import re
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from benchmarks.terminal import TUI_EVAL, Terminal, environment
from engine.sessions import SessionStore
from tests.tui.forked import Host

KILLS, LANES = 100, 2
FRESH, EARLY = 5, 4
"""So many kills of each lane are of a first start, and one of so many is before any key."""

LONGEST_START = 1.2
"""Seconds within which a first start has answered, on a machine that is not busy."""

CLIP = "urban_bicyclist_0002"
MARKS = {"r": "relevant", "x": "not relevant"}
"""Keys that leave a mark on the row and go one row down; j goes there only."""

SIGNS = {"relevant": "✓", "not relevant": "✗"}
ROW = re.compile(
    r"(?P<cursor>.) *(?P<rank>\d+) +[\d.]+ +\S+ +\d/\d (?P<clip>\w+_\d{4}) *(?P<sign>[✓✗✎])?"
)
LAST_ROW = 200  # from there the lane begins again at the top
MOST_KEYS = AHEAD = 6  # so many keys at once, and so many rows below the cursor must be known


class Said(NamedTuple):
    """What was said about a result."""

    mark: str | None = None
    note: str = ""

    @property
    def sign(self) -> str | None:
        """What stands in its row."""
        return SIGNS[self.mark] if self.mark else ("✎" if self.note else None)


@dataclass(frozen=True)
class State:
    """Where the cursor is, and what was said by rank; `undone`: what u would bring back."""

    cursor: int
    said: dict[int, Said]
    undone: dict[int, Said] | None = None

    @property
    def here(self) -> Said:
        return self.said.get(self.cursor, Said())

    def sign(self, rank: int) -> str | None:
        return self.said.get(rank, Said()).sign

    def possible(self) -> list[str]:
        """The keys whose effect is known: u right after a change, a note where there is none."""
        undo = ["u"] if self.undone is not None else []
        return ["r", "x", "j", *undo, *([] if self.here.note else ["a"])]

    def after(self, key: str) -> State:
        if key == "u":
            assert self.undone is not None
            return State(self.cursor, self.undone)
        if key == "j":
            return State(self.cursor + 1, self.said)
        note = key[0] == "a"
        new = self.here._replace(note=key[1:-1]) if note else self.here._replace(mark=MARKS[key])
        said = {**self.said, self.cursor: new}
        undone = self.said if said != self.said else None
        return State(self.cursor + (not note), said, undone)


@pytest.mark.slow
def test_kills_of_the_app_lose_nothing_that_was_on_the_screen(tmp_path: Path) -> None:
    with ThreadPoolExecutor(LANES) as pool:
        lanes = [pool.submit(kill_again_and_again, tmp_path / str(n), n) for n in range(LANES)]
        kills = [lane.result() for lane in lanes]

    assert sum(kills) == KILLS


def kill_again_and_again(folder: Path, seed: int) -> int:
    """Start, judge, kill, look into the store, and go on from there."""
    chance = random.Random(seed)
    for number in range(FRESH):
        kill_first_start(folder / f"fresh-{number}", chance)
    variables = environment(folder, TERM="xterm")  # 16 colours: no frames
    with Host(variables) as host:
        return FRESH + kill_and_go_on(host, folder, variables, chance)


def kill_and_go_on(
    host: Host, folder: Path, variables: dict[str, str], chance: random.Random
) -> int:
    """Each start resumes what the last one left; returns how many were killed."""
    clips: dict[int, str] = {}
    before = State(1, {})
    start_takes = 0.0
    for number in range(KILLS // LANES - FRESH):
        asked = ["--resume"] if number else ["inspect", "--video", CLIP]
        keys: list[str] = []
        began = time.monotonic()
        with host.start(asked, variables) as terminal:
            if number % EARLY == EARLY - 1:
                read_for(terminal, chance.uniform(0, start_takes))
            else:
                before = begin(terminal, before)
                start_takes = time.monotonic() - began
                clips |= {rank_of(row): row["clip"] for row in rows(terminal)}
                keys = some_keys(before, chance, number)
                type_keys(terminal, keys, chance)
            kill(terminal)
            acknowledged = {rank_of(row): row["sign"] for row in rows(terminal)}
            cursor, undid = place(terminal), "Undid" in terminal.text
        store = folder / "data" / "sessions.db"
        before = assert_saved(store, clips, before, keys, cursor, acknowledged, undid)
    return number + 1


def kill_first_start(folder: Path, chance: random.Random) -> None:
    """While the store is made, or the first answer saved: what was shown is there."""
    with Terminal([TUI_EVAL, "inspect", "--video", CLIP], environment(folder)) as terminal:
        read_for(terminal, chance.uniform(0.2, LONGEST_START))
        kill(terminal)
        shown = place(terminal)
    store = folder / "data" / "sessions.db"
    if shown or store.exists():
        with SessionStore(store) as opened:
            asked = [one.last_query for one in opened.summaries()]
        assert_whole(store)
        assert asked in ([[CLIP]] if shown else [[], [None], [CLIP]])


def begin(terminal: Terminal, before: State) -> State:
    """Wait for what was there; at the end of the list, begin again at its top."""
    wait_for(terminal, before)
    if before.cursor > LAST_ROW:
        before = State(1, before.said)
        terminal.send("g")
        wait_for(terminal, before)
    return before


def some_keys(state: State, chance: random.Random, number: int) -> list[str]:
    keys: list[str] = []
    for place in range(chance.randint(1, MOST_KEYS)):
        key = chance.choice(state.possible())
        keys.append(f"anote {number} {place}\r" if key == "a" else key)
        state = state.after(keys[-1])
    return keys


def wait_for(terminal: Terminal, state: State) -> None:
    """Wait until the app shows a state."""

    def shown() -> bool:
        signs = {rank_of(row): row["sign"] for row in rows(terminal)}
        return (
            place(terminal) == state.cursor
            and len(signs) >= state.cursor + AHEAD - min(signs, default=0)
            and all(state.sign(rank) == sign for rank, sign in signs.items())
        )

    terminal.wait_for(shown)


def type_keys(terminal: Terminal, keys: list[str], chance: random.Random) -> None:
    """Type, and be ready to kill at some moment soon after."""
    end = time.monotonic() + chance.uniform(0, 0.3)
    for key in keys:
        terminal.send(key)
        terminal.read(chance.choice((0, 0.03)))
    read_for(terminal, end - time.monotonic())


def read_for(terminal: Terminal, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        terminal.read(0.005)


def kill(terminal: Terminal) -> None:
    terminal.process.kill()
    terminal.ended()


def assert_whole(store: Path) -> None:
    connection = sqlite3.connect(store)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def assert_saved(
    store: Path,
    clips: dict[int, str],
    before: State,
    keys: list[str],
    cursor: int,
    acknowledged: dict[int, str | None],
    undid: bool,
) -> State:
    """The store holds what the first keys did, as many as were acknowledged or more."""
    assert_whole(store)
    with SessionStore(store) as opened:
        session = opened.open(1)
        view, found = session.view, session.judgements("video", CLIP)
    ranks = {clip: rank for rank, clip in clips.items()}
    assert view is not None and view.clip is not None
    said = {ranks[clip]: Said(one.mark, one.note) for clip, one in found.items()}
    saved = State(ranks[view.clip], {rank: one for rank, one in said.items() if one.sign})

    states = [before]
    for key in keys:
        states.append(states[-1].after(key))
    # A mark is saved with its key; the cursor is, a little later, with the detail that it brings.
    done = [number for number, state in enumerate(states) if state.said == saved.said]
    assert done, f"{saved} is none of {states}"
    assert max(cursor, before.cursor) <= saved.cursor <= states[max(done)].cursor
    for rank, sign in acknowledged.items():
        if sign is not None:
            least = min(n for n, state in enumerate(states) if state.sign(rank) == sign)
            assert max(done) >= least, f"what was said of #{rank} is lost"
    assert not undid or max(done) > keys.index("u"), "what was taken back is there again"
    return saved


def rows(terminal: Terminal) -> list[re.Match[str]]:
    return [found for found in map(ROW.match, terminal.pane("Results").split("\n")) if found]


def rank_of(row: re.Match[str]) -> int:
    return int(row["rank"])


def place(terminal: Terminal) -> int:
    """The rank that the detail is about; it is painted once the cursor is saved."""
    found = re.match(r" #(\d+) ", terminal.pane("Detail"))
    return int(found[1]) if found else 0
