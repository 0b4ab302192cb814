"""Where everything is at a moment of the clip: the behavior of ego and actors as trajectories.

World coordinates in metres: x to the right, z forward, both from where the ego vehicle starts.
A heading of 0 looks forward (we see the actor's back), π looks at us, ±π/2 across.
Time t runs from 0 (first frame) to 1 (last frame).
"""

from dataclasses import dataclass
from math import cos, pi, sin

from sample_data.scenes import LANE, Actor, Scene


@dataclass(frozen=True)
class Pose:
    """A position on the ground and a heading in radians."""

    x: float
    z: float
    heading: float


def _ease(t: float) -> float:
    """0 → 1 with a soft start and end."""
    t = min(max(t, 0.0), 1.0)
    return t * t * (3 - 2 * t)


def ego_pose(scene: Scene, t: float) -> Pose:
    """The camera: a turn swings the whole view, a lane change slides it one lane over."""
    side = scene.ego_side
    if scene.ego == "turning":
        yaw = side * 0.52 * _ease((t - 0.1) / 0.9)
        run = scene.ego_distance * 0.55 * t
        return Pose(run * sin(yaw / 2), run * cos(yaw / 2), yaw)
    if scene.ego == "change":
        yaw = side * 0.13 * sin(pi * t)
        return Pose(side * LANE * _ease(t), scene.ego_distance * t, yaw)
    return Pose(0.0, scene.ego_distance * t, 0.0)


def _lateral(actor: Actor, scene: Scene) -> float:
    """Metres from the ego lane's middle where the actor keeps to."""
    if actor.lane == 2:  # the edge of the road
        return actor.side * 1.1 * LANE
    if actor.lane == 1 and actor.kind in ("bicyclist", "pedestrian", "bollard"):
        return actor.side * 0.82 * LANE
    if actor.lane == 0 and actor.kind in ("bollard", "stationary object"):
        return actor.side * 0.25 * LANE
    return actor.side * actor.lane * LANE


def _crossing_reach(actor: Actor) -> float:
    """Half the way that a crossing actor covers; walkers cover less than vehicles."""
    reach = {"pedestrian": 3.0, "other": 4.2, "bicyclist": 4.8}.get(actor.kind, 7.0)
    return reach * actor.pace


def _oncoming_turn(actor: Actor, middle: float, t: float) -> Pose:
    """Towards us in the opposite lane, then an arc through our lane to the right."""
    turn = _ease((t - 0.15) / 0.65)
    heading = pi - turn * pi / 2
    reach = LANE + 4.0 * actor.pace
    x = -LANE + reach * _ease((t - 0.2) / 0.8) ** 1.1
    z = middle + actor.distance + 6.0 * (1 - _ease(t / 0.75))
    return Pose(x, z, heading)


def actor_pose(scene: Scene, actor: Actor, t: float) -> Pose:
    """Where the actor is at time t, in the world."""
    middle = ego_pose(scene, 0.5).z
    now = ego_pose(scene, t).z
    side, base = actor.side, _lateral(actor, scene)
    if actor.behavior == "stationary":
        facing = 0.0
        if actor.kind in ("pedestrian", "other"):
            facing = side * -pi / 2
        elif base < -1 and scene.place in ("urban", "rural"):
            facing = pi  # on the other side of a two-way road, vehicles stand facing us
        return Pose(base, middle + actor.distance, facing)
    if actor.behavior == "traveling in same direction":
        drift = 1.5 * (actor.pace - 1) * 2 * (t - 0.5)
        return Pose(base, now + actor.distance + drift, 0.0)
    if actor.behavior == "traveling in opposite direction":
        own = (5.0 if actor.kind == "pedestrian" else 11.0) * actor.pace
        return Pose(base, middle + actor.distance + own * (0.5 - t), pi)
    if actor.behavior == "entering ego path":
        start = side * LANE * (1.2 if actor.kind in ("pedestrian", "other") else 1.1)
        done = _ease((t - 0.1) / 0.75)
        walking = actor.kind in ("pedestrian", "other")
        follow = middle + 0.35 * (now - middle) if walking else now
        slant = 1.25 if walking else 0.5 * sin(pi * min(1.0, max(0.0, (t - 0.05) / 0.9)))
        return Pose(start * (1 - done), follow + actor.distance, -side * slant)
    if actor.behavior == "straight crossing path":
        reach = _crossing_reach(actor)
        follow = middle + 0.4 * (now - middle)
        return Pose(side * reach * (1 - 2 * t), follow + actor.distance, -side * pi / 2)
    return _oncoming_turn(actor, middle, t)


def seen_from_ego(scene: Scene, actor: Actor, t: float) -> tuple[float, float]:
    """Metres to the right of, and ahead of, the ego vehicle as it stands at time t."""
    ego, pose = ego_pose(scene, t), actor_pose(scene, actor, t)
    dx, dz = pose.x - ego.x, pose.z - ego.z
    c, s = cos(ego.heading), sin(ego.heading)
    return dx * c - dz * s, dx * s + dz * c
