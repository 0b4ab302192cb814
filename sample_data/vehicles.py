"""Cars, trucks and buses as boxes with glass, wheels and lamps."""

from collections.abc import Sequence
from math import cos, pi, sin

from sample_data.canvas import Colour
from sample_data.solids import GLASS, LAMP, TAIL, TYRE, Decal, Stage, rect_x, rect_z, tone


def _lamps(w: float, y0: float, y1: float, back: float, front: float) -> dict[str, list[Decal]]:
    """Red lights behind, pale ones in front: the plainest sign of which way a vehicle faces."""
    inner = w * 0.45
    return {
        "back": [
            (rect_z(-w, -inner, y0, y1, back), TAIL, True),
            (rect_z(inner, w, y0, y1, back), TAIL, True),
            (rect_z(-0.25, 0.25, y0 - 0.25, y0 - 0.08, back), (235, 235, 225), False),
        ],
        "front": [
            (rect_z(-w, -inner, y0, y1, front), LAMP, True),
            (rect_z(inner, w, y0, y1, front), LAMP, True),
            (rect_z(-inner, inner, y0 - 0.12, y1 - 0.04, front), (28, 28, 32), False),
        ],
    }


def _flank_wheels(stage: Stage, w: float, axles: Sequence[float], radius: float) -> None:
    for right in (-w, w):
        for axle in axles:
            stage.shapes.part()
            stage.disc(right, axle, radius)


def car(
    stage: Stage, colour: Colour, phase: float, *, tall: bool = False, taxi: bool = False
) -> None:
    """A passenger car: low body, glass cabin, painted roof."""
    roof = 1.85 if tall else 1.5
    stage.shadow(1.0, 2.2)
    stage.shapes.thing()
    decals = _lamps(0.9, 0.62, 0.84, -2.1, 2.1)
    arches = [((x, 0.36), a) for x in (-0.91, 0.91) for a in (-1.35, 1.35)]
    for (x, radius), axle in arches:
        rim = [
            (x, 0.34 + radius * sin(k * pi / 5), axle + radius * cos(k * pi / 5)) for k in range(10)
        ]
        hub = [(x, 0.34 + (u - 0.34) * 0.45, axle + (f - axle) * 0.45) for _, u, f in rim]
        name = "left" if x < 0 else "right"
        decals.setdefault(name, []).extend([(rim, TYRE, False), (hub, (160, 160, 165), False)])
    stage.box(0.9, 0.28, 0.92, -2.1, 2.1, colour, decals=decals)
    back, front = (-2.0, 0.9) if tall else (-1.75, 0.85)
    stage.box(0.84, 0.92, roof, back, front, GLASS, taper=0.35)
    stage.shapes.part()
    a, b = 0.84 - 0.14, 0.35
    top = [(-a, roof, back + b), (a, roof, back + b), (a, roof, front - b), (-a, roof, front - b)]
    stage.shapes.add([stage.at(*p) for p in top], tone(colour, 1.15))
    for x in (-1, 1):  # roof edges read as a coloured frame around the glass
        stage.limb([(x * a, roof, back + b), (x * a, roof, front - b)], colour, 0.1)
        stage.limb([(x * a, roof, back + b), (x * 0.84, 0.92, back)], colour, 0.09)
        stage.limb([(x * a, roof, front - b), (x * 0.84, 0.92, front)], colour, 0.09)
    stage.limb([(-a, roof, back + b), (a, roof, back + b)], colour, 0.1)
    stage.limb([(-a, roof, front - b), (a, roof, front - b)], colour, 0.1)
    if taxi:
        stage.limb([(-0.2, roof + 0.16, -0.3), (0.2, roof + 0.16, -0.3)], LAMP, 0.24, glow=True)


def truck(stage: Stage, colour: Colour, phase: float) -> None:
    """A box truck: a cab in front, a tall load behind it."""
    stage.shadow(1.35, 4.0)
    stage.shapes.thing()
    cab: Colour = (58, 70, 96) if sum(colour) > 500 else (228, 226, 220)
    load = _lamps(1.25, 0.62, 0.86, -3.9, 1.6)
    load["back"] += [
        (rect_z(-0.03, 0.03, 1.0, 3.3, -3.9), tone(colour, 0.5), False),
        (rect_z(-1.15, -1.02, 1.0, 3.3, -3.9), tone(colour, 0.6), False),
        (rect_z(1.02, 1.15, 1.0, 3.3, -3.9), tone(colour, 0.6), False),
    ]
    for x, name in ((-1.26, "left"), (1.26, "right")):
        load[name] = [
            (rect_x(x, 0.0, 0.85, -3.9, 1.6), (45, 46, 50), False),
            (rect_x(x, 1.7, 2.2, -3.3, 1.0), tone(colour, 0.45), False),
        ]
    del load["front"]
    stage.box(1.25, 0.55, 3.5, -3.9, 1.6, colour, decals=load)
    front = _lamps(1.15, 0.6, 0.85, 1.7, 3.5)["front"]
    front.append((rect_z(-1.0, 1.0, 1.55, 2.35, 3.5), GLASS, False))
    sides: dict[str, list[Decal]] = {
        n: [(rect_x(x, 1.5, 2.3, 2.3, 3.4), GLASS, False)]
        for x, n in ((-1.16, "left"), (1.16, "right"))
    }
    stage.box(1.15, 0.45, 2.7, 1.7, 3.5, cab, decals={"front": front, **sides})
    _flank_wheels(stage, 1.27, (-2.6, -1.5, 2.4), 0.5)


def bus(stage: Stage, colour: Colour, phase: float) -> None:
    """A city bus: one long box with a band of windows."""
    stage.shadow(1.35, 4.6)
    stage.shapes.thing()
    decals = _lamps(1.25, 0.6, 0.9, -4.5, 4.5)
    decals["back"].append((rect_z(-1.05, 1.05, 1.7, 2.6, -4.5), GLASS, False))
    decals["front"].append((rect_z(-1.15, 1.15, 1.2, 2.6, 4.5), GLASS, False))
    decals["front"].append((rect_z(-0.7, 0.7, 2.75, 3.0, 4.5), (255, 170, 40), True))
    for x, name in ((-1.26, "left"), (1.26, "right")):
        panes = [
            (rect_x(x, 1.55, 2.5, z, z + 1.15), GLASS, False)
            for z in (-4.2, -2.8, -1.4, 0.0, 1.4, 2.9)
        ]
        decals[name] = [(rect_x(x, 0.95, 1.2, -4.5, 4.5), (240, 240, 235), False), *panes]
    stage.box(1.25, 0.35, 3.15, -4.5, 4.5, colour, decals=decals)
    _flank_wheels(stage, 1.27, (-2.7, 2.7), 0.5)
