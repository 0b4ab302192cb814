"""What the pictures of a triage show, as its document has it: every value is checked, and so much
of it at most as can be looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from engine.files.fields import Field
from engine.triage.saved_numbers import SavedNumber, read_number, read_saved_number

MOST_DRAWN = 10_000
MOST_ROWS = 100
"""Keywords or groups of a cross table, slices of a mode, tables of a kind."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SavedBalance:
    """What looks and meaning have to do with the similarity; `group` is empty for all keywords."""

    group: str
    meaning: float
    index: SavedNumber


@dataclass(frozen=True, slots=True)
class LookPicture:
    """Pairs of clips, some of those that were compared.

    reference    what says how clips look
    correlation  partial ρ of similarity and looks, given the keywords
    balances     of all keywords, then of each group
    """

    reference: str
    clips: int
    pairs: int
    correlation: float
    balances: tuple[SavedBalance, ...]
    similarity: tuple[float, ...]
    look: tuple[float, ...]
    overlap: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SubstitutionPicture:
    """Keywords of one group: asked (rows) × came instead (columns).

    left_out  keywords that are not shown
    results   wrong results that lack the one
    instead   those of them that have the other
    lift      how many times as often as clips explain; NaN: it was not tested
    """

    mode: str
    group: str
    keywords: tuple[str, ...]
    left_out: int
    results: tuple[tuple[int, ...], ...]
    instead: tuple[tuple[int, ...], ...]
    lift: tuple[tuple[float, ...], ...]
    proven: tuple[tuple[bool, ...], ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The keywords without their group."""
        return tuple(name.partition(":")[2] or name for name in self.keywords)


@dataclass(frozen=True, slots=True)
class SliceBar:
    """One slice: how its queries are answered, and what chance and the best ranking would do."""

    keywords: tuple[str, ...]
    support: int
    inside: SavedNumber
    chance: float
    ceiling: float
    difference: float
    corrected: float
    proven: bool

    @property
    def label(self) -> str:
        """The keywords without their groups."""
        return " + ".join(name.partition(":")[2] or name for name in self.keywords)


@dataclass(frozen=True, slots=True)
class SlicePicture:
    """Some slices of one mode, of all that were tested; `mean` is that of all its queries."""

    mode: str
    tested: int
    mean: float
    bars: tuple[SliceBar, ...]


@dataclass(frozen=True, slots=True)
class ReliancePicture:
    """What erasing a group (rows) costs the results of each group (columns).

    before  the metric of each group before anything was erased
    """

    groups: tuple[str, ...]
    left_out: int
    before: tuple[float, ...]
    chance: tuple[float, ...]
    ceiling: tuple[float, ...]
    costs: tuple[tuple[SavedNumber, ...], ...]


@dataclass(frozen=True, slots=True)
class TriagePictures:
    """The pictures there are: of analyses that were not carried out there is none."""

    looks: LookPicture | None = None
    substitutions: tuple[SubstitutionPicture, ...] = ()
    slices: tuple[SlicePicture, ...] = ()
    reliance: ReliancePicture | None = None


def parse_pictures(field: Field | None) -> TriagePictures:
    """The field `pictures` of a triage; a document without it has none.

    >>> parse_pictures(None) == TriagePictures()
    True
    """
    if field is None:
        return TriagePictures()
    looks, reliance = field.optional("looks"), field.optional("reliance")
    matrices, tables = field.optional("substitutions"), field.optional("slices")
    return TriagePictures(
        looks=None if looks is None else _looks(looks),
        substitutions=() if matrices is None else _list(matrices, _matrix),
        slices=() if tables is None else _list(tables, _slices),
        reliance=None if reliance is None else _reliance(reliance),
    )


def _list(field: Field, parse: Callable[[Field], T], most: int = MOST_ROWS) -> tuple[T, ...]:
    return tuple(map(parse, field.items(most)))


def _table(field: Field, size: int, parse: Callable[[Field], T]) -> tuple[tuple[T, ...], ...]:
    """A square table."""
    rows = _list(field, lambda row: _list(row, parse))
    if len(rows) != size or any(len(row) != size for row in rows):
        raise field.wrong(f"is no table of {size} × {size}")
    return rows


def _looks(field: Field) -> LookPicture:
    columns = [
        _list(field[name], Field.number, MOST_DRAWN) for name in ("similarity", "look", "overlap")
    ]
    if len({len(column) for column in columns}) > 1:
        raise field.wrong("has columns of different lengths")
    return LookPicture(
        field["reference"].text(),
        field["clips"].count(),
        field["pairs"].count(),
        read_number(field["correlation"]),
        _list(field["balances"], _balance),
        *columns,
    )


def _balance(field: Field) -> SavedBalance:
    group = field["group"]
    return SavedBalance(
        group="" if group.null else group.text(),
        meaning=read_number(field["meaning"]),
        index=read_saved_number(field["index"]),
    )


def _matrix(field: Field) -> SubstitutionPicture:
    keywords = _list(field["keywords"], Field.text)
    size = len(keywords)
    return SubstitutionPicture(
        mode=field["mode"].text(),
        group=field["group"].text(),
        keywords=keywords,
        left_out=field["left_out"].count(),
        results=_table(field["results"], size, Field.count),
        instead=_table(field["instead"], size, Field.count),
        lift=_table(field["lift"], size, read_number),
        proven=_table(field["proven"], size, Field.flag),
    )


def _slices(field: Field) -> SlicePicture:
    return SlicePicture(
        mode=field["mode"].text(),
        tested=field["tested"].count(),
        mean=read_number(field["mean"]),
        bars=_list(field["slices"], _bar),
    )


def _bar(field: Field) -> SliceBar:
    return SliceBar(
        keywords=_list(field["keywords"], Field.text),
        support=field["support"].count(),
        inside=read_saved_number(field["inside"]),
        chance=read_number(field["chance"]),
        ceiling=read_number(field["ceiling"]),
        difference=read_number(field["difference"]),
        corrected=read_number(field["corrected_p"]),
        proven=field["proven"].flag(),
    )


def _reliance(field: Field) -> ReliancePicture:
    groups = _list(field["groups"], Field.text)
    size = len(groups)
    levels = {name: _list(field[name], read_number) for name in ("before", "chance", "ceiling")}
    for name, values in levels.items():
        if len(values) != size:
            raise field[name].wrong(f"has {len(values)} numbers, not {size}")
    return ReliancePicture(
        groups=groups,
        left_out=field["left_out"].count(),
        costs=_table(field["costs"], size, read_saved_number),
        **levels,
    )
