"""The names that columns and keys go by: who the query is, which the item, what the number."""

from __future__ import annotations

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
