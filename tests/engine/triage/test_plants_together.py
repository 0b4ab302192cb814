"""Whatever is planted is found first when all analyses are carried out together.

One plant may be seen from several sides: a keyword that is missing from the vectors is to blame,
fails its slice and is not told apart. Each plant says which findings describe it too; among all
others it must be the worst, and of those that describe it its own must be found. Others there may
be: random directions are never quite at right angles, and keywords whose directions are near each
other do come in place of each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from engine.triage.finding import Finding
from engine.triage.registry import ANALYSES
from engine.triage.study import Study
from engine.triage.triage import Triage, triage
from tests.engine.triage.lossy_index import LossyIndex
from tests.engine.triage.planted import (
    QUICK,
    Plan,
    Scene,
    draw_scene,
    make_study,
    make_texts,
    make_unit,
    make_visual,
)
from tests.engine.triage.plants import (
    blur,
    draw_cone,
    draw_failing_slice,
    draw_gap,
    draw_readable_but_unused,
    draw_series,
    see_again,
    turn_labels,
    weaken,
)

FULL = replace(QUICK, resamples=2000)


def make(scene: Scene, **more: object) -> Study:
    return make_study(scene, settings=FULL, **more)  # type: ignore[arg-type]


def make_blamed() -> Study:
    """One keyword is taken out of the vectors."""
    scene = draw_scene(Plan(480, 64, {"who": 6, "way": 6}, noise=1.2))
    return make(weaken(scene, "way", 2, 1.0))


def make_look_alike() -> Study:
    scene = draw_scene(Plan(clips=120, looks=2.0, noise=1.0))
    return make(scene, visual=make_visual(scene))


def make_substituted() -> Study:
    scene = draw_scene(Plan(480, 64, {"who": 6, "way": 6}, noise=1.8))
    return make(blur(scene, "way", 2, 4, 0.8))


def make_gap() -> Study:
    scene, texts = draw_gap(3.0, 0.5)
    return make(scene, texts=texts, videos=False)


def make_leaking() -> Study:
    scene = draw_series(40, 4)
    return make(scene, texts=make_texts(scene))


def make_lossy() -> Study:
    scene = draw_scene(Plan(300, groups={"who": 4, "way": 5}, noise=1.0))
    units = make_unit(scene.vectors)
    return make(scene, texts=make_texts(scene), index=lambda: LossyIndex(units, 150, 1))


def make_unreadable() -> Study:
    return make(draw_scene(Plan(clips=480, weights={"way": 0.0})))


@dataclass(frozen=True)
class Plant:
    """own    ids of the findings of which one is to be the first, as a pattern
    too    ids of findings that describe the same plant, as a pattern, and why they do"""

    make: Callable[[], Study]
    own: str
    too: str = "-"
    verdicts: tuple[str, str] = ("fine", "fine")


WAY = r"(blame|pairs|used|readable|slices|substitutions)/(video/)?way.*|pairs/video"
"""Of a group that is not in the similarity whatever is said of it and its keywords is the plant;
and of all pairs, half of which differ in it."""

PLANTS = {
    "a failing slice": Plant(lambda: make(draw_failing_slice()), "slices/video/who-who1-way-way2"),
    # Its slice fails, of course.
    "a keyword to blame": Plant(make_blamed, "blame/video/way-way2", "slices/video/way-way2"),
    # Per clip, per result, and per group that is traded for looks.
    "look-alike bias": Plant(
        make_look_alike, "looks|looks/video", "looks/.*", ("not known", "used but outvoted")
    ),
    # Two keywords that look alike are to blame, and with them their group; their slices fail.
    "a substitution": Plant(
        make_substituted,
        "substitutions/video/way-way(2-way-way4|4-way-way2)",
        "(blame|slices)/video/way(-way[24])?",
    ),
    "a hub": Plant(lambda: make(draw_cone(8)), "hubs/video"),
    # What all texts move towards is found by all: such clips are hubs, and the group is to blame.
    "a gap that costs": Plant(
        make_gap, "gap/text", "hubs/text|blame/text/who", ("used but outvoted",) * 2
    ),
    "leaked duplicates": Plant(make_leaking, "leakage/video/(own-source|one-per-source).*"),
    # A place without a result lacks everything: most of it what is the likeliest by chance.
    "a lossy index": Plant(make_lossy, "index/(text|video)", "blame/(text|video)/who"),
    "an unreadable group": Plant(make_unreadable, "readable/way", WAY, ("fine", "not readable")),
    "a readable but unused group": Plant(
        lambda: make(draw_readable_but_unused()), "used/way", WAY, ("fine", "readable but unused")
    ),
}


def place(found: Triage, plant: Plant) -> tuple[int, Finding]:
    """The place, from 1, of the plant's own finding among what is found, without what describes
    the plant as well."""
    others = [
        one
        for one in found.found
        if re.fullmatch(plant.own, one.id) or not re.fullmatch(plant.too, one.id)
    ]
    for number, one in enumerate(others, 1):
        if re.fullmatch(plant.own, one.id):
            return number, one
    raise AssertionError(f"not found; found are {[one.id for one in found.found]}")


@pytest.mark.parametrize("name", PLANTS)
def test_a_plant_is_found_first(name: str) -> None:
    plant = PLANTS[name]
    found = triage(plant.make(), ANALYSES)
    rank, own = place(found, plant)
    assert rank == 1
    assert own.corrected <= FULL.alpha
    assert own.severity > 0.03
    assert tuple(one.verdict for one in found.verdicts)[:2] == plant.verdicts


def test_a_gap_that_costs_nothing_is_not_found() -> None:
    scene, texts = draw_gap(3.0, 3.0, aside=True)
    found = triage(make(scene, texts=texts, videos=False), ANALYSES)
    assert not found.found
    assert found.find("gap/text").outcome == "nothing"


def test_wrong_labels_are_the_worst_of_the_facts_and_nobody_elses_fault() -> None:
    """Labels are not tested but counted: nothing is proven, and what m could move by is said."""
    scene = draw_scene(Plan(weights={"who": 2.0, "way": 2.0}, noise=1.0))
    marred, wrong = turn_labels(scene, 0.05)
    found = triage(make(marred, second=see_again(scene)), ANALYSES)
    assert not found.found
    facts = [one for one in found.findings if one.outcome == "fact"]
    assert facts[0].id == "doubts/video"
    named = dict(facts[0].numbers)
    assert sum(wrong.ravel()) * 0.5 < named["missing"] + named["wrong"]
    assert {one.verdict for one in found.verdicts} == {"fine"}


def test_without_a_plant_nothing_is_found() -> None:
    scene = draw_scene(Plan(clips=240, weights={"who": 2.0, "way": 2.0}, noise=1.0))
    found = triage(make(scene, texts=make_texts(scene), visual=make_visual(scene)), ANALYSES)
    assert not [one.id for one in found.found]
    assert {one.verdict for one in found.verdicts} == {"fine"}
