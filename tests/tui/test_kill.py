"""kill -9 of the real app at any moment: what the screen has shown is in the store."""

from __future__ import annotations

import os
import random
import re
import signal
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.terminal import TUI_EVAL, Terminal, environment
from engine.sessions import SessionStore

KILLS, LANES = 100, 2
CLIP = "urban_bicyclist_0002"
MARKS = {"r": "relevant", "x": "not relevant", "j": None}
"""Keys that go one row down, and the mark that each leaves on the row it comes from."""

SIGNS = {"✓": "relevant", "✗": "not relevant"}
ROW = re.compile(
    r"(?P<cursor>.) *(?P<rank>\d+) +[\d.]+ +\S+ +\d/\d (?P<clip>\w+_\d{4}) *(?P<sign>[✓✗])?"
)
LAST_ROW = 200  # from there the lane begins again at the top
MOST_KEYS = AHEAD = 6  # so many keys at once, and so many rows below the cursor must be known


@dataclass(frozen=True)
class State:
    """Where the cursor is, and the marks by rank."""

    cursor: int
    marks: dict[int, str | None]

    def after(self, key: str) -> State:
        mark = MARKS[key]
        marks = self.marks if mark is None else {**self.marks, self.cursor: mark}
        return State(self.cursor + 1, marks)


@pytest.mark.slow
def test_kills_of_the_app_lose_nothing_that_was_on_the_screen(tmp_path: Path) -> None:
    with ThreadPoolExecutor(LANES) as pool:
        lanes = [pool.submit(kill_again_and_again, tmp_path / str(n), n) for n in range(LANES)]
        kills = [lane.result() for lane in lanes]

    assert sum(kills) == KILLS


def kill_again_and_again(folder: Path, seed: int) -> int:
    """Start, judge, kill, look into the store, and go on from there."""
    chance = random.Random(seed)
    variables = environment(folder, TERM="xterm")  # 16 colours: no frames
    clips: dict[int, str] = {}
    before = State(1, {})
    for number in range(KILLS // LANES):
        asked = ["--resume"] if number else ["inspect", "--video", CLIP]
        with Terminal([TUI_EVAL, *asked], variables) as terminal:
            wait_for(terminal, before)
            if before.cursor > LAST_ROW:
                before = State(1, before.marks)
                terminal.send("g")
                wait_for(terminal, before)
            clips |= {rank_of(row): row["clip"] for row in rows(terminal)}
            keys = "".join(chance.choices(list(MARKS), k=chance.randint(1, MOST_KEYS)))
            acknowledged = kill_while_typing(terminal, keys, chance)
        before = assert_saved(folder / "data" / "sessions.db", clips, before, keys, acknowledged)
    return number + 1


def wait_for(terminal: Terminal, state: State) -> None:
    """Wait until the app shows a state. The encoder is not needed and put to sleep."""

    def shown() -> bool:
        sleep_well(terminal)
        marks = {rank_of(row): SIGNS.get(row["sign"]) for row in rows(terminal)}
        return (
            place(terminal) == state.cursor
            and len(marks) >= state.cursor + AHEAD - min(marks, default=0)
            and all(state.marks.get(rank) == mark for rank, mark in marks.items())
        )

    terminal.wait_for(shown)


def sleep_well(terminal: Terminal) -> None:
    for child in set(terminal.children()) - terminal.offspring:
        os.kill(child, signal.SIGSTOP)
        terminal.offspring.add(child)


def kill_while_typing(terminal: Terminal, keys: str, chance: random.Random) -> State:
    """Type, kill at some moment soon after, and say what the screen has shown by then."""
    end = time.monotonic() + chance.uniform(0, 0.3)
    for key in keys:
        terminal.send(key)
        terminal.read(chance.choice((0, 0.03)))
    while time.monotonic() < end:
        terminal.read(0.005)
    sleep_well(terminal)
    terminal.process.kill()
    for child in terminal.offspring:
        os.kill(child, signal.SIGKILL)
    terminal.ended()
    marks = {rank_of(row): SIGNS.get(row["sign"]) for row in rows(terminal)}
    return State(place(terminal), marks)


def assert_saved(
    store: Path, clips: dict[int, str], before: State, keys: str, acknowledged: State
) -> State:
    """The store holds what the first keys did, as many as were acknowledged or more."""
    connection = sqlite3.connect(store)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    with SessionStore(store) as opened:
        session = opened.open(1)
        view, found = session.view, session.judgements("video", CLIP)
    ranks = {clip: rank for rank, clip in clips.items()}
    assert view is not None and view.clip is not None
    saved = State(ranks[view.clip], {ranks[clip]: said.mark for clip, said in found.items()})

    states = [before]
    for key in keys:
        states.append(states[-1].after(key))
    # A mark is saved with its key; the cursor is, a little later, with the detail that it brings.
    done = saved.cursor - before.cursor
    assert 0 <= done <= len(keys)
    assert saved.marks in [state.marks for state in states[done:]]
    assert saved.cursor >= acknowledged.cursor
    for rank, mark in acknowledged.marks.items():
        if mark is not None and mark != before.marks.get(rank):
            assert saved.marks.get(rank) == mark, f"the mark on #{rank} is lost"
    return saved


def rows(terminal: Terminal) -> list[re.Match[str]]:
    return [found for found in map(ROW.match, terminal.pane("Results").split("\n")) if found]


def rank_of(row: re.Match[str]) -> int:
    return int(row["rank"])


def place(terminal: Terminal) -> int:
    """The rank that the detail is about; it is painted once the cursor is saved."""
    found = re.match(r" #(\d+) ", terminal.pane("Detail"))
    return int(found[1]) if found else 0
