"""Scene → sentences, as three people with different interests would caption it.

Only training scenes are ever captioned for learning. Captions of shipped clips serve evaluation
alone: in the label sample they are the texts beside the videos, in the moment sample the queries.
"""

from itertools import permutations, product

import numpy as np

from sample_data.scenes import Actor, Scene

_NAMES: dict[str, tuple[str, ...]] = {
    "car": ("small vehicle", "small vehicle", "car"),
    "suv": ("small vehicle", "small vehicle", "SUV"),
    "taxi": ("small vehicle", "small vehicle", "taxi"),
    "truck": ("large vehicle", "large vehicle", "truck"),
    "bus": ("large vehicle", "large vehicle", "bus"),
    "motorcyclist": ("motorcyclist", "motorcyclist", "motorbike rider"),
    "bicyclist": ("bicyclist", "bicyclist", "cyclist"),
    "pedestrian": ("pedestrian", "pedestrian", "person on foot"),
    "bollards": ("bollard", "bollards"),
    "barrier": ("stationary object", "road barrier"),
    "cones": ("stationary object", "traffic cones"),
    "container": ("stationary object", "container on the road"),
    "dog": ("other, a dog", "animal"),
    "deer": ("other, a deer", "animal"),
}
_DOES: dict[str, tuple[str, ...]] = {
    "entering ego path": ("entering ego path", "entering ego path", "cutting into our lane"),
    "stationary": ("stationary", "stationary", "standing still"),
    "traveling in same direction": (
        "traveling in same direction",
        "traveling in same direction",
        "going the same way ahead of us",
    ),
    "traveling in opposite direction": (
        "traveling in opposite direction",
        "traveling in opposite direction",
        "coming towards us",
    ),
    "straight crossing path": (
        "straight crossing path",
        "straight crossing path",
        "crossing the road in front of us",
    ),
    "oncoming turn across path": (
        "oncoming turn across path",
        "oncoming turn across path",
        "oncoming and turning across our path",
    ),
}
_PLACE = {
    "urban": "urban street",
    "highway": "highway",
    "rural": "country road",
    "parking lot": "parking lot",
    "test track": "test track",
}
_EGO = {
    "straight": "ego proceeding straight",
    "turning": "ego turning",
    "change": "ego lane change",
}


def _one_of(rng: np.random.Generator, words: tuple[str, ...]) -> str:
    return words[int(rng.integers(len(words)))]


def _fixed(actor: Actor) -> bool:
    """A thing that does nothing, of which the name says it all."""
    return actor.kind in ("bollard", "stationary object")


def _act(rng: np.random.Generator, actor: Actor) -> str:
    name = _one_of(rng, _NAMES[actor.model])
    return name if _fixed(actor) else f"{name} {_one_of(rng, _DOES[actor.behavior])}"


def _all_acts(actor: Actor) -> set[str]:
    names = set(_NAMES[actor.model])
    if _fixed(actor):
        return names
    return {f"{name} {does}" for name in names for does in _DOES[actor.behavior]}


def _setting(scene: Scene) -> str:
    words = [_PLACE[scene.place]]
    words += ["intersection"] if scene.junction else []
    words += ["crosswalk"] if scene.crosswalk else []
    words += [scene.structure] if scene.structure else []
    words += ["curved road"] if scene.bend else []
    words += ["uphill" if scene.grade > 0 else "downhill"] if scene.grade else []
    words += ["parked vehicles along the street"] if scene.parked else []
    words += ["nighttime" if scene.night else "daytime", scene.weather]
    return ", ".join(word for word in words if word)


def headlines_of(scene: Scene) -> tuple[str, str]:
    """What happens, said twice: the second may choose other words."""
    rng = np.random.default_rng((scene.seed, 4))
    first, second = (" and ".join(_act(rng, actor) for actor in scene.actors) for _ in range(2))
    return first, second


def is_true_of(headline: str, scene: Scene) -> bool:
    """Whether a headline, perhaps of another scene, could be said of this one.

    "small vehicle stationary" is true of every standing taxi, "taxi standing still" of no car.
    """
    return any(
        headline == " and ".join(acts)
        for count in range(1, len(scene.actors) + 1)
        for actors in permutations(scene.actors, count)
        for acts in product(*map(_all_acts, actors))
    )


def captions_of(scene: Scene) -> tuple[str, str, str]:
    """What happens; what happens and where; where and what the ego vehicle does."""
    headline, again = headlines_of(scene)
    ego, setting = _EGO[scene.ego], _setting(scene)
    return headline, f"{again}, {setting}, {ego}", f"{ego}, {setting}"
