"""What was said about results, as the screen shows it and as the store holds it.

After a kill the store must hold what the first keys did, as many as were acknowledged or more.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import sample_data
from engine.dataset.settings_file import open_dataset
from engine.keywords.question import Question
from engine.keywords.workbench import Workbench
from engine.sessions import SessionStore
from engine.text.opening import open_encoder

CLIP = "urban_bicyclist_0002"
MARKS = {"+": "relevant", "-": "not relevant"}
"""Keys that leave a mark on the row and go on to the next miss that is not judged; j goes one row
down."""

SIGNS = {"relevant": "✓", "not relevant": "✗"}


class Said(NamedTuple):
    """What was said about a result."""

    mark: str | None = None
    note: str = ""

    @property
    def sign(self) -> str | None:
        """What stands in its row."""
        return f"{SIGNS[self.mark] if self.mark else ''}{'✎' if self.note else ''}" or None


class Ranking(NamedTuple):
    """What the query gets.

    clips  best first
    hits   the ranks of those with all keywords
    """

    clips: tuple[str, ...]
    hits: frozenset[int]


@cache
def find_ranking() -> Ranking:
    dataset = open_dataset(sample_data.folder())
    with open_encoder() as encoder, Workbench(dataset, encoder) as bench:
        asked = Question("video", CLIP, dataset.model().name, dataset.default_groups or ())
        found = bench.ask_whole(asked, (), 1)
    clips = tuple(found.clip(place) for place in range(found.depth))
    return Ranking(clips, frozenset((found.is_relevant.nonzero()[0] + 1).tolist()))


@dataclass(frozen=True)
class State:
    """Where the cursor is, and what was said by rank; `undone`: what u would bring back, and the
    rank to which it goes."""

    cursor: int
    said: dict[int, Said]
    undone: tuple[int, dict[int, Said]] | None = None

    @property
    def here(self) -> Said:
        return self.said.get(self.cursor, Said())

    def sign(self, rank: int) -> str | None:
        return self.said.get(rank, Said()).sign

    def possible(self) -> list[str]:
        """The keys whose effect is known: u right after a change, a note where there is none."""
        undo = ["u"] if self.undone is not None else []
        return ["+", "-", "j", *undo, *([] if self.here.note else ["a"])]

    def after(self, key: str) -> State:
        if key == "u":
            assert self.undone is not None
            return State(*self.undone)
        if key == "j":
            return State(self.cursor + 1, self.said)
        note = key[0] == "a"
        new = self.here._replace(note=key[1:-1]) if note else self.here._replace(mark=MARKS[key])
        said = {**self.said, self.cursor: new}
        undone = (self.cursor, self.said) if said != self.said else None
        return State(self.cursor if note else _find_next(self.cursor, said), said, undone)


def _find_next(cursor: int, said: dict[int, Said]) -> int:
    """The next miss that is not marked; the same row if there is none."""
    clips, hits = find_ranking()
    marked = hits | {rank for rank, one in said.items() if one.mark}
    return next((rank for rank in range(cursor + 1, len(clips) + 1) if rank not in marked), cursor)


def look_whether_whole(store: Path) -> list[str]:
    connection = sqlite3.connect(store)
    (found,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    return [] if found == "ok" else [f"the store is damaged: {found}"]


class Shown(NamedTuple):
    """The screen at the moment of the kill.

    cursor  the rank that the detail is about
    signs   of the rows that have one, by rank
    undid   it said that something was taken back
    """

    cursor: int
    signs: dict[int, str]
    undid: bool


def compare(store: Path, before: State, keys: list[str], shown: Shown) -> tuple[State, list[str]]:
    """What the store holds, and what was on the screen but is not there.

    The store must hold what the first keys did, as many as were acknowledged or more.
    """
    lost = look_whether_whole(store)
    saved = read_state(store)
    states = [before]
    for key in keys:
        states.append(states[-1].after(key))
    # A mark is saved with its key; the cursor is, a little later, with the detail that it brings.
    done = [number for number, state in enumerate(states) if state.said == saved.said]
    if not done:
        return saved, [*lost, f"{saved} is none of {states}"]
    most = max(done)
    seen = [n for n, state in enumerate(states) if state.cursor == shown.cursor]
    if saved.cursor not in [state.cursor for state in states[min(seen, default=0) : most + 1]]:
        lost.append(f"the cursor at {shown.cursor}: it is at {saved.cursor}")
    for rank, sign in shown.signs.items():
        least = min(n for n, state in enumerate(states) if state.sign(rank) == sign)
        if most < least:
            lost.append(f"what was said of #{rank}: {sign}")
    if shown.undid and most <= keys.index("u"):
        lost.append("what was taken back is there again")
    return saved, lost


def read_state(store: Path) -> State:
    with SessionStore(store) as opened:
        session = opened.open(1)
        view, found = session.view, session.judgements("video", CLIP)
    ranks = {clip: rank for rank, clip in enumerate(find_ranking().clips, start=1)}
    assert view is not None and view.clip is not None
    said = {ranks[clip]: Said(one.mark, one.note) for clip, one in found.items()}
    return State(ranks[view.clip], {rank: one for rank, one in said.items() if one.sign})
