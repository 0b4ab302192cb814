"""The names that columns and keys go by: who the query is, which the item, what the number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.base.errors import InputError, Place
from engine.rankings.formats.triples import Kind

QUERY = ("query_id", "qid", "q_id", "query")
ITEM = ("doc_id", "docid", "docno", "item_id", "item", "corpus_id", "doc", "id")
RANK = ("rank",)
NUMBER: dict[Kind, tuple[str, ...]] = {
    "run": ("score", "similarity", "sim"),
    "qrels": ("grade", "score", "relevance", "rel", "label"),
}


def plain(name: str) -> str:
    """A name as it is compared.

    >>> plain(" Query-ID ")
    'query_id'
    """
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def first_of(names: Iterable[str], wanted: Sequence[str]) -> str | None:
    """The name as it is written that stands for the first wanted one that is there.

    >>> first_of(["Doc-ID", "id"], ITEM)
    'Doc-ID'
    """
    written: dict[str, str] = {}
    for name in names:
        written.setdefault(plain(name), name)
    return next((written[name] for name in wanted if name in written), None)


def is_header(names: Sequence[str]) -> bool:
    """Whether these texts are column names rather than a first entry."""
    return first_of(names, QUERY) is not None and first_of(names, ITEM) is not None


@dataclass(frozen=True, slots=True)
class Fields:
    """Which columns hold what, by their written names; `ranked`: the number is a rank."""

    query: str
    item: str
    number: str
    ranked: bool = False

    @classmethod
    def find(cls, names: Sequence[str], kind: Kind, place: Place) -> Fields:
        """The three columns that are needed, or an InputError that names what is missing.

        >>> Fields.find(["qid", "docid", "rank"], "run", Place())
        Fields(query='qid', item='docid', number='rank', ranked=True)
        """
        query = _need(names, QUERY, place)
        item = _need([name for name in names if name != query], ITEM, place)
        number = first_of(names, NUMBER[kind])
        if number is None and kind == "run" and first_of(names, RANK) is not None:
            return cls(query, item, _need(names, RANK, place), ranked=True)
        return cls(query, item, number or _need(names, NUMBER[kind], place))


def _need(names: Sequence[str], wanted: Sequence[str], place: Place) -> str:
    found = first_of(names, wanted)
    if found is None:
        shown = ", ".join(repr(name) for name in names[:12])
        raise InputError(
            f"has no {' or '.join(wanted[:3])}; it has {shown or 'nothing'}",
            place,
            hint="rename one, or name the format with --run-format or --qrels-format",
        )
    return found
