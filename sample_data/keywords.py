"""Scene → keywords of the five groups, in the field's vocabulary and spelling."""

from sample_data.motion import seen_from_ego
from sample_data.scenes import BEHAVIORS, LANE, VULNERABLE, Scene

GROUPS = ("object_type", "actor_behavior", "spatial_relation", "ego_behavior", "scene_type")

VOCABULARY: dict[str, tuple[str, ...]] = {
    "object_type": (
        "small vehicle",
        "large vehicle",
        "bollard",
        "stationary object",
        "pedestrian",
        "motorcyclist",
        "bicyclist",
        "other",
        "unknown",
    ),
    "actor_behavior": BEHAVIORS,
    "spatial_relation": (
        "corridor front",
        "corridor behind",
        *(
            f"{side} {lane}{place}"
            for lane in ("adjacent", "split")
            for side in ("left", "right")
            for place in ("", " front", " behind")
        ),
    ),
    "ego_behavior": ("ego turning", "proceeding straight", "ego lane change"),
    "scene_type": (
        "test track",
        "parking lot/depot",
        "intersection",
        "non-intersection",
        "crosswalk",
        "highway",
        "urban",
        "bridge/tunnel",
        "curved road",
        "positive road grade",
        "negative road grade",
        "street parked vehicle",
        "vulnerable road user present",
        "nighttime",
        "daytime",
        "rainy",
        "sunny",
        "overcast",
        "other",
    ),
}
"""The field's keywords by group; a dataset may use any part of them."""

# The field has no word for a country road. "other" would do, but it is also an object type, and a
# keyword that means two things makes a poor example.
PLACE_KEYWORDS = {
    "urban": "urban",
    "highway": "highway",
    "parking lot": "parking lot/depot",
    "test track": "test track",
}
_EGO = {
    "straight": "proceeding straight",
    "turning": "ego turning",
    "change": "ego lane change",
}


def relation(right: float, ahead: float) -> str:
    """The spatial relation of a point seen from the ego vehicle.

    The corridor is the ego lane, adjacent the lane beside it, split whatever lies further out
    (pavement, other carriageway). Alongside means level with the ego vehicle.

    >>> relation(0.4, 9.0), relation(-3.5, 9.0), relation(6.0, 2.0)
    ('corridor front', 'left adjacent front', 'right split')
    """
    lanes = abs(right) / LANE
    where = " front" if ahead > 4 else (" behind" if ahead < -2 else "")
    if lanes < 0.5:
        return "corridor" + (where or " front")
    return f"{'right' if right > 0 else 'left'} {'adjacent' if lanes < 1.4 else 'split'}{where}"


def _spatial(scene: Scene) -> list[str]:
    """Where the actors are early, midway and late: what moves has more than one relation."""
    return [
        relation(*seen_from_ego(scene, actor, t)) for actor in scene.actors for t in (0.1, 0.5, 0.9)
    ]


def _scene_type(scene: Scene) -> list[str]:
    words = [PLACE_KEYWORDS[scene.place]] if scene.place in PLACE_KEYWORDS else []
    if scene.place in ("urban", "highway", "rural"):
        words.append("intersection" if scene.junction else "non-intersection")
    flags = {
        "crosswalk": scene.crosswalk,
        "bridge/tunnel": bool(scene.structure),
        "curved road": scene.bend != 0,
        "positive road grade": scene.grade > 0,
        "negative road grade": scene.grade < 0,
        "street parked vehicle": scene.parked,
        "vulnerable road user present": any(a.kind in VULNERABLE for a in scene.actors),
    }
    words += [word for word, holds in flags.items() if holds]
    words.append("nighttime" if scene.night else "daytime")
    return [*words, scene.weather] if scene.weather else words


def _in_vocabulary_order(group: str, words: list[str]) -> tuple[str, ...]:
    return tuple(word for word in VOCABULARY[group] if word in words)


def keywords_of(scene: Scene) -> dict[str, tuple[str, ...]]:
    """The keywords of each group, without repeats, in the vocabulary's order."""
    found = {
        "object_type": [actor.kind for actor in scene.actors],
        # A bollard does nothing: annotators leave the behavior of fixed things empty.
        "actor_behavior": [actor.behavior for actor in scene.actors if actor.kind != "bollard"],
        "spatial_relation": _spatial(scene),
        "ego_behavior": [_EGO[scene.ego]],
        "scene_type": _scene_type(scene),
    }
    return {group: _in_vocabulary_order(group, found[group]) for group in GROUPS}
