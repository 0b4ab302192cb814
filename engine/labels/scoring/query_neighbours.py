"""The neighbours of one query, with their labels: what a score is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.base.errors import InputError
from engine.base.messages import list_names, quote, suggest
from engine.labels.data.directions import Direction
from engine.labels.data.labelled_items import LabelledItems
from engine.labels.scoring.label_run import PrototypeSet
from engine.labels.scoring.modality_indexes import ModalityIndexes


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
    around = ModalityIndexes(data, None if prototypes is None else prototypes.queries)
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
