"""Scene → frames: what a camera behind the windscreen would see."""

from math import pi

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from sample_data.actors import draw_actor_model
from sample_data.canvas import (
    HEIGHT,
    OVERSAMPLE,
    WIDTH,
    Camera,
    Colour,
    Light,
    Shapes,
    paint,
    shrink,
)
from sample_data.motion import actor_pose, ego_pose
from sample_data.scenery import build
from sample_data.scenes import Scene

FRAMES = 12
FPS = 6

Frames = NDArray[np.uint8]
"""(frames, height, width, 3)"""


def _sky(scene: Scene) -> tuple[Colour, Colour]:
    """Colours at the top of the picture and at the horizon."""
    if scene.night:
        return (
            ((10, 14, 34), (34, 40, 66))
            if scene.weather != "rainy"
            else ((16, 18, 26), (40, 44, 52))
        )
    return {
        "sunny": ((64, 140, 224), (190, 220, 244)),
        "overcast": ((158, 164, 172), (200, 203, 206)),
        "rainy": ((96, 104, 116), (140, 147, 156)),
    }.get(scene.weather, ((40, 36, 32), (60, 54, 46)))


def _light(scene: Scene, rng: np.random.Generator) -> Light:
    """Jittered, so that no two nights are equally dark."""
    air = _sky(scene)[1]
    level = float(rng.uniform(0.92, 1.08))
    if scene.structure == "tunnel":
        return Light((0.86 * level, 0.74 * level, 0.56 * level), (52, 44, 34), 55, False)
    if scene.night:
        sight = 40.0 if scene.weather == "rainy" else 70.0
        return Light((0.46 * level, 0.46 * level, 0.54 * level), air, sight, True)
    strength, sight = {"sunny": (1.06, 130.0), "overcast": (0.86, 95.0)}.get(
        scene.weather, (0.68, 48.0)
    )
    warm = 1.03 if scene.weather == "sunny" else 0.98
    return Light((strength * level * warm, strength * level, strength * level * 0.98), air, sight)


def _backdrop(scene: Scene, rng: np.random.Generator) -> NDArray[np.uint8]:
    """The sky gradient with sun, moon and stars or clouds, twice as wide as the picture so that
    a turning camera sees it slide by."""
    top, low = (np.array(colour, dtype=float) for colour in _sky(scene))
    rows, columns = HEIGHT * OVERSAMPLE, WIDTH * OVERSAMPLE * 2
    ramp = np.clip(np.linspace(0, 1.0 / 0.45, rows), 0, 1)[:, None, None]
    image = Image.fromarray(
        np.broadcast_to(top * (1 - ramp) + low * ramp, (rows, columns, 3)).astype(np.uint8)
    )
    draw = ImageDraw.Draw(image)
    if scene.weather == "sunny" or (scene.night and scene.weather != "rainy"):
        for x in np.array([0.2, 0.5, 0.8]) * columns + rng.uniform(-40, 40):
            y, r = rng.uniform(12, 34), 9 if scene.night else 13
            fill = (236, 236, 214) if scene.night else (255, 240, 150)
            draw.ellipse((x - r, y - r, x + r, y + r), fill=fill)
    if scene.night and scene.weather != "rainy":
        for x, y in rng.uniform((0, 0), (columns, rows * 0.38), (60, 2)):
            draw.ellipse((x, y, x + 1.5, y + 1.5), fill=(214, 214, 230))
    elif not scene.night:
        shade = {"sunny": (246, 248, 250), "overcast": (184, 188, 194)}.get(
            scene.weather, (112, 119, 130)
        )
        for x, y in rng.uniform((0, 4), (columns, rows * 0.3), (9, 2)):
            for dx, dy, r in ((0, 0, 9), (12, 3, 8), (-12, 3, 7), (24, 5, 5)):
                draw.ellipse(
                    (x + dx - 1.7 * r, y + dy - r * 0.6, x + dx + 1.7 * r, y + dy + r * 0.6),
                    fill=shade,
                )
    return np.asarray(image)


def _headlight_beam(camera: Camera) -> NDArray[np.float32]:
    """How much brighter our headlights make each pixel: a soft pool on the road ahead."""
    rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    down = (rows - camera.horizon - 2 + 30 * camera.grade) / HEIGHT
    bend = 0.5 * camera.bend * 14**2 * 128 / 14
    across = (columns - WIDTH / 2 - bend * np.exp(-((down / 0.2) ** 2))) / WIDTH
    reach = 1 / (1 + np.exp(-down * 38)) * np.exp(-((np.clip(down - 0.12, 0, None) / 0.42) ** 2))
    spread = np.exp(-((across / (0.16 + 0.75 * np.clip(down, 0, None))) ** 2))
    warm = np.array((1.6, 1.4, 0.95), dtype=np.float32)
    beam: NDArray[np.float32] = 1 + (reach * spread)[:, :, None] * warm
    return beam


def _rain(draw: ImageDraw.ImageDraw, scene: Scene, rng: np.random.Generator) -> None:
    shade = (104, 112, 130) if scene.night else (196, 204, 214)
    for x, y in rng.uniform((0, -10), (WIDTH * OVERSAMPLE, HEIGHT * OVERSAMPLE), (70, 2)):
        length = rng.uniform(8, 18)
        draw.line((x, y, x - length * 0.22, y + length), fill=shade, width=1)


def _bonnet(draw: ImageDraw.ImageDraw, night: bool) -> None:
    """Our own car at the lower edge: it says at once that this is the ego view."""
    w, h = WIDTH * OVERSAMPLE, HEIGHT * OVERSAMPLE
    body, rim = ((16, 17, 22), (40, 42, 52)) if night else ((40, 44, 52), (92, 98, 108))
    draw.ellipse((w * 0.06, h - 16, w * 0.94, h + 46), fill=rim)
    draw.ellipse((w * 0.07, h - 13, w * 0.93, h + 46), fill=body)


def _cast(scene: Scene, t: float) -> Shapes:
    """The moving actors as they stand at time t."""
    shapes = Shapes()
    for actor in scene.actors:
        still = actor.behavior == "stationary"
        stride = 0.9 if still else actor.seed % 7 + t * 4.2 * pi * actor.pace
        draw_actor_model(shapes, actor.model, actor.colour, actor_pose(scene, actor, t), stride)
    return shapes


def _frame(
    scene: Scene, world: Shapes, sky: NDArray[np.uint8], light: Light, index: int
) -> NDArray[np.float32]:
    rng = np.random.default_rng((scene.seed, index))
    t = index / (FRAMES - 1)
    pose = ego_pose(scene, t)
    camera = Camera(pose, scene.bend, scene.grade, shake=float(rng.normal(0, 0.25)))
    slide = int(np.clip(WIDTH * OVERSAMPLE * (0.5 + pose.heading * 0.8), 0, WIDTH * OVERSAMPLE))
    image = Image.fromarray(np.ascontiguousarray(sky[:, slide : slide + WIDTH * OVERSAMPLE]))
    draw = ImageDraw.Draw(image)
    shapes = world.extend(_cast(scene, t))
    paint(draw, shapes, camera, light)
    if scene.weather == "rainy":
        _rain(draw, scene, rng)
    _bonnet(draw, scene.night)
    picture = shrink(image)
    if light.headlights:
        picture = picture * _headlight_beam(camera)
    return picture + rng.normal(0, 1.6, (HEIGHT, WIDTH, 1)).astype(np.float32)


def render(scene: Scene, indices: tuple[int, ...] = tuple(range(FRAMES))) -> Frames:
    """The chosen frames of a clip; the same scene always gives the same pixels."""
    rng = np.random.default_rng((scene.seed, 999))
    world, sky, light = build(scene), _backdrop(scene, rng), _light(scene, rng)
    cast = rng.uniform(0.96, 1.04, 3).astype(np.float32)  # every camera's white balance differs
    frames = [_frame(scene, world, sky, light, index) * cast for index in indices]
    return np.clip(np.stack(frames), 0, 255).astype(np.uint8)
