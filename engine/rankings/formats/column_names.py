"""What columns and keys are called, and which numbers may stand in them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.base.errors import InputError, Place
from engine.rankings.formats.triples import FileKind

QUERY_NAMES = ("query_id", "qid", "q_id", "query")
ITEM_NAMES = ("doc_id", "docid", "docno", "item_id", "item", "corpus_id", "doc", "id")
RANK_NAMES = ("rank",)
NUMBER_NAMES: dict[FileKind, tuple[str, ...]] = {
    "run": ("score", "similarity", "sim"),
    "qrels": ("grade", "score", "relevance", "rel", "label"),
}


def normalise_name(name: str) -> str:
    """A name as it is compared.

    >>> normalise_name(" Query-ID ")
    'query_id'
    """
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def find_first(names: Iterable[str], wanted: Sequence[str]) -> str | None:
    """The name as it is written that stands for the first wanted one that is there.

    >>> find_first(["Doc-ID", "id"], ITEM_NAMES)
    'Doc-ID'
    """
    written: dict[str, str] = {}
    for name in names:
        written.setdefault(normalise_name(name), name)
    return next((written[name] for name in wanted if name in written), None)


def is_header(names: Sequence[str]) -> bool:
    """Whether these texts are column names rather than a first entry."""
    return find_first(names, QUERY_NAMES) is not None and find_first(names, ITEM_NAMES) is not None


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """Which columns hold what, by their written names; `ranked`: the number is a rank."""

    query: str
    item: str
    number: str
    ranked: bool = False

    @classmethod
    def find(cls, names: Sequence[str], kind: FileKind, place: Place) -> ColumnNames:
        """The three columns that are needed, or an InputError that names what is missing.

        >>> ColumnNames.find(["qid", "docid", "rank"], "run", Place())
        ColumnNames(query='qid', item='docid', number='rank', ranked=True)
        """
        query = _need(names, QUERY_NAMES, place)
        item = _need([name for name in names if name != query], ITEM_NAMES, place)
        number = find_first(names, NUMBER_NAMES[kind])
        if number is None and kind == "run" and find_first(names, RANK_NAMES) is not None:
            return cls(query, item, _need(names, RANK_NAMES, place), ranked=True)
        return cls(query, item, number or _need(names, NUMBER_NAMES[kind], place))

    def require_once(self, names: Sequence[str], place: Place) -> None:
        """Refuse two columns of a name that is needed."""
        for name in (self.query, self.item, self.number):
            if list(names).count(name) > 1:
                raise InputError(f"has two columns {name!r}", place, hint="keep one of the two")


def _need(names: Sequence[str], wanted: Sequence[str], place: Place) -> str:
    found = find_first(names, wanted)
    if found is None:
        shown = ", ".join(repr(name) for name in names[:12])
        raise InputError(
            f"has no {' or '.join(wanted[:3])}; it has {shown or 'nothing'}",
            place,
            hint="rename one, or name the format with --run-format or --qrels-format",
        )
    return found


_NUMBER = re.compile(r"[+-]?(\d++(\.\d*+)?|\.\d++)([eE][+-]?\d++)?", re.ASCII)
# Possessive: a cell of many digits and a letter is read once, not from every digit on.
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)

LARGEST_GRADE = 1e9
"""Larger grades are a mistake: another column, most likely."""

NUMBER_NOUNS: dict[FileKind, str] = {"run": "score", "qrels": "grade"}


def parse_number(text: str, kind: FileKind, place: Place, *, whole: bool = False) -> float:
    """A finite score or grade.

    >>> parse_number("0.5", "run", Place())
    0.5
    >>> parse_number("nan", "run", Place("a.run"))
    Traceback (most recent call last):
    ...
    engine.base.errors.InputError: a.run: the score is nan; every score must be a finite number
    """
    if not _NUMBER.fullmatch(text) and not _NOT_FINITE.fullmatch(text):
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        raise InputError(f"the {NUMBER_NOUNS[kind]} {shown!r} is not a number", place)
    return check_number(float(text), kind, place, whole=whole, text=text)


def check_number(
    value: float, kind: FileKind, place: Place, *, whole: bool = False, text: str = ""
) -> float:
    """The value if it can be a score or a grade, else an InputError that says why not."""
    name, shown = NUMBER_NOUNS[kind], text or str(value)
    if not math.isfinite(value):
        hint = f"every {name} must be a finite number"
        raise InputError(f"the {name} is {shown}", place, hint=hint)
    if kind == "qrels" and abs(value) > LARGEST_GRADE:
        raise InputError(f"the grade {shown} is too large", place, hint="is it another column?")
    if whole and value != int(value):
        raise InputError(
            f"the grade {shown} is not a whole number",
            place,
            hint="TREC qrels have whole grades; CSV and JSON may have fractions",
        )
    return value
