"""Neighbours: the nearest items of every query of a direction, piece by piece, and those of one
query with their labels: what a score is made of.

Time grows with queries × items; memory does not: a piece of the queries is ranked and forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import AnyFloats, Floats, Ints
from engine.base.errors import InputError
from engine.base.messages import list_names, quote, suggest
from engine.labels.data.directions import Direction
from engine.labels.data.labelled_items import LabelledItems
from engine.labels.prototypes.prototypes import PrototypeQueries, PrototypeSet
from engine.search import PreciseIndex, search_in_chunks


class ModalityIndexes:
    """What searches each modality, built when it is first asked for."""

    def __init__(self, data: LabelledItems, prototypes: PrototypeSet | None = None) -> None:
        self._data = data
        self._prototypes = prototypes
        self._indexes: dict[str, PreciseIndex] = {}

    def nearest(self, direction: Direction, depth: int) -> Iterator[tuple[slice, Ints]]:
        """The slice of the queries and the rows of their nearest items, the best first.

        Within one modality an item does not find itself. There are at most `depth` items, fewer
        where there are no more.
        """
        index = self._index(direction.targets)
        if direction.is_prototype:
            assert self._prototypes is not None
            yield from _nearest_to_prototypes(index, self._prototypes.queries, depth)
            return
        if direction.is_self and len(self._data) < 2:
            raise InputError(
                f"{direction.name}: there is no other item to find", hint="give two items or more"
            )
        vectors = self._data.vectors[direction.queries]
        own = np.arange(len(vectors)) if direction.is_self else None
        for part, ranking in search_in_chunks(index, vectors, depth, own_rows=own):
            yield part, ranking.indices

    def of_query(self, direction: Direction, query: int, depth: int) -> tuple[Ints, Floats]:
        """The rows of the nearest items of one query, and how similar they are, the best first."""
        index = self._index(direction.targets)
        if direction.is_prototype:
            assert self._prototypes is not None
            return _nearest_to_prototype(index, self._prototypes.queries, query, depth)
        asked = self._data.vectors[direction.queries][query : query + 1]
        found, alike = index.search_precisely(asked, depth + direction.is_self)
        others = found[0] != query if direction.is_self else np.ones(found.shape[1], np.bool_)
        return found[0][others][:depth], alike[0][others][:depth]

    def _index(self, modality: str) -> PreciseIndex:
        if modality not in self._indexes:
            vectors: AnyFloats = self._data.vectors[modality]
            self._indexes[modality] = PreciseIndex(vectors, self._data.metric)
        return self._indexes[modality]


def _nearest_to_prototypes(
    index: PreciseIndex, prototypes: PrototypeQueries, depth: int
) -> Iterator[tuple[slice, Ints]]:
    """One query at a time."""
    for query in range(len(prototypes)):
        rows, _ = _nearest_to_prototype(index, prototypes, query, depth)
        yield slice(query, query + 1), rows[None, :]


def _nearest_to_prototype(
    index: PreciseIndex, prototypes: PrototypeQueries, query: int, depth: int
) -> tuple[Ints, Floats]:
    """An item is as near as the nearest of the query's vectors.

    The first `depth` items under the best of several vectors are among the first of one of them.
    """
    own = slice(prototypes.starts[query], prototypes.starts[query + 1])
    return _best_of(*index.search_precisely(prototypes.vectors[own], depth))


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
    """An item that was found: `labels` are its labels, one per level of the query."""

    row: int
    id: str
    similarity: float
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueryNeighbours:
    """What one query of a direction found, the best first; `labels` are its own, by level."""

    direction: Direction
    query: str
    levels: tuple[str, ...]
    labels: tuple[str, ...]
    found: tuple[Neighbour, ...]

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
    wanted = {name: list(_places(data, directions, name, prototypes)) for name in names}
    for name, places in wanted.items():
        if not places:
            raise _unknown(data, directions, name, prototypes)
    return tuple(
        _neighbours(data, around, direction, query, k, prototypes)
        for places in wanted.values()
        for direction, query in places
    )


def _places(
    data: LabelledItems, directions: Sequence[Direction], name: str, prototypes: PrototypeSet | None
) -> Iterator[tuple[Direction, int]]:
    """The directions in which something is called so, and its place among their queries."""
    for direction in directions:
        if direction.is_prototype:
            if prototypes is not None and name in prototypes.names:
                yield direction, prototypes.names.index(name)
        elif name in data.ids:
            yield direction, data.ids.index(name)
        elif name.isdecimal() and int(name) < len(data):
            yield direction, int(name)


def _neighbours(
    data: LabelledItems,
    around: ModalityIndexes,
    direction: Direction,
    query: int,
    k: int,
    prototypes: PrototypeSet | None,
) -> QueryNeighbours:
    if direction.is_prototype:
        assert prototypes is not None
        levels = [one for one in data.levels if one.name == prototypes.level]
        name, labels = prototypes.names[query], (prototypes.queries.labels[query],)
    else:
        levels = list(data.levels)
        name, labels = data.ids[query], tuple(one.names[one.codes[query]] for one in levels)
    rows, scores = around.of_query(direction, query, k)
    return QueryNeighbours(
        direction,
        name,
        tuple(level.name for level in levels),
        labels,
        tuple(
            Neighbour(row, data.ids[row], score, tuple(one.names[one.codes[row]] for one in levels))
            for row, score in zip(rows.tolist(), scores.tolist(), strict=True)
        ),
    )


def _unknown(
    data: LabelledItems, directions: Sequence[Direction], name: str, prototypes: PrototypeSet | None
) -> InputError:
    known: list[str] = []
    if prototypes is not None:
        known += prototypes.names
    rows = ""
    if any(not direction.is_prototype for direction in directions):
        known = [*data.ids, *known]
        rows = f", or give a row's number from 0 to {len(data) - 1}"
    near = suggest(name, known)
    return InputError(
        f"no query is called {quote(name)}", hint=f"{near} they are {list_names(known, 4)}{rows}"
    )
