"""Longer videos out of the clips: drives of about ten clips, and four trips of many drives.

A clip is too short to ask *when*. So clips of one place, by day or by night, are put one after
another; clips in which the same kind of actor does the same in the same weather stand together
and make one event. No clip is used twice and none is left out.
"""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from sample_data.render import FPS, FRAMES
from sample_data.scenes import PLACES, Scene
from sample_data.shipped import slice_ids

CLIP = FRAMES // FPS
"""Seconds of a clip: two, as long as what QVHighlights calls a clip."""

ARRANGING_SEED = 7
DRIVE_CLIPS = 11
TRIPS = 4
WEATHERS = ("sunny", "", "overcast", "rainy")


@dataclass(frozen=True)
class Drive:
    """A video made of clips, one after another."""

    name: str
    clips: tuple[int, ...]
    """Rows of the annotations."""

    @property
    def seconds(self) -> int:
        return CLIP * len(self.clips)


def _events(rng: np.random.Generator, scenes: Sequence[Scene], rows: list[int]) -> list[list[int]]:
    """The rows of one setting, those with the same actor and behavior together, in random order."""

    def who_does_what(row: int) -> tuple[str, str]:
        return scenes[row].actors[0].kind, scenes[row].actors[0].behavior

    events = [list(event) for _, event in groupby(sorted(rows, key=who_does_what), who_does_what)]
    return [events[int(i)] for i in rng.permutation(len(events))]


def make_drives(scenes: Sequence[Scene]) -> list[Drive]:
    """Each place by day and by night becomes drives of about `DRIVE_CLIPS` clips."""
    rng = np.random.default_rng(ARRANGING_SEED)
    drives: list[Drive] = []
    for place, night in [(place, night) for place in PLACES for night in (False, True)]:
        here = [i for i, s in enumerate(scenes) if (s.place, s.night) == (place, night)]
        events = [
            event
            for weather in WEATHERS
            for event in _events(rng, scenes, [i for i in here if scenes[i].weather == weather])
        ]
        count = max(1, round(len(here) / DRIVE_CLIPS))
        parts: list[list[int]] = [[] for _ in range(count)]
        done = 0
        for event in events:  # an event goes where its middle would fall, and is never torn
            parts[int((done + len(event) / 2) * count / len(here))] += event
            done += len(event)
        drives += [
            Drive(f"drive_{number:03d}", tuple(part))
            for number, part in enumerate(parts, start=len(drives) + 1)
        ]
    return drives


def make_trips(drives: Sequence[Drive]) -> list[Drive]:
    """All drives, one after another, cut into `TRIPS` videos of the same length."""
    rows = [row for drive in drives for row in drive.clips]
    parts = np.array_split(rows, TRIPS)
    return [Drive(f"trip_{n}", tuple(part.tolist())) for n, part in enumerate(parts, start=1)]


def drives_csv(scenes: Sequence[Scene]) -> str:
    """Which clip is shown when: one line per clip, in the order of the drives."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["drive", "drive_start", "trip", "trip_start", "slice_id"])
    ids, drives = slice_ids(scenes), make_drives(scenes)
    in_trip = {
        row: (trip.name, CLIP * place)
        for trip in make_trips(drives)
        for place, row in enumerate(trip.clips)
    }
    for drive in drives:
        for place, row in enumerate(drive.clips):
            writer.writerow([drive.name, CLIP * place, *in_trip[row], ids[row]])
    return text.getvalue()
