"""When an actor is in view."""

import numpy as np

from sample_data.motion import seen_from_ego
from sample_data.render import FPS, FRAMES
from sample_data.scenes import Actor, Scene


def visible_span(scene: Scene, actor: Actor | None = None) -> tuple[float, float]:
    """Seconds from when to when an actor is in view, the main one unless another is named."""
    moments = np.arange(FRAMES)
    who = actor or scene.actors[0]
    spots = [seen_from_ego(scene, who, m / (FRAMES - 1)) for m in moments]
    shown = [
        m for m, (right, ahead) in zip(moments, spots, strict=True) if ahead > abs(right) * 1.4
    ]
    first, last = (shown[0], shown[-1]) if shown else (0, FRAMES - 1)
    return float(first) / FPS, float(last + 1) / FPS
