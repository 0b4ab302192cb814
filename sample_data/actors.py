"""People, animals and things as small solid models: legible at 160×90, from every side."""

from collections.abc import Callable
from math import cos, sin

from sample_data.canvas import Colour, Shapes
from sample_data.motion import Pose
from sample_data.solids import LAMP, SKIN, TAIL, TYRE, Decal, Stage, rect_z, tone
from sample_data.vehicles import bus, car, truck


def _rider(
    stage: Stage,
    seat: float,
    bar: tuple[float, float],
    top: Colour,
    legs: Colour,
    helmet: Colour,
    phase: float,
    lean: float,
) -> None:
    """A person on two wheels; legs pedal when `phase` moves."""
    swing = 0.17 * sin(phase)
    hip, shoulder = seat + 0.05, seat + 0.62
    for x, s in ((-0.13, swing), (0.13, -swing)):
        stage.limb(
            [(x, hip, -0.15), (x * 1.3, hip - 0.3, 0.25), (x, 0.38 + s, 0.05 + s)], legs, 0.17
        )
        stage.limb(
            [(x * 1.7, shoulder - 0.06, lean), (x * 2.1, bar[0], bar[1])], tone(top, 0.85), 0.12
        )
    stage.limb([(0.0, hip, -0.12), (0.0, shoulder - 0.1, lean)], top, 0.42)
    stage.limb([(0.0, shoulder + 0.22, lean + 0.08)], SKIN, 0.26)
    stage.limb([(0.0, shoulder + 0.29, lean + 0.04)], helmet, 0.3)


def bicyclist(stage: Stage, colour: Colour, phase: float) -> None:
    """A bicycle with two thin wheels and an upright rider in a bright jersey."""
    stage.shadow(0.3, 0.9)
    stage.shapes.thing()
    for axle in (-0.55, 0.58):
        stage.wheel(0.0, axle, 0.36, 0.075)
    frame: Colour = (235, 235, 235)
    stage.limb(
        [(0, 0.36, -0.55), (0, 0.85, -0.2), (0, 0.85, 0.38), (0, 0.36, 0.0), (0, 0.36, -0.55)],
        frame,
        0.06,
    )
    stage.limb([(0, 0.36, 0.58), (0, 1.05, 0.4)], frame, 0.06)
    stage.limb([(-0.27, 1.08, 0.4), (0.27, 1.08, 0.4)], TYRE, 0.06)
    if cos(stage.pose.heading) > 0.3:
        stage.limb([(0.0, 0.75, -0.5)], TAIL, 0.14, glow=True)
    elif cos(stage.pose.heading) < -0.3:
        stage.limb([(0.0, 0.98, 0.55)], LAMP, 0.15, glow=True)
    _rider(stage, 0.92, (1.08, 0.4), colour, (40, 44, 66), (245, 245, 240), phase, 0.12)


def motorcyclist(stage: Stage, colour: Colour, phase: float) -> None:
    """A heavy machine with fat wheels and fairing, its rider in black with a full helmet."""
    stage.shadow(0.42, 1.1)
    stage.shapes.thing()
    for axle in (-0.72, 0.76):
        stage.wheel(0.0, axle, 0.33, 0.17)
    stage.limb([(0, 0.48, -0.4), (0, 0.5, 0.35)], (70, 72, 78), 0.42)
    stage.limb([(0, 0.8, -0.85), (0, 0.78, -0.2), (0, 0.86, 0.35), (0, 0.74, 0.6)], colour, 0.34)
    stage.limb([(0, 0.33, 0.76), (0, 1.0, 0.5)], (150, 152, 158), 0.1)
    stage.limb([(-0.42, 1.06, 0.42), (0.42, 1.06, 0.42)], TYRE, 0.09)
    if cos(stage.pose.heading) > 0.2:
        stage.limb([(-0.1, 0.82, -0.98), (0.1, 0.82, -0.98)], TAIL, 0.18, glow=True)
    elif cos(stage.pose.heading) < -0.2:
        stage.limb([(0.0, 0.9, 0.8)], LAMP, 0.34, glow=True)
    _rider(stage, 0.84, (1.06, 0.42), (34, 34, 40), (26, 26, 32), colour, 0.0, 0.22)


def pedestrian(stage: Stage, colour: Colour, phase: float) -> None:
    """A walking person: swinging legs and arms, bright top, dark trousers."""
    stage.shadow(0.3, 0.3)
    stage.shapes.thing()
    trousers: Colour = (44, 50, 78)
    hair: Colour = (62, 40, 26)
    swing = 0.34 * sin(phase)
    for x, s in ((-0.12, swing), (0.12, -swing)):
        stage.limb([(x, 0.88, 0.0), (x, 0.45, s * 0.6 + 0.04), (x, 0.06, s)], trousers, 0.2)
        stage.limb([(x * 2.4, 1.38, 0.0), (x * 2.6, 0.92, -s * 0.9)], tone(colour, 0.8), 0.13)
    stage.limb([(0.0, 0.98, 0.0), (0.0, 1.28, 0.0)], colour, 0.46)
    stage.limb([(0.0, 1.66, 0.0)], SKIN, 0.27)
    stage.limb([(0.0, 1.73, -0.03)], hair, 0.24)


def _beast(stage: Stage, colour: Colour, phase: float, height: float, antlers: bool) -> None:
    stage.shadow(0.25, height * 0.6)
    stage.shapes.thing()
    k, swing = height, 0.22 * sin(phase)
    for x, z, s in (
        (-0.13, -0.5, swing),
        (0.13, -0.5, -swing),
        (-0.13, 0.45, -swing),
        (0.13, 0.45, swing),
    ):
        stage.limb(
            [(x * k, 0.6 * k, z * k), (x * k, 0.0, (z + s) * k)], tone(colour, 0.8), 0.13 * k
        )
    stage.limb([(0, 0.72 * k, -0.5 * k), (0, 0.74 * k, 0.45 * k)], colour, 0.38 * k)
    stage.limb([(0, 0.8 * k, 0.5 * k), (0, 1.1 * k, 0.72 * k)], colour, 0.2 * k)
    stage.limb([(0, 1.14 * k, 0.74 * k), (0, 1.06 * k, 0.98 * k)], colour, 0.2 * k)
    stage.limb([(0, 0.78 * k, -0.55 * k), (0, 0.95 * k, -0.8 * k)], tone(colour, 1.2), 0.09 * k)
    if antlers:
        for x in (-0.25, 0.25):
            stage.limb(
                [(0, 1.2 * k, 0.72 * k), (x * k, 1.55 * k, 0.6 * k)], (225, 210, 180), 0.07 * k
            )


def bollards(stage: Stage, colour: Colour, phase: float) -> None:
    """Three posts with a white band each, in a row across."""
    for x in (-1.0, 0.0, 1.0):
        stage.shapes.thing()
        stage.limb([(x, 0.1, 0.0), (x, 1.05, 0.0)], colour, 0.26)
        stage.face(rect_z(x - 0.14, x + 0.14, 0.66, 0.84, -0.02), (245, 245, 240))


def cones(stage: Stage, colour: Colour, phase: float) -> None:
    """Traffic cones across the way."""
    for x in (-1.1, 0.0, 1.1):
        stage.shapes.thing()
        for low, high, paint in ((0.0, 0.9, colour), (0.3, 0.52, (250, 250, 245))):
            a, b = 0.34 * (1 - low / 1.0) + 0.02, 0.34 * (1 - high / 1.0) + 0.02
            stage.face(
                [(x - a, low, 0), (x + a, low, 0), (x + b, high, 0), (x - b, high, 0)], paint
            )
        stage.face(
            [(x - 0.42, 0.0, 0), (x + 0.42, 0.0, 0), (x + 0.42, 0.08, 0), (x - 0.42, 0.08, 0)],
            tone(colour, 0.7),
        )


def barrier(stage: Stage, colour: Colour, phase: float) -> None:
    """A red and white roadworks barrier with two lamps."""
    stage.shapes.thing()
    for x in (-1.1, 1.1):
        stage.limb([(x, 0.0, 0.0), (x, 1.0, 0.0)], (90, 90, 95), 0.1)
    for i in range(7):
        paint: Colour = colour if i % 2 == 0 else (245, 245, 245)
        x = -1.4 + 0.4 * i
        stage.face(rect_z(x, x + 0.4, 0.55, 1.05, -0.02), paint)
    for x in (-1.1, 1.1):
        stage.limb([(x, 1.22, -0.04)], (255, 190, 40), 0.24, glow=True)


def container(stage: Stage, colour: Colour, phase: float) -> None:
    """A skip: a ribbed steel box left on the road."""
    stage.shadow(1.1, 1.2)
    stage.shapes.thing()
    ribs: list[Decal] = [
        (rect_z(x, x + 0.12, 0.1, 1.35, -1.0), tone(colour, 0.55), False)
        for x in (-0.95, -0.45, 0.05, 0.55)
    ]
    ribs.append((rect_z(-1.1, 1.1, 1.25, 1.4, -1.0), (240, 200, 40), False))
    stage.box(1.1, 0.05, 1.4, -1.0, 1.2, colour, decals={"back": ribs})


DRAW: dict[str, Callable[[Stage, Colour, float], None]] = {
    "car": car,
    "suv": lambda stage, colour, phase: car(stage, colour, phase, tall=True),
    "taxi": lambda stage, colour, phase: car(stage, colour, phase, taxi=True),
    "truck": truck,
    "bus": bus,
    "motorcyclist": motorcyclist,
    "bicyclist": bicyclist,
    "pedestrian": pedestrian,
    "bollards": bollards,
    "cones": cones,
    "barrier": barrier,
    "container": container,
    "dog": lambda stage, colour, phase: _beast(stage, colour, phase, 0.95, False),
    "deer": lambda stage, colour, phase: _beast(stage, colour, phase, 1.5, True),
}

# People and small things are drawn a little larger than life: the inspector shows a frame in
# forty columns, where a true pedestrian would be three cells high.
SCALE = {"pedestrian": 1.3, "bicyclist": 1.2, "motorcyclist": 1.2, "dog": 1.2, "bollards": 1.15}


def draw_actor_model(shapes: Shapes, model: str, colour: Colour, pose: Pose, phase: float) -> None:
    """Add one actor to a display list."""
    DRAW[model](Stage(shapes, pose, SCALE.get(model, 1.0)), colour, phase)
