"""The pictures of a clip are drawn once, ahead of time, and only so many are kept."""

from __future__ import annotations

import numpy as np
import pytest

from engine.media.pictures import Frames
from tui.frames import drawn_clip
from tui.frames.cell_glyphs import QUADRANTS
from tui.frames.drawn_clip import DrawnClip
from tui.frames.picture_size import PictureSize
from tui.work.lanes import CancelledError


def make_clip(count: int = 6) -> DrawnClip:
    pixels = np.random.default_rng(5).integers(0, 256, (count, 48, 80, 3), dtype=np.uint8)
    frames = Frames(pixels, tuple(number / 6 for number in range(count)), 6.0)
    return DrawnClip(frames, PictureSize(20, 6), QUADRANTS)


def test_what_was_drawn_ahead_is_not_drawn_again() -> None:
    clip = make_clip()
    clip.draw_ahead(lambda: None)
    assert clip.is_complete
    first = clip.draw(0)
    assert clip.draw(0) is first
    assert [line.text for line in first.lines] == [line.text for line in first.cells.write_strips()]


def test_drawing_ahead_begins_in_the_middle_where_the_picture_stands() -> None:
    clip, steps = make_clip(), iter(range(2))

    def check() -> None:
        if next(steps, None) is None:
            raise CancelledError

    with pytest.raises(CancelledError):
        clip.draw_ahead(check)
    assert [clip.is_drawn(place) for place in range(6)] == [False] * 3 + [True] * 2 + [False]


def test_no_more_pictures_are_kept_than_have_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn_clip, "MOST_CELLS", 3 * 20 * 6)
    clip = make_clip()
    clip.draw_ahead(lambda: None)
    assert sum(clip.is_drawn(place) for place in range(6)) == 3
    for place in range(6):
        clip.draw(place)
        assert sum(clip.is_drawn(place) for place in range(6)) <= 3


def test_a_sharp_picture_is_nearer_to_the_frame() -> None:
    clip = make_clip()
    quick, sharp = clip.draw(2), clip.draw_sharply(2)
    assert sum(map(len, map(list, sharp.lines))) > sum(map(len, map(list, quick.lines)))
