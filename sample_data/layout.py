"""Where the road and its parts lie, and outlines that follow it.

Lateral positions are in metres from the ego lane's middle.
"""

from dataclasses import dataclass

from sample_data.canvas import Colour, Point
from sample_data.motion import ego_pose
from sample_data.scenes import LANE, Scene

FAR = 95.0
BEHIND = -6.0
WHITE: Colour = (240, 240, 236)
YELLOW: Colour = (245, 200, 50)


@dataclass(frozen=True)
class Road:
    """Which lanes there are: from `left` to `right` in lanes, edges in metres."""

    left: int
    right: int
    two_way: bool

    @property
    def edges(self) -> tuple[float, float]:
        """Left and right edge of the asphalt."""
        return (self.left - 0.5) * LANE - 0.4, (self.right + 0.5) * LANE + 0.4


def road_of(scene: Scene) -> Road:
    """Highways are three lanes one way; city and country roads two-way; lots and tracks open."""
    if scene.place == "highway":
        return Road(-2 if scene.ego_side < 0 else -1, 1 if scene.ego_side < 0 else 2, False)
    if scene.place == "rural":
        return Road(-1, 0, True)
    if scene.place == "urban":
        return Road(-1, 1, True)
    return Road(-3, 3, False)


def junction_span(scene: Scene) -> tuple[float, float]:
    """Where the crossing road lies: around the main actor, midway through the clip."""
    middle = ego_pose(scene, 0.5).z + scene.actors[0].distance
    return middle - 4.2, middle + 4.2


def crosswalk_at(scene: Scene) -> float:
    """The near edge of the zebra: under the main actor, or in front of the junction."""
    if scene.junction:
        return junction_span(scene)[0] - 3.6
    return ego_pose(scene, 0.5).z + scene.actors[0].distance - 1.4


def ribbon(x0: float, x1: float, z0: float, z1: float, y: float = 0.0) -> list[Point]:
    """A strip along the road, with enough corners to follow a bend or a climb."""
    steps = max(2, int((z1 - z0) / 5))
    stations = [z0 + (z1 - z0) * (i / steps) ** 1.6 for i in range(steps + 1)]
    there: list[Point] = [(x0, y, z) for z in stations]
    back: list[Point] = [(x1, y, z) for z in reversed(stations)]
    return there + back


def wall(x: float, y0: float, y1: float, z0: float, z1: float) -> list[Point]:
    steps = max(1, int((z1 - z0) / 6))
    stations = [z0 + (z1 - z0) * i / steps for i in range(steps + 1)]
    low: list[Point] = [(x, y0, z) for z in stations]
    high: list[Point] = [(x, y1, z) for z in reversed(stations)]
    return low + high


def front(x0: float, x1: float, y0: float, y1: float, z: float) -> list[Point]:
    return [(x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z)]


def slab(x0: float, x1: float, z0: float, z1: float) -> list[Point]:
    return [(x0, 0.0, z0), (x1, 0.0, z0), (x1, 0.0, z1), (x0, 0.0, z1)]
