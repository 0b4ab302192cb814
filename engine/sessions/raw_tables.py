"""The rows of a store's tables, wherever they lie in its file.

A row is known by its shape, for the schema that says which page belongs to which table may be lost.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from engine.sessions.raw_pages import BadPageError, PageFile, RawPage, RawRecord

_TABLES = ("sessions", "answers", "judgements", "changes", "asked", "sequence")
_ROOTS = {"sqlite_autoindex_answers_1": "asked", "sqlite_sequence": "sequence"}
"""Other names that trees of these tables have in the schema."""


@dataclass(frozen=True, slots=True)
class RawTables:
    """What was found, by table. Rows of pages that the tables still lead to come last, so that
    they count for more than what has been left behind.

    asked     which questions were answered, by the index of the answers: session and question
    sequence  the last id of a session that was given
    """

    sessions: tuple[RawRecord, ...]
    answers: tuple[RawRecord, ...]
    judgements: tuple[RawRecord, ...]
    changes: tuple[RawRecord, ...]
    asked: tuple[RawRecord, ...]
    sequence: tuple[RawRecord, ...]
    names: frozenset[str]
    """The tables that the schema names."""
    misfits: dict[str, int]
    """Rows of a table that do not have its shape."""
    bad_pages: int
    """Pages of a known tree that could not be read, or not all of it."""
    broken: frozenset[str] = frozenset()
    """The tables of which a part may not have been found."""

    @property
    def count(self) -> int:
        return sum(map(len, (self.sessions, self.answers, self.judgements, self.changes)))


def read_tables(file: PageFile) -> RawTables:
    """Every row that can be read."""
    pages: dict[int, RawPage] = {}
    schema = _follow(file, pages, 1)
    roots = {
        _ROOTS.get(str(record.values[1]), str(record.values[1])): record.values[3]
        for record in _records(pages, schema.pages)
        if _is_definition(record)
    }
    trees = {
        table: _follow(file, pages, root) if isinstance(root := roots.get(table), int) else None
        for table in _TABLES
    }
    broken = frozenset(table for table, tree in trees.items() if tree is None or tree.bad)
    if broken:
        _read_rest(file, pages)
    found: dict[str, tuple[RawRecord, ...]] = {}
    misfits = {}
    for table, tree in trees.items():
        reached = tree.pages if tree is not None else ()
        # Where the way to a page is lost, the page itself may be there: better old than lost.
        others = [number for number in pages if number not in reached] if table in broken else []
        fits = _SHAPES[table]
        found[table] = tuple(filter(fits, _records(pages, (*others, *reached))))
        misfits[table] = sum(pages[number].others for number in reached)
        misfits[table] += sum(not fits(record) for record in _records(pages, reached))
    bad = schema.bad + sum(tree.bad for tree in trees.values() if tree is not None)
    return RawTables(**found, names=frozenset(roots), misfits=misfits, bad_pages=bad, broken=broken)


def _read_rest(file: PageFile, pages: dict[int, RawPage]) -> None:
    """All pages of trees that no tree led to; not those that are free, which hold what was deleted.

    They come last: an overflow page belongs to the record that a tree leads to."""
    free = file.read_free_pages()
    for number in range(1, file.count + 1):
        if number not in free and number not in pages:
            with contextlib.suppress(BadPageError):
                pages[number] = file.read(number, _is_wanted)


@dataclass(frozen=True, slots=True)
class _Tree:
    """The pages of a tree that can be reached from its root, and how many of them are bad."""

    pages: tuple[int, ...]
    bad: int


def _follow(file: PageFile, pages: dict[int, RawPage], root: int) -> _Tree:
    """Read the pages of a tree, each once. None of them is free, whatever the list of free pages
    says: one damaged number there may name any page."""
    reached: dict[int, None] = {}
    bad, waiting = 0, [root]
    while waiting:
        number = waiting.pop()
        if number in reached:
            continue
        if number not in pages:
            try:
                pages[number] = file.read(number, _is_wanted)
            except BadPageError:
                bad += 1
                continue
        reached[number] = None
        bad += not pages[number].is_whole
        waiting += pages[number].children
    return _Tree(tuple(reached), bad)


def _records(pages: dict[int, RawPage], numbers: Iterable[int]) -> Iterator[RawRecord]:
    return (record for number in numbers if number in pages for record in pages[number].records)


def _is_wanted(record: RawRecord) -> bool:
    """Whether it may be a row of ours. All others are left behind as soon as they are read: a page
    holds hundreds of short ones, which take many times their length in memory."""
    return any(fits(record) for fits in (_is_definition, *_SHAPES.values()))


def _is_definition(record: RawRecord) -> bool:
    """A row of the schema: what kind of thing, its name, its table's, the root page and the SQL."""
    return len(record.values) == 5 and record.values[0] in ("table", "index")


def _has_shape(
    in_table: bool, least: int, *types: type | tuple[type, ...]
) -> Callable[[RawRecord], bool]:
    """`least`: characters of all its texts; shorter ones make no sense, and may be very many."""

    def fits(record: RawRecord) -> bool:
        return (
            (record.rowid is not None) == in_table
            and len(record.values) == len(types)
            and all(map(isinstance, record.values, types))
            and sum(len(value) for value in record.values if isinstance(value, str)) >= least
        )

    return fits


_WITH_TIME = 30
"""A row holds a time, in a column of its own or in its JSON, and that has 32 characters."""
_none = type(None)
_maybe_text = (str, _none)
_SHAPES: dict[str, Callable[[RawRecord], bool]] = {
    "sessions": _has_shape(True, _WITH_TIME, _none, str, str, str, str, str, _maybe_text, int),
    "answers": _has_shape(True, _WITH_TIME, int, int, int, str, str, str, str, str),
    "judgements": _has_shape(False, _WITH_TIME, int, str, str, str, str),
    "changes": _has_shape(False, _WITH_TIME, int, int, str, str, str, _maybe_text, _maybe_text),
    "asked": _has_shape(False, len('{"mode":"text"}'), int, str, int),
    "sequence": _has_shape(True, len("sessions"), str, int),
}
