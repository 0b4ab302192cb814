"""What is planted into studies, one generator for each thing that triage is to find: used by the
tests of its analysis, and by those of all analyses together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.base.arrays import Bools, Floats
from engine.triage.study import Reference
from engine.triage.workings.corrected_labels import turn_bits
from tests.engine.triage.planted import (
    Plan,
    Scene,
    draw_directions,
    draw_scene,
    make_texts,
    make_truth,
    make_unit,
)

Text = tuple[str, list[str], Floats]
"""Its words, its keywords, and its vector."""


def draw_failing_slice(dull: float = 1.0, seed: int = 0) -> Scene:
    """Clips with who1 and way2 together have noise in place of a part of their vector."""
    plan = Plan(clips=480, dimension=48, groups={"who": 4, "way": 4, "sky": 4}, seed=seed)
    scene = draw_scene(replace(plan, noise=0.8))
    both = (scene.numbers["who"] == 1) & (scene.numbers["way"] == 2)
    noise = 2 * draw_directions(np.random.default_rng([seed, 7]), plan.clips, plan.dimension)
    mixed = (1 - dull) * scene.vectors + dull * noise
    return scene.with_vectors(np.where(both[:, None], mixed, scene.vectors))


def weaken(scene: Scene, group: str, number: int, by: float) -> Scene:
    """Take a part of one keyword out of the vectors of the clips that have it."""
    without = by * scene.directions[group][number] * (scene.numbers[group] == number)[:, None]
    return scene.with_vectors(scene.vectors - without)


def blur(scene: Scene, group: str, asked: int, instead: int, by: float) -> Scene:
    """Clips with one keyword look in part like those with another one."""
    ways = scene.directions[group]
    shift = by * (ways[instead] - ways[asked]) * (scene.numbers[group] == asked)[:, None]
    return scene.with_vectors(scene.vectors + shift)


def draw_cone(hubs: int, ways: int = 3, clips: int = 200) -> Scene:
    """Clips that all point a little the same way, the first few of them that way and no other."""
    scene = draw_scene(Plan(clips=clips, groups={"who": 4, "way": ways}, noise=1.2))
    vectors = scene.vectors.copy()
    vectors[:, 0] += 2.0
    vectors[:hubs] = make_unit(vectors).mean(axis=0)
    return scene.with_vectors(vectors)


def see_again(scene: Scene, noise: float = 1.2, leaves_out: str = "") -> Reference:
    """A second model: the same keywords in other directions, with noise of its own."""
    rng = np.random.default_rng([scene.plan.seed, 7])
    clips, d = scene.vectors.shape
    vectors = noise * draw_directions(rng, clips, d)
    for group, which in scene.numbers.items():
        if group != leaves_out:
            vectors += draw_directions(rng, scene.plan.groups[group], d)[which]
    return Reference("alfa-9", make_unit(vectors), np.ones(clips, np.bool_))


def turn_labels(scene: Scene, rate: float) -> tuple[Scene, Bools]:
    """Labels turned round at random, and which they are."""
    rng = np.random.default_rng([scene.plan.seed, 5])
    wrong = rng.random((len(scene.truth), len(scene.truth.words.keywords))) < rate
    turned = turn_bits(scene.truth.bits.shape, *np.nonzero(wrong))
    return replace(scene, truth=replace(scene.truth, bits=scene.truth.bits ^ turned)), wrong


def draw_series(series: int, length: int, spread: float = 0.3, clips: int = 240) -> Scene:
    """So many sources with a series of clips each: the same keywords, nearly the same vectors. All
    others are sources of one clip."""
    scene = draw_scene(Plan(clips=clips, groups={"who": 4, "way": 5}, noise=2.0))
    taken = np.arange(clips)
    ends = series * length
    taken[:ends] = np.repeat(np.arange(series) * length, length)
    rng = np.random.default_rng(7)
    vectors = scene.vectors[taken] + spread * draw_directions(rng, clips, 32)
    numbers = {group: which[taken] for group, which in scene.numbers.items()}
    truth = make_truth(numbers, taken)
    return replace(scene, truth=truth, numbers=numbers, sources=taken, vectors=vectors)


def draw_readable_but_unused(clips: int = 240, seed: int = 0) -> Scene:
    """What "way" is stands in dimensions of its own, without noise but so short that no similarity
    notices."""
    scene = draw_scene(Plan(clips, weights={"way": 0.0}, seed=seed))
    rng = np.random.default_rng([seed, 5])
    quiet = 0.12 * draw_directions(rng, 4, 6)[scene.numbers["way"]]
    quiet += 0.02 * draw_directions(rng, len(quiet), 6)
    return scene.with_vectors(np.hstack([scene.vectors, quiet]))


def draw_gap(
    texts_by: float = 0.0, clips_by: float = 0.0, *, aside: bool = False, seed: int = 0
) -> tuple[Scene, list[Text]]:
    """Texts that are all moved towards a keyword, and clips away from it; `aside`: in opposite
    directions in which nothing else lies, all by as much, so that no order changes."""
    plan = Plan(clips=240, groups={"who": 5, "way": 8}, noise=1.2, seed=seed)
    scene = draw_scene(plan)
    way: Floats = scene.directions["who"][0]
    texts = make_texts(scene, noise=0.6)
    if aside:
        vectors = np.column_stack(
            [make_unit(scene.vectors), np.full(len(scene.vectors), -clips_by)]
        )
        return scene.with_vectors(vectors), [(n, w, np.append(v, texts_by)) for n, w, v in texts]
    moved = scene.with_vectors(scene.vectors - clips_by * way)
    return moved, [(n, w, v + texts_by * way) for n, w, v in texts]
