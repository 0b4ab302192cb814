"""The queries that all systems answered, side by side, and what a reader must know of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.errors import InputError
from engine.compare.compare_settings import Clustering, CompareSettings
from engine.metrics import Measure
from engine.results.results import QueryKey, Results


@dataclass(frozen=True, eq=False)
class AlignedSystems:
    """Systems over the same queries of one mode, in the same order.

    alone  per system, how many further queries of the mode the others do not all have
    """

    mode: str
    systems: tuple[Results, ...]
    alone: tuple[int, ...]

    @property
    def keys(self) -> tuple[QueryKey, ...]:
        return self.systems[0].keys

    @cached_property
    def keywords(self) -> tuple[tuple[str, ...], ...]:
        """Of each query, as the first system that knows any has them."""
        rows = zip(*(system.keywords for system in self.systems), strict=True)
        return tuple(next(filter(None, row), ()) for row in rows)

    def columns(self, measure: Measure) -> Floats:
        """(q, systems) values; NaN for all where the query does not count for one of them."""
        table = np.stack([system.column(measure) for system in self.systems], axis=1)
        table[np.isnan(table).any(axis=1)] = np.nan
        return table

    def counted(self, measure: Measure) -> Bools:
        """(q,) whether the query counts for all systems."""
        return np.asarray(~np.isnan(self.columns(measure)).any(axis=1), np.bool_)

    def counted_in_some(self, measure: Measure) -> int:
        """Queries that count for some systems, but not for all of them."""
        missing = np.isnan(np.stack([s.column(measure) for s in self.systems], axis=1))
        return int(np.count_nonzero(missing.any(axis=1) & ~missing.all(axis=1)))

    def clusters(self, how: Clustering) -> Ints | None:
        """(q,) a number for each cluster; None if every query stands alone."""
        if how == "none":
            return None
        return self._keyword_clusters if how == "keywords" else self._number(how)

    @cached_property
    def _keyword_clusters(self) -> Ints:
        """Asked for by every slice and measure."""
        return self._number("keywords")

    def _number(self, how: Clustering) -> Ints:
        names = self._cluster_names(how)
        # What has no name has nothing in common with another one.
        alone = [name or f"\n{place}" for place, name in enumerate(names)]
        return np.unique(alone, return_inverse=True)[1].astype(np.int64)

    def _cluster_names(self, how: Clustering) -> list[str]:
        if how == "keywords":
            return ["\n".join(sorted(words)) for words in self.keywords]
        if how == "video":
            known = next((system.videos for system in self.systems if system.videos), ())
            return list(known) or [""] * len(self.keys)
        assert not isinstance(how, str)
        return [how.get(key.query, "") for key in self.keys]


def align_systems(systems: Sequence[Results]) -> tuple[AlignedSystems, ...]:
    """One part per mode that all systems have; InputError if they share no query at all."""
    modes = [m for m in systems[0].modes if all(m in system.modes for system in systems)]
    parts = tuple(filter(None, (_of_mode(mode, systems) for mode in modes)))
    if not parts:
        raise InputError(
            f"{' and '.join(system.name for system in systems)} have no query in common",
            hint="compare systems that answered the same query set",
        )
    return parts


def _of_mode(mode: str, systems: Sequence[Results]) -> AlignedSystems | None:
    own = [system.of_mode(mode) for system in systems]
    shared = set(own[0].keys).intersection(*(system.keys for system in own[1:]))
    if not shared:
        return None
    order = [key for key in own[0].keys if key in shared]
    return AlignedSystems(
        mode,
        systems=tuple(system.only([system.places[key] for key in order]) for system in own),
        alone=tuple(len(system) - len(order) for system in own),
    )


def find_shared_measures(systems: Sequence[Results]) -> tuple[Measure, ...]:
    """The measures that all systems have, in the order of the first."""
    shared = [m for m in systems[0].measures if all(m in s.measures for s in systems)]
    if not shared:
        listed = "; ".join(f"{s.name}: {', '.join(map(str, s.measures))}" for s in systems)
        raise InputError(f"the systems have no metric in common ({listed})")
    return tuple(shared)


_MODES = ("text", "video", "ranked")


def collect_comparison_notes(
    part: AlignedSystems, measures: Sequence[Measure], settings: CompareSettings
) -> Iterator[str]:
    """Notes of one mode: what was left out, what differs between the systems but the system, and
    what was noted when their numbers were made."""
    yield from _left_out(part, measures)
    if any(system.keywords != part.systems[0].keywords for system in part.systems):
        yield "some queries have other keywords in one system than in another"
    yield from collect_condition_notes(part)
    yield from collect_system_notes(part)
    clusters = part.clusters(settings.clusters)
    if clusters is not None and len(set(clusters.tolist())) == len(part.keys):
        yield f"no two queries share a cluster ({settings.clusters_in_words})"


def _left_out(part: AlignedSystems, measures: Sequence[Measure]) -> Iterator[str]:
    for system, alone in zip(part.systems, part.alone, strict=True):
        if alone:
            queries = _counted(alone, f"more {part.mode} query", f"more {part.mode} queries")
            yield f"{system.name} has {queries} that the others do not all have: left out"
    lost: dict[int, list[str]] = {}
    for measure in measures:
        lost.setdefault(part.counted_in_some(measure), []).append(str(measure))
    for count, names in lost.items():
        if count:
            queries = _counted(count, "query counts", "queries count")
            yield f"{queries} for some systems only ({', '.join(names)}): left out"


def collect_condition_notes(part: AlignedSystems) -> Iterator[str]:
    """Policies and inputs that are not the same: then the systems are not all that differs."""
    for name in dict.fromkeys(name for system in part.systems for name, _ in system.policies):
        values = [
            getattr(system, name)
            if name in ("relevance", "one_per")
            else dict(system.policies).get(name)
            for system in part.systems
        ]
        if None not in values and len(set(values)) > 1:
            yield f"the policy {name} differs: {', '.join(map(str, values))}"
    for role in ("annotations", "queries", "qrels"):
        digests = [dict(system.inputs).get(role) for system in part.systems]
        if None not in digests and len(set(digests)) > 1:
            yield f"the systems were evaluated with different {role}"


def collect_system_notes(part: AlignedSystems) -> Iterator[str]:
    """What was noted of single systems; what was noted of all of them is said once."""
    noted = [tuple(_about(part.mode, system.notes)) for system in part.systems]
    for note in dict.fromkeys(note for notes in noted for note in notes):
        having = [s.name for s, notes in zip(part.systems, noted, strict=True) if note in notes]
        yield note if len(having) == len(part.systems) else f"{', '.join(having)}: {note}"


def _about(mode: str, notes: Sequence[str]) -> Iterator[str]:
    """The notes of a mode, and those of no mode; the others are about other queries."""
    for note in notes:
        prefix, _, rest = note.partition(": ")
        if prefix == mode:
            yield rest
        elif prefix not in _MODES:
            yield note


def _counted(count: int, one: str, several: str) -> str:
    return f"1 {one}" if count == 1 else f"{count:,} {several}"
