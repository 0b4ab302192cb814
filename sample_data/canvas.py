"""Shapes in the world, and the camera that draws them.

Shapes are collected as plain lists, projected together with numpy in one go and painted from far
to near with Pillow. That keeps a frame at a few milliseconds, so that thousands of training
scenes can be rendered in minutes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import cos, sin

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from sample_data.motion import Pose

WIDTH, HEIGHT = 160, 90
OVERSAMPLE = 2
FOCAL = 128.0
EYE = 1.5
NEAR = 0.6
GROUND, ROAD, PAINT, THING = range(4)

Colour = tuple[int, int, int]
Point = tuple[float, float, float]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Light:
    """How the scene is lit: what the air, the sky and the dark do to colours."""

    ambient: tuple[float, float, float]
    air: Colour
    """What far things fade into."""
    sight: float
    """Metres at which most of a colour has faded."""
    headlights: bool = False


@dataclass
class Shapes:
    """A display list. A shape is a polygon (`width` 0) or a stroke of `width` metres.

    Shapes of one layer are painted by the distance of their `thing`, then of their `part`, then
    in the order they came: so a window stays on its wall and a wheel on its car.
    """

    points: list[Sequence[Point]] = field(default_factory=list)
    colours: list[Colour] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    glows: list[bool] = field(default_factory=list)
    layers: list[int] = field(default_factory=list)
    things: list[int] = field(default_factory=list)
    parts: list[int] = field(default_factory=list)
    _thing: int = 0
    _part: int = 0

    def thing(self) -> None:
        """Start a new thing: what follows is painted together."""
        self._thing += 1
        self.part()

    def part(self) -> None:
        """Start a new part of the thing; the first shape of a part gives its distance."""
        self._part += 1

    def add(
        self,
        points: Sequence[Point],
        colour: Colour,
        *,
        width: float = 0.0,
        glow: bool = False,
        layer: int = THING,
    ) -> None:
        """Add one shape."""
        self.points.append(points)
        self.colours.append(colour)
        self.widths.append(width)
        self.glows.append(glow)
        self.layers.append(layer)
        self.things.append(self._thing)
        self.parts.append(self._part)

    def extend(self, other: "Shapes") -> "Shapes":
        """Both lists as one; neither is changed."""
        return Shapes(
            self.points + other.points,
            self.colours + other.colours,
            self.widths + other.widths,
            self.glows + other.glows,
            self.layers + other.layers,
            self.things + [thing + self._thing + 1 for thing in other.things],
            self.parts + [part + self._part + 1 for part in other.parts],
        )


@dataclass(frozen=True)
class Camera:
    """The ego vehicle's eye. Bend and grade shape the road ahead of it as it drives."""

    pose: Pose
    bend: float = 0.0
    grade: float = 0.0
    shake: float = 0.0

    @property
    def horizon(self) -> float:
        """Row of the horizon, in pixels of the final picture."""
        return HEIGHT * 0.42 + self.shake

    def view(self, world: Floats) -> Floats:
        """World points (n, 3) as seen: right, up, ahead."""
        dx, dz = world[:, 0] - self.pose.x, world[:, 2] - self.pose.z
        ahead = np.clip(dz, 0, None)
        dx = dx + 0.5 * self.bend * ahead**2
        up = world[:, 1] + self.grade * np.clip(dz - 4, 0, None)
        c, s = cos(self.pose.heading), sin(self.pose.heading)
        return np.stack([dx * c - dz * s, up - EYE, dx * s + dz * c], axis=1)

    def project(self, seen: Floats) -> Floats:
        """Seen points in front of the eye as pixels of the oversampled picture."""
        scale = FOCAL / seen[:, 2]
        u = WIDTH / 2 + seen[:, 0] * scale
        v = self.horizon - seen[:, 1] * scale
        return np.stack([u, v], axis=1) * OVERSAMPLE


def _clip_near(polygon: Floats) -> Floats:
    """The part of a polygon that lies in front of the eye."""
    kept: list[Floats] = []
    for a, b in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        if a[2] >= NEAR:
            kept.append(a)
        if (a[2] >= NEAR) != (b[2] >= NEAR):
            kept.append(a + (b - a) * (NEAR - a[2]) / (b[2] - a[2]))
    return np.array(kept).reshape(-1, 3)


def _lit(shapes: Shapes, centres: Floats, light: Light) -> NDArray[np.uint8]:
    """Colours after the ambient light, our own headlights and the air between."""
    colours = np.array(shapes.colours, dtype=float)
    ambient = np.array(light.ambient)
    glow = np.array(shapes.glows)[:, None]
    strength: Floats = np.ones((len(colours), 1)) * ambient
    if light.headlights:
        ahead, right = centres[:, 2], centres[:, 0]
        beam = np.exp(-((right / (0.5 * np.abs(ahead) + 1.5)) ** 2) - np.clip(ahead, 0, None) / 22)
        thing = np.array(shapes.layers) == THING
        strength = strength + 0.8 * (beam * thing)[:, None] * (1 - ambient)
    lit = np.where(glow, colours, colours * strength)
    haze = 1 - np.exp(-np.clip(centres[:, 2], 0, None) / light.sight)[:, None]
    haze = np.where(glow, haze * 0.4, haze)
    seen: Floats = lit * (1 - haze) + np.array(light.air) * haze
    return np.clip(seen, 0, 255).astype(np.uint8)


def paint(draw: ImageDraw.ImageDraw, shapes: Shapes, camera: Camera, light: Light) -> None:
    """Draw every shape, far ones first."""
    counts = np.array([len(points) for points in shapes.points])
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    seen = camera.view(np.array([p for points in shapes.points for p in points], dtype=float))
    centres = np.add.reduceat(seen, starts, axis=0) / counts[:, None]
    distance = centres[:, 2]
    things, parts = np.array(shapes.things), np.array(shapes.parts)
    thing_sum = np.bincount(things, distance)
    thing_distance = (thing_sum / np.maximum(np.bincount(things), 1))[things]
    _, first = np.unique(parts, return_index=True)
    part_distance = distance[first][np.unique(parts, return_inverse=True)[1]]
    index = np.arange(len(counts))
    order = np.lexsort((index, -part_distance, -thing_distance, np.array(shapes.layers)))
    colours = _lit(shapes, centres, light).tolist()
    nearest = np.minimum.reduceat(seen[:, 2], starts)
    farthest = np.maximum.reduceat(seen[:, 2], starts)
    flat = camera.project(np.column_stack([seen[:, :2], np.maximum(seen[:, 2], NEAR)])).tolist()
    for i in order.tolist():
        a, b = int(starts[i]), int(starts[i] + counts[i])
        colour = tuple(colours[i])
        if farthest[i] < NEAR:
            continue
        if shapes.widths[i] > 0.0:
            if nearest[i] >= NEAR:
                thick = shapes.widths[i] * FOCAL / float(distance[i]) * OVERSAMPLE
                _stroke(draw, flat[a:b], colour, max(1.0, thick))
        elif nearest[i] >= NEAR:
            draw.polygon([c for point in flat[a:b] for c in point], fill=colour)
        else:
            front = _clip_near(seen[a:b])
            draw.polygon(camera.project(front).ravel().tolist(), fill=colour)


def _stroke(
    draw: ImageDraw.ImageDraw, flat: list[list[float]], colour: tuple[int, ...], pixels: float
) -> None:
    """A line with round ends; a single point makes a ball."""
    if len(flat) > 1:
        line = [c for point in flat for c in point]
        draw.line(line, fill=colour, width=round(pixels), joint="curve" if pixels > 3 else None)
    if pixels > 2:
        r = pixels / 2
        for u, v in (flat[0], flat[-1]):
            draw.ellipse((u - r, v - r, u + r, v + r), fill=colour)


def shrink(image: Image.Image) -> NDArray[np.float32]:
    """The oversampled picture at its final size, as float pixels (height, width, 3)."""
    return np.asarray(image.reduce(OVERSAMPLE), dtype=np.float32)
