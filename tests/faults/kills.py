"""`python -m tests.faults.kills`: kill -9 of the real app at any moment, again and again.

A session in a real terminal: a query, marks, notes, undo. What the screen has shown at the moment
of the kill is acknowledged; each such mark and note is looked for in the store, and the next start
goes on with it.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.terminal import TUI_EVAL, Terminal, environment
from engine.sessions import SessionStore
from tests.faults.judged_state import CLIP, Shown, State, compare, look_whether_whole
from tests.faults.result_files import write_rows
from tests.faults.table import FaultRow, print_rows
from tests.tui.forked import Host

FRESH, EARLY = 10, 4
"""One of so many kills is of a first start, and of the others one of so many is before any key."""

ROW = re.compile(
    r"(?P<cursor>.) *(?P<rank>\d+) +[\d.]+ +[✅◐❌·].*?[\w…]+_\d{4} *(?P<sign>[✓✗✎]+)?"
)
LAST_ROW = 200  # from there the lane begins again at the top
MOST_KEYS = AHEAD = 6  # so many keys at once, and so many rows below the cursor must be known


@dataclass
class Tally:
    """Kills of one kind: how many, what was acknowledged by then, and what of it was lost."""

    times: int = 0
    acknowledged: int = 0
    lost: list[str] = field(default_factory=list)

    def add(self, acknowledged: int, lost: list[str]) -> None:
        self.times += 1
        self.acknowledged += acknowledged
        self.lost += lost


@dataclass
class Tallies:
    """first     of a first start, while the store is made
    starting  of a start that resumes what the last one left
    working   while keys are typed
    """

    first: Tally = field(default_factory=Tally)
    starting: Tally = field(default_factory=Tally)
    working: Tally = field(default_factory=Tally)

    def as_rows(self) -> list[FaultRow]:
        kinds = {
            "kill -9 of a first start": self.first,
            "kill -9 while a session is resumed": self.starting,
            "kill -9 while results are judged": self.working,
        }
        return [
            FaultRow(name, one.times, one.acknowledged, lost=len(one.lost), what=tuple(one.lost))
            for name, one in kinds.items()
        ]


def kill_again_and_again(folder: Path, seed: int, times: int) -> Tallies:
    """Start, judge, kill, look into the store, and go on from there."""
    chance, tallies = random.Random(seed), Tallies()
    first = -(-times // FRESH)
    start_takes = 0.0
    for number in range(first):
        start_takes, *found = kill_first_start(folder / f"fresh-{number}", chance, start_takes)
        tallies.first.add(*found)
    variables = environment(folder, TERM="xterm")  # 16 colours: no frames
    with Host(variables) as host:
        kill_and_go_on(host, folder, variables, chance, times - first, tallies)
    return tallies


def kill_and_go_on(
    host: Host,
    folder: Path,
    variables: dict[str, str],
    chance: random.Random,
    times: int,
    tallies: Tallies,
) -> None:
    """Each start resumes what the last one left."""
    before = State(1, {})
    start_takes = 0.0
    store = folder / "data" / "sessions.db"
    for number in range(times):
        asked = ["--resume"] if number else ["inspect", "--video", CLIP]
        keys: list[str] = []
        began = time.monotonic()
        is_early = number % EARLY == EARLY - 1
        with host.start(asked, variables) as terminal:
            if is_early:
                read_for(terminal, chance.uniform(0, start_takes))
            else:
                before = begin(terminal, before, store)
                start_takes = time.monotonic() - began
                keys = some_keys(before, chance, number)
                type_keys(terminal, keys, chance)
            kill(terminal)
            seen = {rank_of(row): row["sign"] for row in rows(terminal) if row["sign"]}
            shown = Shown(place(terminal), seen, "Undone" in terminal.text)
        before, lost = compare(store, before, keys, shown)
        tally = tallies.starting if is_early else tallies.working
        tally.add(len(seen), lost)


def kill_first_start(
    folder: Path, chance: random.Random, start_takes: float
) -> tuple[float, int, list[str]]:
    """While the store is made, or the first answer saved: what was shown is there.

    The first of them is killed when the answer is shown: that says how long a start takes here.
    """
    with Terminal([TUI_EVAL, "inspect", "--video", CLIP], environment(folder)) as terminal:
        began = time.monotonic()
        if start_takes:
            read_for(terminal, chance.uniform(start_takes / 4, start_takes * 1.5))
        else:
            terminal.wait_for(lambda: place(terminal) > 0)
            start_takes = time.monotonic() - began
        kill(terminal)
        shown = place(terminal) > 0
    store = folder / "data" / "sessions.db"
    if not shown and not store.exists():
        return start_takes, 0, []
    with SessionStore(store) as opened:
        asked = [one.last_query for one in opened.summaries()]
    lost = look_whether_whole(store)
    if asked not in ([[CLIP]] if shown else [[], [None], [CLIP]]):
        lost.append(f"the query {CLIP}: {asked}")
    return start_takes, int(shown), lost


def begin(terminal: Terminal, before: State, store: Path) -> State:
    """Wait for what was there, and give up a note that was not finished; at the end of the list,
    begin again at its top."""
    if store.exists() and has_unfinished_note(store):
        terminal.wait_for("Note on ")
        terminal.send("\x1b")
        terminal.wait_for(lambda: "Note on " not in terminal.text)
    wait_for(terminal, before)
    if before.cursor > LAST_ROW:
        before = State(1, before.said)
        terminal.send("g")
        wait_for(terminal, before)
    return before


def has_unfinished_note(store: Path) -> bool:
    with SessionStore(store) as opened:
        views = [opened.open(one.id).view for one in opened.summaries()[:1]]
    return any(view is not None and view.note_draft is not None for view in views)


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


def rows(terminal: Terminal) -> list[re.Match[str]]:
    return [found for found in map(ROW.match, terminal.pane("Results").split("\n")) if found]


def rank_of(row: re.Match[str]) -> int:
    return int(row["rank"])


def place(terminal: Terminal) -> int:
    """The rank that the detail is about; it is painted once the cursor is saved."""
    found = re.search(r"^ #(\d+) \w", terminal.pane("Detail"), re.MULTILINE)
    return int(found[1]) if found else 0


def run(times: int, lanes: int, seed: int, folder: Path) -> list[FaultRow]:
    """So many kills, in lanes that run side by side, each with a store of its own."""
    shares = [times // lanes + (lane < times % lanes) for lane in range(lanes)]
    with ThreadPoolExecutor(lanes) as pool:
        work = [
            pool.submit(kill_again_and_again, folder / str(lane), seed + lane, share)
            for lane, share in enumerate(shares)
        ]
        columns = zip(*(one.result().as_rows() for one in work), strict=True)
        return [sum(column[1:], column[0]) for column in columns]


def main() -> int:
    asked = argparse.ArgumentParser(prog="python -m tests.faults.kills", description=__doc__)
    asked.add_argument("--times", type=int, default=200)
    asked.add_argument("--lanes", type=int, default=2, help="sessions side by side")
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--out", type=Path, help="write fault, times and lost as JSON")
    options = asked.parse_args()
    with tempfile.TemporaryDirectory() as place:
        found = run(options.times, options.lanes, options.seed, Path(place))
    print_rows(found)
    if options.out:
        write_rows(options.out, [row.as_document() for row in found])
    return int(any(one.lost for one in found))


if __name__ == "__main__":
    sys.exit(main())
