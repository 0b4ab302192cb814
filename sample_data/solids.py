"""A workbench for small solid models: faces, limbs, wheels and boxes, turned by a heading.

Each model is built in its own frame (right, up, forward; metres) and turned by its heading, so
that the same car shows its tail lights when it leads and its headlights when it comes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin

from sample_data.canvas import PAINT, Colour, Point, Shapes
from sample_data.motion import Pose

Decal = tuple[Sequence[Point], Colour, bool]
"""Outline, colour, and whether it shines by itself."""

GLASS: Colour = (38, 52, 70)
TYRE: Colour = (22, 22, 24)
SKIN: Colour = (224, 172, 132)
TAIL: Colour = (255, 40, 30)
LAMP: Colour = (255, 248, 205)


def tone(colour: Colour, factor: float) -> Colour:
    """A lighter or darker shade."""
    red, green, blue = (max(0, min(255, round(c * factor))) for c in colour)
    return red, green, blue


@dataclass(frozen=True)
class Stage:
    """Places model coordinates into the world and adds them to a display list."""

    shapes: Shapes
    pose: Pose
    scale: float = 1.0

    def at(self, right: float, up: float, forward: float) -> Point:
        """A model point in the world."""
        c, s = cos(self.pose.heading), sin(self.pose.heading)
        k = self.scale
        x = self.pose.x + k * (right * c + forward * s)
        return x, k * up, self.pose.z + k * (forward * c - right * s)

    def face(self, points: Sequence[Point], colour: Colour, *, glow: bool = False) -> None:
        """A flat face."""
        self.shapes.add([self.at(*p) for p in points], colour, glow=glow)

    def limb(
        self, points: Sequence[Point], colour: Colour, width: float, *, glow: bool = False
    ) -> None:
        """A round stroke that is its own part: arms, legs, tubes; one point makes a ball."""
        self.shapes.part()
        placed = [self.at(*p) for p in points]
        self.shapes.add(placed, colour, width=width * self.scale, glow=glow)

    def wheel(self, right: float, forward: float, radius: float, width: float) -> None:
        """A tyre as a ring in the plane of travel."""
        rim = [
            (right, radius + radius * sin(a), forward + radius * cos(a))
            for a in [i * pi / 6 for i in range(13)]
        ]
        self.limb(rim, TYRE, width)

    def disc(self, right: float, forward: float, radius: float) -> None:
        """A solid wheel on a vehicle's flank."""
        rim = [
            (right, radius + radius * sin(a), forward + radius * cos(a))
            for a in [i * pi / 5 for i in range(10)]
        ]
        self.face(rim, TYRE)
        self.face(
            [(right, radius + 0.45 * (u - radius), f * 0.45 + forward * 0.55) for _, u, f in rim],
            (150, 150, 155),
        )

    def shadow(self, half_width: float, half_length: float) -> None:
        """A dark patch that puts the thing on the ground."""
        self.shapes.thing()
        w, n = half_width, half_length
        flat = [(-w, 0.01, -n), (w, 0.01, -n), (w, 0.01, n), (-w, 0.01, n)]
        self.shapes.add([self.at(*p) for p in flat], (30, 30, 34), layer=PAINT)

    def box(
        self,
        w: float,
        low: float,
        high: float,
        back: float,
        front: float,
        colour: Colour,
        taper: float = 0.0,
        decals: dict[str, list[Decal]] | None = None,
    ) -> None:
        """A box, narrower at the top by `taper`; decals are painted right after their face."""
        a, b = w - taper * 0.4, taper
        faces: dict[str, tuple[list[Point], float]] = {
            "back": (
                [(-w, low, back), (w, low, back), (a, high, back + b), (-a, high, back + b)],
                0.85,
            ),
            "front": (
                [(-w, low, front), (w, low, front), (a, high, front - b), (-a, high, front - b)],
                0.9,
            ),
            "left": (
                [(-w, low, back), (-w, low, front), (-a, high, front - b), (-a, high, back + b)],
                0.72,
            ),
            "right": (
                [(w, low, back), (w, low, front), (a, high, front - b), (a, high, back + b)],
                0.72,
            ),
            "top": (
                [
                    (-a, high, back + b),
                    (a, high, back + b),
                    (a, high, front - b),
                    (-a, high, front - b),
                ],
                1.15,
            ),
        }
        for name, (points, shade) in faces.items():
            self.shapes.part()
            self.face(points, tone(colour, shade))
            for shape, paint, glow in (decals or {}).get(name, []):
                self.face(shape, paint, glow=glow)


def rect_z(x0: float, x1: float, y0: float, y1: float, z: float) -> list[Point]:
    return [(x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z)]


def rect_x(x: float, y0: float, y1: float, z0: float, z1: float) -> list[Point]:
    return [(x, y0, z0), (x, y0, z1), (x, y1, z1), (x, y1, z0)]
