"""The highlight of one query of QVHighlights: the clip with the highest predicted saliency."""

from __future__ import annotations

from dataclasses import dataclass

from engine.base.json_text import plain
from engine.moments.qvh.highlights import CLIP_SECONDS, LEAST
from engine.moments.qvh.source import QvhSource
from engine.moments.source import MomentsSource


@dataclass(frozen=True, slots=True)
class HighlightLevel:
    """What is right from a rating on.

    hit  whether a rater finds the best predicted clip so good: HL-Hit1 is the mean over queries
    ap   average precision of the clips by saliency, the mean over raters, 0 to 1: HL-mAP likewise
    """

    level: str
    least: int
    hit: bool
    ap: float


@dataclass(frozen=True, slots=True)
class OneHighlight:
    """What a query asks for, and the clip that is predicted to be its best.

    clip        from 0; the first of several that are equally good
    start, end  its seconds
    """

    id: int | str
    text: str
    video: str
    duration: float | None
    clip: int
    start: float
    end: float
    levels: tuple[HighlightLevel, ...]


def one_highlight(source: MomentsSource, row: int) -> OneHighlight | None:
    """The highlight of a query; None where no saliency was predicted."""
    found = source.highlights if isinstance(source, QvhSource) else None
    if found is None:
        return None
    truth, clip = source.truth, int(found.best_clips[row])
    return OneHighlight(
        id=truth.ids[row],
        text=truth.texts[row],
        video=truth.videos[row],
        duration=plain(float(truth.durations[row])),
        clip=clip,
        start=float(clip * CLIP_SECONDS),
        end=float((clip + 1) * CLIP_SECONDS),
        levels=tuple(
            HighlightLevel(name, LEAST[name], bool(hit), float(ap))
            for name, hit, ap in zip(found.levels, found.hit1[row], found.ap[row], strict=True)
        ),
    )
