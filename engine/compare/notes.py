"""What a reader must know beside the numbers of a comparison, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.compare.align import AlignedSystems
from engine.compare.compare_settings import CompareSettings
from engine.metrics import Measure

_MODES = ("text", "video", "ranked")


def note_comparison(
    part: AlignedSystems, measures: Sequence[Measure], settings: CompareSettings
) -> Iterator[str]:
    """Notes of one mode: what was left out, what differs between the systems but the system, and
    what was noted when their numbers were made."""
    yield from _left_out(part, measures)
    if any(system.keywords != part.systems[0].keywords for system in part.systems):
        yield "some queries have other keywords in one system than in another"
    yield from note_conditions(part)
    yield from note_systems(part)
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


def note_conditions(part: AlignedSystems) -> Iterator[str]:
    """Policies and inputs that are not the same: then the systems are not all that differs."""
    for name in dict.fromkeys(name for system in part.systems for name, _ in system.policies):
        values = [dict(system.policies).get(name) for system in part.systems]
        if None not in values and len(set(values)) > 1:
            yield f"the policy {name} differs: {', '.join(map(str, values))}"
    for role in ("annotations", "queries", "qrels"):
        digests = [dict(system.inputs).get(role) for system in part.systems]
        if None not in digests and len(set(digests)) > 1:
            yield f"the systems were evaluated with different {role}"


def note_systems(part: AlignedSystems) -> Iterator[str]:
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
