"""Neighbours: the nearest items of every query of a direction, piece by piece, and those of one
query with their labels: what a score is made of.

Time grows with queries × items; memory does not: a piece of the queries is ranked and forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from engine.base.arrays import AnyFloats, Floats, Ints
from engine.base.errors import InputError
from engine.base.messages import list_names, quote, suggest
from engine.labels.data.directions import Direction
from engine.labels.data.labelled_items import LabelledItems
from engine.labels.data.level import LabelLevel
from engine.labels.prototypes.prototypes import PrototypeSet
from engine.search import PreciseIndex, search_in_chunks


@dataclass(frozen=True, eq=False)
class DirectionQueries:
    """The queries of a direction: what each is called, and its label at every level that judges.

    codes  per level, the place of each query's label in the level's names
    """

    names: tuple[str, ...]
    levels: tuple[LabelLevel, ...]
    codes: tuple[Ints, ...]

    def labels(self, query: int) -> tuple[str, ...]:
        pairs = zip(self.levels, self.codes, strict=True)
        return tuple(level.names[codes[query]] for level, codes in pairs)


class ModalityIndexes:
    """What searches each modality, built when it is first asked for."""

    def __init__(self, data: LabelledItems, prototypes: PrototypeSet | None = None) -> None:
        self.data = data
        self._prototypes = prototypes
        self._indexes: dict[str, PreciseIndex] = {}

    def queries(self, direction: Direction) -> DirectionQueries:
        """All items, or all prototypes."""
        levels = self.data.levels
        if not direction.is_prototype:
            return DirectionQueries(self.data.ids, levels, tuple(one.codes for one in levels))
        asked = self._asked()
        level = next(one for one in levels if one.name == asked.level)
        return DirectionQueries(asked.names, (level,), (level.codes_of(asked.queries.labels),))

    def nearest(self, direction: Direction, depth: int) -> Iterator[tuple[slice, Ints]]:
        """The slice of the queries and the rows of their nearest items, the best first.

        Within one modality an item does not find itself. There are at most `depth` items, fewer
        where there are no more.
        """
        if direction.is_prototype:
            for query in range(len(self._asked().names)):
                rows, _ = self.of_query(direction, query, depth)
                yield slice(query, query + 1), rows[None, :]
            return
        if direction.is_self and len(self.data) < 2:
            raise InputError(
                f"{direction.name}: there is no other item to find", hint="give two items or more"
            )
        vectors = self.data.vectors[direction.queries]
        own = np.arange(len(vectors)) if direction.is_self else None
        index = self._index(direction.targets)
        for part, ranking in search_in_chunks(index, vectors, depth, own_rows=own):
            yield part, ranking.indices

    def of_query(self, direction: Direction, query: int, depth: int) -> tuple[Ints, Floats]:
        """The rows of the nearest items of one query, and how similar they are, the best first.

        To a prototype an item is as near as to the nearest of its vectors: the first `depth` items
        under the best of several vectors are among the first of one of them.
        """
        index = self._index(direction.targets)
        if direction.is_prototype:
            asked = self._asked().queries
            own = slice(asked.starts[query], asked.starts[query + 1])
            return _best_of(*index.search_precisely(asked.vectors[own], depth))
        vector = self.data.vectors[direction.queries][query : query + 1]
        found, alike = index.search_precisely(vector, depth + direction.is_self)
        others = found[0] != query if direction.is_self else np.ones(found.shape[1], np.bool_)
        return found[0][others][:depth], alike[0][others][:depth]

    def _asked(self) -> PrototypeSet:
        assert self._prototypes is not None
        return self._prototypes

    def _index(self, modality: str) -> PreciseIndex:
        if modality not in self._indexes:
            vectors: AnyFloats = self.data.vectors[modality]
            self._indexes[modality] = PreciseIndex(vectors, self.data.metric)
        return self._indexes[modality]


def _best_of(rows: Ints, scores: Floats) -> tuple[Ints, Floats]:
    """Rankings of one query's vectors as one, by each item's best score; equal ones by row.

    >>> _best_of(np.array([[4, 7], [7, 9]]), np.array([[0.5, 0.2], [0.9, 0.1]]))
    (array([7, 4]), array([0.9, 0.5]))
    """
    depth = rows.shape[1]
    order = np.lexsort((rows.ravel(), -scores.ravel()))
    ranked = rows.ravel()[order]
    _, first = np.unique(ranked, return_index=True)
    kept = np.sort(first)[:depth]
    return ranked[kept], scores.ravel()[order][kept]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An item that was found: its row in the files, and its labels, one per level of the query."""

    row: int
    id: str
    similarity: float
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueryNeighbours:
    """What one query of a direction found, the best first; `labels` are its own, by level.

    notes  what a reader must know of the items
    """

    direction: Direction
    query: str
    levels: tuple[str, ...]
    labels: tuple[str, ...]
    found: tuple[Neighbour, ...]
    notes: tuple[str, ...] = ()

    def hits(self, level: int) -> int:
        """How many of the found have the query's label."""
        return sum(one.labels[level] == self.labels[level] for one in self.found)


def find_query_neighbours(
    data: LabelledItems,
    directions: Sequence[Direction],
    names: Sequence[str],
    k: int,
    prototypes: PrototypeSet | None = None,
) -> tuple[QueryNeighbours, ...]:
    """The nearest k items of every named query, direction by direction.

    An item is named by its id or by the number of its row, a prototype by what it is called. Who
    is in none of the directions is an InputError.
    """
    around = ModalityIndexes(data, prototypes)
    asked = {direction: around.queries(direction) for direction in directions}
    found = []
    for name in dict.fromkeys(names):
        places = [
            (direction, place)
            for direction, queries in asked.items()
            if (place := _place(name, direction, queries, data)) is not None
        ]
        if not places:
            raise _unknown(asked, name, data)
        found += [_neighbours(around, *place, asked[place[0]], k) for place in places]
    return tuple(found)


def _place(
    name: str, direction: Direction, queries: DirectionQueries, data: LabelledItems
) -> int | None:
    """Where among the queries something is called so; of items also by row of the files."""
    if name in queries.names:
        return queries.names.index(name)
    by_row = not direction.is_prototype and name.isdecimal() and len(name) < _MOST_DIGITS
    return data.find_row(int(name)) if by_row else None


_MOST_DIGITS = 18


def _neighbours(
    around: ModalityIndexes, direction: Direction, query: int, queries: DirectionQueries, k: int
) -> QueryNeighbours:
    rows, scores = around.of_query(direction, query, k)
    levels, ids, in_files = queries.levels, around.data.ids, around.data.rows
    return QueryNeighbours(
        direction,
        queries.names[query],
        tuple(level.name for level in levels),
        queries.labels(query),
        tuple(
            Neighbour(
                row if in_files is None else int(in_files[row]),
                ids[row],
                score,
                tuple(one.names[one.codes[row]] for one in levels),
            )
            for row, score in zip(rows.tolist(), scores.tolist(), strict=True)
        ),
        around.data.notes,
    )


def _unknown(
    asked: Mapping[Direction, DirectionQueries], name: str, data: LabelledItems
) -> InputError:
    items, rows = [queries.names for one, queries in asked.items() if not one.is_prototype], ""
    prototypes = [queries.names for one, queries in asked.items() if one.is_prototype]
    if items:
        rows = f", or give a row's number from 0 to {data.last_row}"
    known = [own for names in (items[:1], prototypes[:1]) for own in chain(*names)]
    near = suggest(name, known)
    return InputError(
        f"no query is called {quote(name)}", hint=f"{near} they are {list_names(known, 4)}{rows}"
    )
