"""The still world around the ego vehicle: the ground, the road, its paint and its sides.

Built once per scene as a display list in world coordinates; driving through it is the camera's
business.
"""

import numpy as np

from sample_data import roadside
from sample_data.canvas import GROUND, PAINT, ROAD, Colour, Shapes
from sample_data.layout import (
    BEHIND,
    FAR,
    WHITE,
    YELLOW,
    Road,
    crosswalk_at,
    junction_span,
    ribbon,
    road_of,
    slab,
)
from sample_data.scenes import LANE, Scene


def asphalt_colour(scene: Scene) -> Colour:
    """Wet asphalt is darker and bluer; tracks are pale."""
    base: Colour = (98, 98, 102)
    if scene.place == "test track":
        base = (128, 124, 118)
    elif scene.place == "highway":
        base = (112, 112, 114)
    if scene.weather == "rainy":
        base = (base[0] - 30, base[1] - 26, base[2] - 16)
    return base


def _ground(shapes: Shapes, scene: Scene, road: Road) -> None:
    grass: Colour = (96, 142, 62)
    ground = {
        "urban": (150, 146, 140),
        "highway": (122, 148, 74),
        "rural": grass,
        "parking lot": (92, 92, 96),
        "test track": (190, 168, 120),
    }[scene.place]
    if scene.structure == "tunnel":
        ground = (120, 112, 100)
    elif scene.structure == "bridge":
        ground = (58, 118, 165)
    level = -3.0 if scene.structure == "bridge" else -0.02
    shapes.add(ribbon(-140, 140, BEHIND, FAR * 1.6, level), ground, layer=GROUND)
    left, right = road.edges
    asphalt = asphalt_colour(scene)
    if scene.place == "urban":
        shapes.add(ribbon(left - 2.6, right + 2.6, BEHIND, FAR), (176, 172, 164), layer=GROUND)
        shapes.add(ribbon(left - 0.35, right + 0.35, BEHIND, FAR), (206, 202, 194), layer=GROUND)
    if scene.junction:
        z0, z1 = junction_span(scene)
        shapes.add(slab(-60, 60, z0, z1), asphalt, layer=ROAD)
    shapes.add(ribbon(left, right, BEHIND, FAR), asphalt, layer=ROAD)


def _lines(shapes: Shapes, scene: Scene, road: Road) -> None:
    gap = junction_span(scene) if scene.junction else (-99.0, -99.0)
    stretches = [(BEHIND, gap[0] - 0.5), (gap[1] + 0.5, FAR)] if scene.junction else [(BEHIND, FAR)]
    left, right = road.edges
    for z0, z1 in stretches:
        for x in (left + 0.25, right - 0.4):
            shapes.add(ribbon(x, x + 0.15, z0, z1), WHITE, layer=PAINT)
        if road.two_way:
            for x in (-LANE / 2 - 0.16, -LANE / 2 + 0.1):
                shapes.add(ribbon(x, x + 0.13, z0, z1), YELLOW, layer=PAINT)
    for lane in range(road.left, road.right):
        x = (lane + 0.5) * LANE
        if road.two_way and lane == -1:
            continue
        for z in np.arange(BEHIND, 60, 6.0):
            if not gap[0] - 3 < z < gap[1]:
                shapes.add(ribbon(x - 0.09, x + 0.09, z, z + 3.0), WHITE, layer=PAINT)


def _crosswalk(shapes: Shapes, scene: Scene, road: Road) -> None:
    z, (left, right) = crosswalk_at(scene), road.edges
    for x in np.arange(left + 0.3, right - 0.5, 1.15):
        shapes.add(slab(x, x + 0.65, z, z + 2.8), WHITE, layer=PAINT)
    stop = z - 0.9
    shapes.add(slab(-LANE / 2 + 0.2, right - 0.5, stop - 0.35, stop), WHITE, layer=PAINT)


def build(scene: Scene) -> Shapes:
    """The display list of everything that stands still."""
    rng = np.random.default_rng(scene.seed)
    shapes, road = Shapes(), road_of(scene)
    _ground(shapes, scene, road)
    _lines(shapes, scene, road)
    if scene.crosswalk:
        _crosswalk(shapes, scene, road)
    if scene.structure == "tunnel":
        roadside.tunnel(shapes, road)
    elif scene.structure == "bridge":
        roadside.bridge(shapes, road)
    elif scene.place == "urban":
        roadside.street_sides(shapes, rng, scene, road)
    elif scene.place == "highway":
        roadside.rails(shapes, scene, road)
        roadside.gantry(shapes, rng, road)
        roadside.trees(shapes, rng, scene, road)
    elif scene.place == "rural":
        roadside.trees(shapes, rng, scene, road)
    elif scene.place == "parking lot":
        roadside.bays(shapes, rng)
    else:
        roadside.track(shapes, rng, road)
    if scene.junction and scene.place == "urban":
        roadside.traffic_lights(shapes, rng, scene, road)
    if scene.parked:
        roadside.kerb_parking(shapes, rng, scene, road)
    return shapes
