"""What stands beside and above the road: houses, lamps, trees, rails, tunnels, parked cars."""

import numpy as np

from sample_data.actors import draw_actor_model
from sample_data.canvas import PAINT, Colour, Point, Shapes
from sample_data.layout import (
    BEHIND,
    FAR,
    WHITE,
    Road,
    crosswalk_at,
    front,
    junction_span,
    ribbon,
    slab,
    wall,
)
from sample_data.motion import Pose
from sample_data.scenes import LANE, Scene
from sample_data.solids import tone


def _building(
    shapes: Shapes, rng: np.random.Generator, scene: Scene, inner: float, z: float, deep: float
) -> None:
    side = 1 if inner > 0 else -1
    high = float(rng.uniform(5.5, 13))
    palette = [(178, 96, 74), (196, 174, 138), (132, 140, 152), (158, 128, 104), (206, 200, 188)]
    base = palette[int(rng.integers(len(palette)))]
    shapes.thing()
    outer = inner + side * 9
    shapes.add(front(inner, outer, 0, high, z), tone(base, 0.9))
    panes: list[list[Point]] = [
        front(inner + side * a, inner + side * (a + 1.2), y, y + 1.4, z - 0.02)
        for y in np.arange(1.2, high - 1.6, 2.8)
        for a in (1.0, 3.2)
    ]
    _panes(shapes, rng, scene, panes)
    shapes.part()
    shapes.add(wall(inner, 0, high, z, z + deep), tone(base, 0.72))
    panes = [
        wall(inner - side * 0.02, y, y + 1.4, a, a + 1.5)
        for y in np.arange(1.2, high - 1.6, 2.8)
        for a in np.arange(z + 1, z + deep - 1.5, 3.0)
    ]
    _panes(shapes, rng, scene, panes)


def _panes(
    shapes: Shapes, rng: np.random.Generator, scene: Scene, panes: list[list[Point]]
) -> None:
    for pane in panes:
        lit = scene.night and rng.random() < 0.45
        shapes.add(pane, (255, 214, 120) if lit else (64, 78, 98), glow=lit)


def street_sides(shapes: Shapes, rng: np.random.Generator, scene: Scene, road: Road) -> None:
    left, right = road.edges
    gap = junction_span(scene) if scene.junction else (-99.0, -99.0)
    for inner in (left - 2.8, right + 2.8):
        z = BEHIND + float(rng.uniform(0, 4))
        while z < 62:
            deep = float(rng.uniform(7, 12))
            if z + deep < gap[0] - 1 or z > gap[1] + 1:
                _building(shapes, rng, scene, inner, z, deep)
            elif z < gap[0] - 5:
                _building(shapes, rng, scene, inner, z, gap[0] - 1.5 - z)
            z += deep + (float(rng.uniform(1, 5)) if rng.random() < 0.3 else 0.2)
        for post in np.arange(6 + float(rng.uniform(0, 5)), 50, 14):
            if not gap[0] < post < gap[1]:
                _street_lamp(shapes, scene, inner * 0.84, float(post))


def _street_lamp(shapes: Shapes, scene: Scene, x: float, z: float) -> None:
    side = 1 if x > 0 else -1
    shapes.thing()
    shapes.add([(x, 0, z), (x, 5.2, z), (x - side * 1.1, 5.4, z)], (70, 74, 78), width=0.14)
    lit = scene.night
    shapes.add(
        [(x - side * 1.1, 5.3, z), (x - side * 1.5, 5.3, z)],
        (255, 226, 150) if lit else (200, 200, 196),
        width=0.32,
        glow=lit,
    )


def traffic_lights(shapes: Shapes, rng: np.random.Generator, scene: Scene, road: Road) -> None:
    z = junction_span(scene)[1] + 0.8
    lamp: Colour = ((255, 50, 40), (60, 235, 110))[int(rng.integers(2))]
    for x in (road.edges[0] - 0.6, road.edges[1] + 0.6):
        shapes.thing()
        shapes.add([(x, 0, z), (x, 3.6, z)], (58, 60, 62), width=0.18)
        shapes.add(front(x - 0.4, x + 0.4, 2.9, 4.4, z - 0.1), (26, 28, 28))
        shapes.add([(x, 4.0 if lamp[0] > 200 else 3.3, z - 0.15)], lamp, width=0.5, glow=True)


def trees(shapes: Shapes, rng: np.random.Generator, scene: Scene, road: Road) -> None:
    left, right = road.edges
    gap = junction_span(scene) if scene.junction else (-99.0, -99.0)
    away = 6.0 if scene.place == "highway" else 2.5
    for edge, side in ((left, -1), (right, 1)):
        z = float(rng.uniform(2, 9))
        while z < 70:
            x = edge + side * (away + float(rng.uniform(0, 7)))
            if not gap[0] - 2 < z < gap[1] + 2:
                high = float(rng.uniform(2.6, 4.6))
                leaf = tone((58, 112, 48), float(rng.uniform(0.75, 1.2)))
                shapes.thing()
                shapes.add([(x, 0, z), (x, high * 0.6, z)], (88, 62, 40), width=0.35)
                shapes.add([(x, high, z)], leaf, width=high * 0.75)
                shapes.add([(x - 0.5, high * 1.12, z)], tone(leaf, 1.15), width=high * 0.45)
            z += float(rng.uniform(4, 10))


def rails(shapes: Shapes, scene: Scene, road: Road) -> None:
    left, right = road.edges
    for x in (left - 0.7, right + 0.7):
        for z in np.arange(BEHIND, 70, 8.0):
            shapes.thing()
            shapes.add(wall(x, 0.45, 0.82, z, z + 8), (196, 200, 204))
            shapes.add([(x, 0, z), (x, 0.8, z)], (120, 124, 128), width=0.14)


def gantry(shapes: Shapes, rng: np.random.Generator, road: Road) -> None:
    z, (left, right) = float(rng.uniform(26, 40)), road.edges
    shapes.thing()
    for x in (left - 1.2, right + 1.2):
        shapes.add([(x, 0, z), (x, 6.2, z)], (120, 124, 128), width=0.3)
    shapes.add([(left - 1.2, 6.2, z), (right + 1.2, 6.2, z)], (120, 124, 128), width=0.3)
    for x in (left + 0.4, (left + right) / 2 + 0.5):
        shapes.add(front(x, x + (right - left) * 0.38, 4.9, 6.9, z - 0.1), (24, 92, 168))
        shapes.add(front(x + 0.5, x + (right - left) * 0.3, 5.9, 6.2, z - 0.15), WHITE)


def tunnel(shapes: Shapes, road: Road) -> None:
    (left, right), roof = road.edges, 5.0
    left, right = left - 1.0, right + 1.0
    for z in np.arange(60, BEHIND - 6, -6.0):
        shapes.thing()
        shade = 1.0 if int(z / 6) % 2 else 0.93
        for x in (left, right):
            shapes.add(wall(x, 0, roof, z, z + 6), tone((150, 132, 104), shade))
            shapes.add(wall(x, 0.0, 1.1, z, z + 6), tone((196, 186, 166), shade))
        shapes.add(
            [(left, roof, z), (right, roof, z), (right, roof, z + 6), (left, roof, z + 6)],
            tone((92, 82, 70), shade),
        )
        for x in (left + 1.6, right - 1.6):
            lamp = [
                (x, roof - 0.1, z + 1),
                (x + 0.6, roof - 0.1, z + 1),
                (x + 0.6, roof - 0.1, z + 4),
                (x, roof - 0.1, z + 4),
            ]
            shapes.add(lamp, (255, 206, 110), glow=True)


def bridge(shapes: Shapes, road: Road) -> None:
    left, right = road.edges
    steel: Colour = (186, 66, 48)
    for x in (left - 0.9, right + 0.9):
        for z in np.arange(BEHIND, 66, 6.0):
            shapes.thing()
            shapes.add([(x, 1.15, z), (x, 1.15, z + 6)], steel, width=0.2)
            shapes.add([(x, 0.55, z), (x, 0.55, z + 6)], steel, width=0.12)
            shapes.add([(x, 0, z), (x, 1.2, z)], steel, width=0.16)
    for z in (16.0, 44.0):
        shapes.thing()
        for x in (left - 1.0, right + 1.0):
            shapes.add([(x, 0, z), (x, 11, z)], steel, width=0.7)
        shapes.add([(left - 1, 7.5, z), (right + 1, 7.5, z)], steel, width=0.6)
        for x in (left - 1.0, right + 1.0):
            for reach in (-13, -7, 7, 13):
                shapes.add([(x, 10.5, z), (x, 1.2, z + reach)], tone(steel, 1.1), width=0.12)


def bays(shapes: Shapes, rng: np.random.Generator) -> None:
    """A parking lot: rows of bays on both sides, half of them taken."""
    for side in (-1, 1):
        x0, x1 = side * 2.1 * LANE, side * 3.6 * LANE
        for z in np.arange(-3, 45, 2.9):
            shapes.add(slab(min(x0, x1), max(x0, x1), z, z + 0.14), WHITE, layer=PAINT)
            if 2 < z < 34 and rng.random() < 0.5:
                _parked_car(shapes, rng, side * 2.85 * LANE, float(z) + 1.5, side * 1.57)


def _parked_car(
    shapes: Shapes, rng: np.random.Generator, x: float, z: float, heading: float
) -> None:
    shades: list[Colour] = [(120, 126, 134), (84, 92, 108), (150, 148, 142), (104, 62, 58)]
    paint = shades[int(rng.integers(len(shades)))]
    draw_actor_model(shapes, ("car", "suv")[int(rng.integers(2))], paint, Pose(x, z, heading), 0.0)


def kerb_parking(shapes: Shapes, rng: np.random.Generator, scene: Scene, road: Road) -> None:
    gap = junction_span(scene) if scene.junction else (-99.0, -99.0)
    zebra = crosswalk_at(scene) if scene.crosswalk else -99.0
    for x in (road.edges[0] - 0.9, road.edges[1] + 0.9):
        for z in np.arange(3 + float(rng.uniform(0, 3)), 42, 5.6):
            clear = not gap[0] - 3 < z < gap[1] + 3 and abs(z - zebra - 1) > 4
            if clear and rng.random() < 0.8:
                _parked_car(shapes, rng, x, float(z), 0.0)


def track(shapes: Shapes, rng: np.random.Generator, road: Road) -> None:
    """A proving ground: coloured lane edges and marker cones on open concrete."""
    for x in (-1.5 * LANE, 1.5 * LANE):
        shapes.add(ribbon(x - 0.2, x + 0.2, BEHIND, FAR), (40, 110, 200), layer=PAINT)
    for z in np.arange(4, 60, 7.0):
        for edge in road.edges:
            shapes.thing()
            shapes.add([(edge, 0.0, z), (edge, 0.7, z)], (242, 110, 30), width=0.35)
