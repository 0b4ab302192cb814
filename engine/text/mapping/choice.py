"""The choice among overlapping evidence: each word speaks for one keyword only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.text.mapping.evidence import Evidence
from engine.text.mapping.query_words import Word

_SAME_GROUP = 1.0
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
        rivals = _Rivals(knot, words, contrasts)
        picks = _heaviest(knot, rivals) if len(knot) <= _MOST_EXACT else _greedy(knot, rivals)
        chosen += [knot[index].evidence for index in picks]
    return chosen


def _undominated(found: Sequence[Evidence]) -> list[Evidence]:
    """Evidence without what says the same keyword by a part of another piece's words."""
    best: dict[tuple[int, tuple[int, ...]], Evidence] = {}
    for evidence in found:
        key = (evidence.keyword, evidence.positions)
        if key not in best or best[key].score < evidence.score:
            best[key] = evidence
    at: dict[tuple[int, int], list[Evidence]] = {}
    for piece in best.values():
        for position in piece.positions:
            at.setdefault((piece.keyword, position), []).append(piece)
    return [
        piece
        for piece in best.values()
        if not any(
            set(piece.positions) < set(other.positions) and other.score >= piece.score
            for other in at[piece.keyword, piece.positions[0]]
        )
    ]


def _knots(weighed: Sequence[_Weighed]) -> list[list[_Weighed]]:
    """Evidence that hangs together by shared words; different knots do not touch."""
    leader: dict[int, int] = {}

    def find(position: int) -> int:
        while leader.setdefault(position, position) != position:
            leader[position] = leader[leader[position]]
            position = leader[position]
        return position

    for item in weighed:
        first, *others = item.evidence.positions
        for position in others:
            leader[find(position)] = find(first)
    knots: dict[int, list[_Weighed]] = {}
    for item in weighed:
        knots.setdefault(find(item.evidence.positions[0]), []).append(item)
    return list(knots.values())


class _Rivals:
    """Which pieces of a knot cannot both be chosen."""

    def __init__(
        self, knot: Sequence[_Weighed], words: Sequence[Word], contrasts: Mapping[str, str]
    ) -> None:
        self._knot, self._words, self._contrasts = knot, words, contrasts

    def admit(self, index: int, picks: Iterable[int]) -> bool:
        mine = self._knot[index].evidence
        return not any(
            _clash(mine, self._knot[pick].evidence, self._words, self._contrasts) for pick in picks
        )


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


def _heaviest(knot: Sequence[_Weighed], rivals: _Rivals) -> tuple[int, ...]:
    """The best of all sets without rivals; a branch that cannot beat the best is not followed."""
    remaining = [sum(item.weight for item in knot[index:]) for index in range(len(knot) + 1)]
    best: tuple[float, tuple[int, ...]] = (0.0, ())

    def extend(index: int, total: float, picks: tuple[int, ...]) -> None:
        nonlocal best
        if total > best[0] + 1e-9:
            best = (total, picks)
        if index == len(knot) or total + remaining[index] <= best[0] + 1e-9:
            return
        if rivals.admit(index, picks):
            repeated = any(knot[pick].group == knot[index].group for pick in picks)
            gain = knot[index].weight - (_SAME_GROUP if repeated else 0.0)
            extend(index + 1, total + gain, (*picks, index))
        extend(index + 1, total, picks)

    extend(0, 0.0, ())
    return best[1]


def _greedy(knot: Sequence[_Weighed], rivals: _Rivals) -> tuple[int, ...]:
    picks: list[int] = []
    at: dict[int, list[int]] = {}
    for index, item in enumerate(knot):
        touching = {pick for position in item.evidence.positions for pick in at.get(position, ())}
        if rivals.admit(index, touching):
            picks.append(index)
            for position in item.evidence.positions:
                at.setdefault(position, []).append(index)
    return tuple(picks)
