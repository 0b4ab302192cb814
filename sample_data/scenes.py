"""What happens in a clip: a scene is a handful of parameters drawn from a seeded generator.

Nothing here knows about pixels or keywords. The renderer draws a scene, `keywords` names it and
`captions` describes it, each from the same parameters, so that the three cannot drift apart.
"""

from dataclasses import dataclass, replace

import numpy as np

LANE = 3.5
"""Width of a lane in metres; lateral positions are counted in lanes."""

PLACES = ("urban", "highway", "rural", "parking lot", "test track")
BEHAVIORS = (
    "entering ego path",
    "stationary",
    "traveling in same direction",
    "traveling in opposite direction",
    "straight crossing path",
    "oncoming turn across path",
)
VEHICLES = ("small vehicle", "large vehicle", "motorcyclist", "bicyclist")
ROAD_USERS = (*VEHICLES, "pedestrian")
VULNERABLE = ("pedestrian", "bicyclist", "motorcyclist")

MODELS: dict[str, tuple[str, ...]] = {
    "small vehicle": ("car", "car", "suv", "taxi"),
    "large vehicle": ("truck", "truck", "bus"),
    "motorcyclist": ("motorcyclist",),
    "bicyclist": ("bicyclist",),
    "pedestrian": ("pedestrian",),
    "bollard": ("bollards",),
    "stationary object": ("barrier", "cones", "container"),
    "other": ("dog", "deer"),
}

# How often each pair of object and behavior is drawn, as clips in the shipped set. Most pairs
# have several clips so that a query has something to find; a few are rare on purpose.
QUOTA: dict[tuple[str, str], int] = {
    **{("small vehicle", behavior): 11 for behavior in BEHAVIORS},
    **{("large vehicle", behavior): 9 for behavior in BEHAVIORS},
    **{("bicyclist", behavior): 9 for behavior in BEHAVIORS},
    **{("motorcyclist", behavior): 7 for behavior in BEHAVIORS},
    **{("pedestrian", behavior): 10 for behavior in BEHAVIORS[:5]},
    ("bicyclist", "stationary"): 4,
    ("motorcyclist", "oncoming turn across path"): 4,
    ("bollard", "stationary"): 8,
    ("stationary object", "stationary"): 10,
    ("other", "straight crossing path"): 5,
    ("other", "entering ego path"): 2,
    ("other", "stationary"): 1,
}


@dataclass(frozen=True)
class Actor:
    """One road user or thing, with what it does relative to the ego vehicle."""

    kind: str
    model: str
    behavior: str
    side: int
    """+1: on the right or coming from the right; −1: the left."""
    distance: float
    """Metres ahead of the ego vehicle at the clip's middle (before small wobbles)."""
    lane: int
    """Lanes from the ego lane where the actor keeps to, or starts from."""
    pace: float
    """Around 1: how brisk the actor is for its kind."""
    colour: tuple[int, int, int]
    seed: int


@dataclass(frozen=True)
class Scene:
    """Everything that fixes a clip."""

    place: str
    night: bool
    weather: str
    """sunny, overcast, rainy, or "" where there is nothing to say (a clear night, a tunnel)."""
    junction: bool
    crosswalk: bool
    parked: bool
    structure: str
    """tunnel, bridge or ""."""
    bend: float
    """Curvature of the road in 1/m; positive bends to the right."""
    grade: float
    """Slope of the road ahead; positive climbs."""
    ego: str
    """straight, turning or lane change."""
    ego_side: int
    ego_distance: float
    """Metres the ego vehicle covers in the clip."""
    actors: tuple[Actor, ...]
    seed: int


def _pick(rng: np.random.Generator, weights: dict[str, float]) -> str:
    names = list(weights)
    odds = np.array([weights[name] for name in names])
    return names[int(rng.choice(len(names), p=odds / odds.sum()))]


def _place(rng: np.random.Generator, kind: str, behavior: str) -> str:
    odds = {"urban": 5.0, "highway": 3.4, "rural": 1.4, "parking lot": 0.8, "test track": 0.6}
    if kind in ("pedestrian", "bicyclist", "bollard"):
        odds["highway"] = 0.0
    if kind == "other":
        odds.update({"highway": 0.0, "rural": 5.0})
    if behavior in ("straight crossing path", "oncoming turn across path"):
        odds["highway"] = 0.0
    if behavior == "traveling in opposite direction":
        odds["highway"] *= 0.3
    return _pick(rng, odds)


def _junction(rng: np.random.Generator, place: str, kind: str, behavior: str) -> bool:
    if place not in ("urban", "rural"):
        return False
    if behavior == "oncoming turn across path":
        return True
    if behavior == "straight crossing path" and kind in VEHICLES:
        return True
    return bool(rng.random() < (0.3 if place == "urban" else 0.12))


def _ego(rng: np.random.Generator, place: str, junction: bool, behavior: str) -> str:
    if behavior in ("oncoming turn across path", "entering ego path"):
        return "straight"  # while the ego vehicle turns away, its path is nobody's to enter
    turning = 0.4 if junction else (0.15 if place in ("parking lot", "test track") else 0.0)
    change = 0.45 if place == "highway" else (0.16 if place == "urban" and not junction else 0.0)
    if behavior == "straight crossing path":
        change = 0.0
    return _pick(rng, {"straight": 1.0 - turning - change, "turning": turning, "change": change})


def _colour(rng: np.random.Generator, kind: str, model: str) -> tuple[int, int, int]:
    paint = {
        "taxi": ["#f2c318"],
        "bus": ["#c8281e", "#2b8a3e", "#e8b21a"],
        "truck": ["#e9e6dc", "#d9701e", "#2f67b1", "#b8322a"],
        "bollards": ["#e04a1f", "#f0c020"],
        "barrier": ["#d8321f"],
        "cones": ["#f2661a"],
        "container": ["#2f7d4f", "#7a4a9c", "#3a5f9a"],
        "dog": ["#7a4b24", "#2e2622", "#c9a06a"],
        "deer": ["#8a5a2e"],
        "bicyclist": ["#f05a28", "#d7f02a", "#1fb6d6", "#e0318c"],
        "motorcyclist": ["#c01f26", "#1b3fae", "#2c2c30", "#1f8f3a"],
        "pedestrian": ["#d8342c", "#2f6fd0", "#e8d8b8", "#6b3fa0", "#2f8f5a", "#f09a2a"],
    }.get(model, ["#c42127", "#1f55b8", "#e6e6e6", "#9aa0a6", "#2a7f45", "#2b2d33", "#d98a1f"])
    code = paint[int(rng.integers(len(paint)))]
    base = np.array([int(code[i : i + 2], 16) for i in (1, 3, 5)])
    red, green, blue = np.clip(base + rng.integers(-14, 15, 3), 0, 255)
    return int(red), int(green), int(blue)


def _lane(rng: np.random.Generator, kind: str, behavior: str, place: str) -> tuple[int, int]:
    """Side and lane (0: the ego lane) that suit a behavior."""
    side = int(rng.choice((-1, 1)))
    if behavior == "traveling in opposite direction":
        # Right-hand traffic: who comes towards us is on the left, but people walk anywhere.
        return (side, 2) if kind == "pedestrian" else (-1, 1)
    if behavior == "traveling in same direction":
        if kind == "pedestrian":
            return side, 2
        if kind == "bicyclist":
            return 1, 1
        lane = 0 if place == "rural" else int(rng.choice((0, 0, 1)))
        return (side if place == "highway" else 1), lane
    if behavior == "stationary":
        in_lane = kind in ("stationary object", "bollard", "other") or place == "highway"
        lanes = (0, 1) if in_lane else (0, 1, 1)
        return (side if kind == "pedestrian" else 1), int(rng.choice(lanes))
    if behavior == "oncoming turn across path":
        return -1, 1
    if behavior == "entering ego path" and place == "rural" and kind in VEHICLES:
        return -1, 1  # a country road has no lane to our right: they come back from overtaking
    return side, 1


def draw_actor(
    rng: np.random.Generator, kind: str, behavior: str, place: str, distance: float
) -> Actor:
    """An actor of this kind and behavior, its other parameters random."""
    model = MODELS[kind][int(rng.integers(len(MODELS[kind])))]
    side, lane = _lane(rng, kind, behavior, place)
    return Actor(
        kind=kind,
        model=model,
        behavior=behavior,
        side=side,
        distance=max(distance, 8.5) if lane == 2 else distance,  # or it would be out of the picture
        lane=lane,
        pace=float(rng.uniform(0.8, 1.2)),
        colour=_colour(rng, kind, model),
        seed=int(rng.integers(2**31)),
    )


def _distance(rng: np.random.Generator, kind: str) -> float:
    near, far = {
        "large vehicle": (10.0, 15.0),
        "small vehicle": (8.0, 13.0),
        "stationary object": (7.0, 11.0),
        "pedestrian": (6.5, 9.0),
    }.get(kind, (6.5, 9.5))
    return float(rng.uniform(near, far))


def _companion(rng: np.random.Generator, first: Actor, place: str) -> Actor | None:
    """Now and then a second actor, where it neither hides the first nor collides with it."""
    crowded = place == "rural" or first.behavior == "oncoming turn across path"
    if rng.random() > 0.18 or crowded:
        return None
    kind, behavior = [
        ("small vehicle", "traveling in opposite direction"),
        ("small vehicle", "stationary"),
        ("pedestrian", "stationary"),
        ("pedestrian", "traveling in same direction"),
    ][int(rng.integers(4))]
    if kind == first.kind or (place == "highway" and kind == "pedestrian"):
        return None
    other = draw_actor(rng, kind, behavior, place, first.distance + float(rng.uniform(2, 5)))
    side = -1 if behavior == "traveling in opposite direction" else -first.side
    return replace(other, side=side, lane=1 if kind == "small vehicle" else 2)


def _ego_side(rng: np.random.Generator, main: Actor) -> int:
    """The ego vehicle turns towards where the actor is going to be, so that we keep seeing it."""
    if main.behavior == "straight crossing path":
        return -main.side
    return main.side if main.lane > 0 else int(rng.choice((-1, 1)))


def draw_scene(rng: np.random.Generator, kind: str, behavior: str) -> Scene:
    """A scene whose main actor is of `kind` and shows `behavior`; the rest is drawn to suit."""
    place = _place(rng, kind, behavior)
    junction = _junction(rng, place, kind, behavior)
    ego = _ego(rng, place, junction, behavior)
    open_road = not junction and place in ("urban", "highway", "rural")
    structure = ""
    if open_road and kind in VEHICLES and behavior != "stationary" and rng.random() < 0.22:
        structure = _pick(rng, {"tunnel": 1.0, "bridge": 1.0})
    night = structure != "tunnel" and bool(rng.random() < 0.33)
    weather = _pick(rng, {"": 0.55, "rainy": 0.45})
    if not night:
        weather = _pick(rng, {"sunny": 0.45, "overcast": 0.3, "rainy": 0.25})
    if structure == "tunnel":
        weather = ""
    walkers = kind in ("pedestrian", "bicyclist") and behavior in (BEHAVIORS[0], BEHAVIORS[4])
    crosswalk = (
        place == "urban" and not structure and bool(rng.random() < (0.65 if walkers else 0.15))
    )
    bends = open_road and ego == "straight" and not crosswalk and rng.random() < 0.22
    bend = float(rng.choice((-1, 1)) * rng.uniform(0.012, 0.022)) if bends else 0.0
    slopes = open_road and not structure and not bends and rng.random() < 0.14
    main = draw_actor(rng, kind, behavior, place, _distance(rng, kind))
    second = None if structure else _companion(rng, main, place)
    return Scene(
        place=place,
        night=night,
        weather=weather,
        junction=junction,
        crosswalk=crosswalk,
        parked=place == "urban" and not structure and bool(rng.random() < 0.3),
        structure=structure,
        bend=bend,
        grade=float(rng.choice((-1, 1)) * rng.uniform(0.09, 0.13)) if slopes else 0.0,
        ego=ego,
        ego_side=_ego_side(rng, main),
        ego_distance=float(rng.uniform(4.5, 7.0)) * (1.3 if place == "highway" else 1.0),
        actors=(main,) if second is None else (main, second),
        seed=int(rng.integers(2**31)),
    )


def shipped_scenes(seed: int) -> list[Scene]:
    """The scenes of the dataset, each pair of `QUOTA` as often as it says, in shuffled order."""
    rng = np.random.default_rng(seed)
    pairs = [pair for pair, count in QUOTA.items() for _ in range(count)]
    return [draw_scene(rng, *pairs[int(i)]) for i in rng.permutation(len(pairs))]


def training_scenes(seed: int, count: int) -> list[Scene]:
    """Other scenes of the same world, pairs drawn at random in the proportions of `QUOTA`."""
    rng = np.random.default_rng(seed)
    pairs = list(QUOTA)
    odds = np.array([QUOTA[pair] for pair in pairs], dtype=float)
    chosen = rng.choice(len(pairs), size=count, p=odds / odds.sum())
    return [draw_scene(rng, *pairs[int(i)]) for i in chosen]
