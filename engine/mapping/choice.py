"""The choice among overlapping evidence: each word speaks for one keyword only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.mapping.evidence import Evidence
from engine.mapping.words import Word

_SAME_GROUP = 0.7
"""What a further keyword of the same group costs: "left adjacent behind us" is one relation."""

_MOST_EXACT = 14
"""How many overlapping pieces are weighed against each other exactly; beyond, greedily."""


@dataclass(frozen=True, slots=True)
class _Weighed:
    evidence: Evidence
    weight: float
    group: str


def choose(
    found: Sequence[Evidence],
    words: Sequence[Word],
    group_of: Callable[[int], str],
    contrasts: Mapping[str, str],
) -> list[Evidence]:
    """The heaviest set of evidence in which no word speaks twice."""
    weighed = [_Weighed(e, e.weight(words), group_of(e.keyword)) for e in _undominated(found)]
    weighed.sort(key=lambda item: (-item.weight, item.evidence.positions, item.evidence.keyword))
    chosen: list[Evidence] = []
    for knot in _knots(weighed):
        conflict = _conflicts(knot, words, contrasts)
        picks = _heaviest(knot, conflict) if len(knot) <= _MOST_EXACT else _greedy(knot, conflict)
        chosen += [knot[index].evidence for index in picks]
    return chosen


def _undominated(found: Sequence[Evidence]) -> list[Evidence]:
    """Evidence without what says the same keyword by a part of another piece's words."""
    best: dict[tuple[int, tuple[int, ...]], Evidence] = {}
    for evidence in found:
        key = (evidence.keyword, evidence.positions)
        if key not in best or best[key].score < evidence.score:
            best[key] = evidence
    pieces = list(best.values())
    return [
        piece
        for piece in pieces
        if not any(
            other.keyword == piece.keyword
            and set(piece.positions) < set(other.positions)
            and other.score >= piece.score
            for other in pieces
        )
    ]


def _knots(weighed: Sequence[_Weighed]) -> list[list[_Weighed]]:
    """Evidence that hangs together by shared words; different knots do not touch."""
    knots: list[tuple[set[int], list[_Weighed]]] = []
    for item in weighed:
        positions = set(item.evidence.positions)
        joined = [knot for knot in knots if knot[0] & positions]
        members = [member for knot in joined for member in knot[1]]
        covered = positions.union(*(knot[0] for knot in joined))
        knots = [knot for knot in knots if knot not in joined]
        knots.append((covered, [*members, item]))
    return [sorted(members, key=lambda member: -member.weight) for _, members in knots]


def _conflicts(
    knot: Sequence[_Weighed], words: Sequence[Word], contrasts: Mapping[str, str]
) -> list[set[int]]:
    return [
        {
            other
            for other, rival in enumerate(knot)
            if other != index and _clash(item.evidence, rival.evidence, words, contrasts)
        }
        for index, item in enumerate(knot)
    ]


def _clash(
    one: Evidence, other: Evidence, words: Sequence[Word], contrasts: Mapping[str, str]
) -> bool:
    mine, yours = set(one.positions), set(other.positions)
    if not mine & yours:
        return False
    # "behind us, left and right" shares one word between two relations that differ by a contrary.
    only_mine = {words[position].stem for position in mine - yours}
    only_yours = {words[position].stem for position in yours - mine}
    coordinated = any(contrasts.get(stem) in only_yours for stem in only_mine)
    return not (coordinated and len(mine) == len(yours) and one.keyword != other.keyword)


def _total(knot: Sequence[_Weighed], picks: Sequence[int]) -> float:
    groups = [knot[index].group for index in picks]
    repeated = len(groups) - len(set(groups))
    return sum(knot[index].weight for index in picks) - _SAME_GROUP * repeated


def _heaviest(knot: Sequence[_Weighed], conflict: Sequence[set[int]]) -> tuple[int, ...]:
    best: tuple[float, tuple[int, ...]] = (0.0, ())

    def extend(index: int, picks: tuple[int, ...]) -> None:
        nonlocal best
        if index == len(knot):
            total = _total(knot, picks)
            if total > best[0] + 1e-9:
                best = (total, picks)
            return
        if not conflict[index].intersection(picks):
            extend(index + 1, (*picks, index))
        extend(index + 1, picks)

    extend(0, ())
    return best[1]


def _greedy(knot: Sequence[_Weighed], conflict: Sequence[set[int]]) -> tuple[int, ...]:
    picks: list[int] = []
    for index in range(len(knot)):
        if not conflict[index].intersection(picks):
            picks.append(index)
    return tuple(picks)
