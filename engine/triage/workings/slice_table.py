"""All slices of the queries of one mode, tested together, and which of them are worth telling."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.stats.max_t import MaxT, max_t
from engine.triage.permutations import count_fewest_permutations
from engine.triage.settings import TriageSettings
from engine.triage.study import Study, unpack_columns
from engine.triage.workings.slice_lattice import NO_PART, SliceLattice, find_conjunctions

_MOST_TOLD = 20
"""Slices of each mode that are told of where some are found."""

_NEAREST = 3
"""Those that are where none is found."""

_CANDIDATES = 200
"""Slices among which those that another one explains are looked for."""

_MOST_WORK = 3e10
"""Permutations × slices × what changes places: of more slices those of the most queries are
tested."""

_FEWEST_PERMUTATIONS = 1_000
"""And no fewer than a p below alpha needs."""


@dataclass(frozen=True, slots=True, eq=False)
class SliceTable:
    """The slices of one mode, tested together.

    rows     the queries that count
    values   (n,) m of each
    columns  (c,) bit columns of the keywords that `lattice.parts` numbers
    items    (n, c) which query has which
    lattice  the slices that were tested
    tests    what came of it
    left_out  slices that were not tested, as there are too many
    permutations  that p is of
    """

    rows: Ints
    values: Floats
    columns: Ints
    items: Bools
    lattice: SliceLattice
    tests: MaxT
    left_out: int
    permutations: int

    def inside(self, number: int) -> Bools:
        """(n,) the queries of a slice."""
        return self.lattice.members(np.array([number]))[:, 0]

    def parts(self, number: int) -> tuple[int, ...]:
        return tuple(part for part in self.lattice.parts[number].tolist() if part != NO_PART)

    def contrast(self, inside: Bools) -> float:
        """Δ of any queries."""
        return contrast(self.values, inside)


def contrast(values: Floats, inside: Bools) -> float:
    """The mean inside minus the mean outside."""
    return float(values[inside].mean() - values[~inside].mean())


def measure_slices(study: Study, mode: int) -> SliceTable | None:
    """All conjunctions of up to three keywords that enough of the queries have; None: no such."""
    asked, settings = study.asked[mode], study.settings
    rows = np.flatnonzero(asked.counted)
    columns = study.selection.columns
    items = unpack_columns(asked.judged.query_bits[rows], columns)
    lattice = find_conjunctions(items, settings.least_support)
    if not len(lattice):
        return None
    study.beat()
    clusters = asked.clusters[rows]
    units = _count_units(items, clusters)
    kept, permutations = _limit(study, lattice, units)
    lattice, left_out = lattice.take(kept), len(lattice) - len(kept)
    tests = max_t(
        asked.values[rows],
        lattice.sparse_members(),
        clusters=clusters,
        permutations=permutations,
        seed=settings.seed,
        alternative="less",
    )
    return SliceTable(
        rows, asked.values[rows], columns, items, lattice, tests, left_out, permutations
    )


def _count_units(items: Bools, clusters: Ints) -> int:
    """What changes places in a permutation: clusters, and within them queries by keyword set."""
    sets = np.unique(np.column_stack([clusters, np.packbits(items, axis=1)]), axis=0)
    whole = len(np.unique(clusters))
    return whole + (len(sets) if len(sets) > whole else 0)


def _limit(study: Study, lattice: SliceLattice, units: int) -> tuple[Ints, int]:
    """The slices that are tested, and by how many permutations."""
    families = len(study.asked)
    wanted = study.choose_permutations(families)
    fewest = max(_FEWEST_PERMUTATIONS, count_fewest_permutations(families, study.settings))
    work = _MOST_WORK / max(1, units)
    most = max(1, int(work / min(wanted, fewest)))
    kept = np.arange(len(lattice))
    if len(lattice) > most:
        kept = np.sort(np.argsort(-lattice.support, kind="stable")[:most])
    enough = int(work / len(kept))
    return kept, min(wanted, max(fewest, enough))


def choose_slices(table: SliceTable, p: Floats, settings: TriageSettings) -> list[int]:
    """Those that are found, by |Δ| · √support, but for what another one explains; where none is,
    those that come nearest.

    A slice is left out if a part of it has the same Δ but for the margin: its last keyword adds
    nothing; or if without the queries of those before it, it is no worse than the others.
    """
    delta, support = table.tests.difference, table.tests.support
    score = np.where(delta < 0, -delta * np.sqrt(support), 0.0)
    found = np.flatnonzero((p <= settings.alpha) & (delta < 0))
    if not len(found):
        known = np.flatnonzero(np.isfinite(table.tests.t))
        nearest: list[int] = known[np.lexsort((known, table.tests.t[known]))].tolist()
        return nearest[:_NEAREST]
    order = found[np.argsort(-score[found], kind="stable")][:_CANDIDATES]
    own = [one for one in order.tolist() if not _is_explained(table, one, settings.margin)]
    chosen: list[int] = []
    covered = np.zeros(len(table.rows), np.bool_)
    for number in own or order[:1].tolist():
        inside = table.inside(number)
        if chosen and _is_covered(table, inside, covered, settings):
            continue
        chosen.append(number)
        covered |= inside
        if len(chosen) == _MOST_TOLD or covered.all():
            break
    return chosen


def _is_covered(table: SliceTable, inside: Bools, covered: Bools, settings: TriageSettings) -> bool:
    """Whether hardly any query is left of a slice without those covered, or they are no worse than
    the others that are left."""
    rest, left = inside & ~covered, table.values[~covered]
    few = 2 * int(rest.sum()) < settings.least_support
    every = bool(rest[~covered].all())
    return few or every or contrast(left, rest[~covered]) > -settings.margin


def _is_explained(table: SliceTable, number: int, margin: float) -> bool:
    """Whether a part of the conjunction has the same Δ."""
    parts, delta = table.parts(number), table.tests.difference[number]
    for size in range(1, len(parts)):
        for some in combinations(parts, size):
            inside: Bools = np.asarray(table.items[:, some].all(axis=1))
            if not inside.all() and abs(table.contrast(inside) - delta) <= margin:
                return True
    return False
