"""What a sense is and has to do with, in steps: a lorry is a truck, Naples belongs to Italy."""

from __future__ import annotations

import heapq
from functools import lru_cache

from engine.text.wordnet.table import Relation, Synset, load_wordnet

STEPS = {
    Relation.KIND_OF: 0.7,
    Relation.LIKE: 1.2,
    Relation.DERIVED: 1.0,
    Relation.PERTAINS: 1.0,
    Relation.TOPIC: 1.5,
    Relation.PART_OF: 1.3,
    Relation.VERB_GROUP: 0.7,
    Relation.ENTAILS: 1.2,
    Relation.CAUSES: 1.5,
    Relation.ATTRIBUTE: 1.5,
    Relation.SEE_ALSO: 1.5,
}
"""How far each relation leads away; a kind of something is nearest, and the same verb."""

_FARTHEST = 6.0
_SIDE_STEPS = 2
"""Of relations other than KIND_OF, so many in one path: beyond, everything has to do with all."""

_NEAR = 4.5
_KINDS_UP = 3


@lru_cache(maxsize=20_000)
def walk_up(synset: Synset) -> dict[Synset, float]:
    """All that a sense is, belongs to or derives from, with the length of the way there."""
    wordnet = load_wordnet()
    distances: dict[Synset, float] = {}
    waiting = [(0.0, synset, 0)]
    while waiting:
        distance, here, side = heapq.heappop(waiting)
        if here in distances:
            continue
        distances[here] = distance
        for relation, target in wordnet.relations(here):
            sides = side + (relation is not Relation.KIND_OF)
            farther = distance + STEPS[relation]
            if sides <= _SIDE_STEPS and farther <= _FARTHEST:
                heapq.heappush(waiting, (farther, target, sides))
    return distances


@lru_cache(maxsize=20_000)
def find_company(synset: Synset) -> dict[Synset, float]:
    """What a sense is kept in company by: its kinds and what it derives from, not too far up."""
    return {other: d for other, d in walk_up(synset).items() if d <= _NEAR}


@lru_cache(maxsize=20_000)
def find_kinds(synset: Synset) -> dict[Synset, int]:
    """What a sense is a kind of, itself included, with the steps there: a stag is a deer."""
    kinds = {synset: 0}
    newest = [synset]
    for steps in range(1, _KINDS_UP + 1):
        above = {
            target
            for here in newest
            for relation, target in load_wordnet().relations(here)
            if relation is Relation.KIND_OF
        }
        newest = [target for target in above if target not in kinds]
        kinds.update(dict.fromkeys(newest, steps))
    return kinds
