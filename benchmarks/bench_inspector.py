"""Tab in a shell, and the inspector in a terminal: first paint, bytes per key, key to detail."""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import numpy as np

import sample_data
from benchmarks.claim import Claim
from benchmarks.process import measured
from benchmarks.terminal import DOWN, TUI_EVAL, Terminal, environment
from benchmarks.timing import best_in_turn
from tui.frames.looper import BYTES_PER_SECOND

OURS = [TUI_EVAL]
EMPTY_APP = [sys.executable, "-c", "from textual.app import App; App().run()"]
CLIP = "urban_bicyclist_0002"
SIZE = (140, 40)
FRAME_SIZE = (120, 40)
TRUE_COLOURS = {"COLORTERM": "truecolor"}
"""In which pictures take the most bytes."""

FIRST = b"Nothing is asked"
STARTS, PRESSES, PAUSED_PRESSES, HELD = 9, 20, 8, 30
HELD_PAUSE = 0.033
"""Seconds between two presses of a key that is held down."""

LOOPED = 6.0
"""Seconds for which a clip is watched."""

RESTED = 1.5
"""Seconds without a byte after which a paused picture is as it stays."""

MANY, DIMENSION, STEPS = 200_000, 384, 60


def run() -> Iterator[Claim]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield _completion()
        yield _first_paint(folder)
        yield from _bytes(folder)
        yield _many_clips(folder)


# Shell completion


def _completion() -> Claim:
    """Longer than a start, and a person wonders whether Tab was pressed."""
    words = ("tui-eval", "run", "--keywords", "")
    asked = {
        "_TUI_EVAL_COMPLETE": "complete_bash",
        "COMP_WORDS": "\n".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    completing = ["env", *(f"{name}={value}" for name, value in asked.items()), TUI_EVAL]
    least, ours = best_in_turn(
        STARTS, lambda: measured([TUI_EVAL, "--version"]), lambda: measured(completing)
    )
    return Claim(
        "Tab behind tui-eval run --keywords / tui-eval --version",
        ours / least,
        1.5,
        "at most",
        f"processes from start to end, the sample dataset, best of {STARTS}: "
        f"{ours * 1e3:.0f} ms / {least * 1e3:.0f} ms",
    )


# First paint


def _first_paint(folder: Path) -> Claim:
    for command, text in ((OURS, FIRST), (EMPTY_APP, b"")):
        _time_to_paint(command, text, folder)  # whatever is made once, such as bytecode
    ours, empty = [], []
    # They take turns, so that a busy machine slows both alike.
    for _ in range(STARTS):
        ours.append(_time_to_paint(OURS, FIRST, folder))
        empty.append(_time_to_paint(EMPTY_APP, b"", folder))
    mine, least = statistics.median(ours), statistics.median(empty)
    return Claim(
        "tui-eval says what to do / an empty Textual app is painted",
        mine / least,
        1.7,
        "at most",
        f"from exec to the last cell of the first paint, ours with “{FIRST.decode()}”, "
        f"{SIZE[0]}×{SIZE[1]}, median of {STARTS}: {mine * 1e3:.0f} ms / {least * 1e3:.0f} ms",
    )


def _time_to_paint(command: list[str], text: bytes, folder: Path) -> float:
    """Seconds until the whole screen is painted, and the text has been sent."""
    start = time.perf_counter()
    with Terminal(command, environment(folder), *SIZE) as terminal:
        terminal.wait_for(lambda: text in terminal.raw and terminal.is_painted)
        return time.perf_counter() - start


# Bytes per key


def _bytes(folder: Path) -> Iterator[Claim]:
    presses, held = _bytes_with(("--images", "off"), SIZE, folder)
    median, worst = statistics.median(presses), max(presses)
    where = f"{SIZE[0]}×{SIZE[1]}, detail on"
    yield Claim(
        "bytes sent for one ↓ / 2.5 KB",
        worst / 2500,
        1.0,
        "at most",
        f"{where}, frames off, worst of {PRESSES}: {worst:,} bytes, median {median:,.0f}",
    )
    yield Claim(
        f"bytes sent for {HELD} held ↓ / 60 KB",
        held / 60_000,
        1.0,
        "at most",
        f"{where}, frames off, {HELD_PAUSE * 1e3:.0f} ms apart: {held:,} bytes",
    )
    for cells in ("quadrant", "sextant"):
        yield from _bytes_of_frames(cells, folder)


def _bytes_of_frames(cells: str, folder: Path) -> Iterator[Claim]:
    presses, held = _bytes_with(("--images", cells), FRAME_SIZE, folder)
    where = f"{FRAME_SIZE[0]}×{FRAME_SIZE[1]}, true colours"
    yield Claim(
        f"bytes sent for one ↓ with a large frame in {cells}s / 12 KB",
        max(presses) / 12_000,
        1.0,
        "at most",
        f"{where}, detail and picture, worst of {PRESSES}: {max(presses):,} bytes, median "
        f"{statistics.median(presses):,.0f}; {HELD} held ↓ {held:,}",
    )
    paused = _bytes_while_paused(cells, folder)
    yield Claim(
        f"bytes sent for one ↓ with a paused large frame in {cells}s / 12 KB",
        max(paused) / 12_000,
        1.0,
        "at most",
        f"{where}, after one frame was stepped to, until nothing more is sent, worst of "
        f"{len(paused)}: {max(paused):,} bytes, median {statistics.median(paused):,.0f}",
    )
    looped = _bytes_of_a_loop(cells, folder)
    yield Claim(
        f"bytes a second of a looping large frame in {cells}s / 30 KB",
        looped / BYTES_PER_SECOND,
        1.0,
        "at most",
        f"{where}, over {LOOPED:g} s: {looped:,.0f} bytes a second",
    )


def _open(options: tuple[str, ...], size: tuple[int, int], folder: Path) -> Terminal:
    command = [TUI_EVAL, "inspect", "--video", CLIP, *options]
    return Terminal(command, environment(folder, **TRUE_COLOURS), *size)


def _wait_for_picture(terminal: Terminal) -> None:
    """Wait until the picture of the selected result stands, if there are pictures."""
    terminal.wait_for(lambda: "in alfa-0.2" in terminal.pane("Detail"))
    terminal.settle(0.35)
    terminal.wait_for(lambda: "loading" not in terminal.pane("Detail"))
    terminal.settle(0.35)


def _bytes_with(
    options: tuple[str, ...], size: tuple[int, int], folder: Path
) -> tuple[list[int], int]:
    """The bytes of single presses within the page, and of a key held down from the top."""
    with _open(options, size, folder) as terminal:
        _wait_for_picture(terminal)
        presses = []
        for _ in range(PRESSES):
            before = len(terminal.raw)
            terminal.send(DOWN)
            _wait_for_picture(terminal)
            presses.append(len(terminal.raw) - before)
        terminal.send("g")
        _wait_for_picture(terminal)
        before = len(terminal.raw)
        for _ in range(HELD):
            pressed = time.monotonic()
            terminal.send(DOWN)
            while (rest := pressed + HELD_PAUSE - time.monotonic()) > 0:
                terminal.read(rest)
        _wait_for_picture(terminal)
        return presses, len(terminal.raw) - before


def _bytes_while_paused(cells: str, folder: Path) -> list[int]:
    """The bytes of single presses once a frame was stepped to, which pauses all that follow."""
    with _open(("--images", cells), FRAME_SIZE, folder) as terminal:
        _wait_for_picture(terminal)
        terminal.send(".")
        terminal.wait_for("paused")
        terminal.settle(RESTED)
        presses = []
        for _ in range(PAUSED_PRESSES):
            before = len(terminal.raw)
            terminal.send(DOWN)
            terminal.settle(RESTED)
            presses.append(len(terminal.raw) - before)
        return presses


def _bytes_of_a_loop(cells: str, folder: Path) -> float:
    """Bytes a second while the cursor rests on a result."""
    with _open(("--images", cells), FRAME_SIZE, folder) as terminal:
        _wait_for_picture(terminal)
        end = time.monotonic() + 2.0  # until it plays
        while (rest := end - time.monotonic()) > 0:
            terminal.read(rest)
        before, begun = len(terminal.raw), time.monotonic()
        while (rest := begun + LOOPED - time.monotonic()) > 0:
            terminal.read(rest)
        return (len(terminal.raw) - before) / (time.monotonic() - begun)


# Many clips


def _many_clips(folder: Path) -> Claim:
    dataset = _make_dataset(folder / "many")
    command = [TUI_EVAL, "inspect", str(dataset), "--video", "clip_000000", "--images", "quadrant"]
    with Terminal(command, environment(folder, **TRUE_COLOURS), *SIZE) as terminal:
        begun = time.monotonic()
        _wait_for_place(terminal, 1)
        loaded = time.monotonic() - begun
        terminal.settle(1.0)
        times = []
        for rank in range(2, STEPS + 2):
            pressed = time.perf_counter()
            terminal.send(DOWN)
            _wait_for_place(terminal, rank)
            times.append(time.perf_counter() - pressed)
            terminal.settle(0.2)
    median = statistics.median(times)
    return Claim(
        f"key to painted detail with {MANY:,} clips / 60 ms",
        median / 0.06,
        1.0,
        "at most",
        f"{MANY:,} × {DIMENSION}, {SIZE[0]}×{SIZE[1]}, large frame on, median of {STEPS}: "
        f"{median * 1e3:.0f} ms, p95 {np.percentile(times, 95) * 1e3:.0f} ms; "
        f"first answer {loaded:.1f} s after the start",
    )


def _wait_for_place(terminal: Terminal, rank: int) -> None:
    terminal.wait_for(lambda: _place(terminal) == rank)


def _place(terminal: Terminal) -> int:
    """The rank that the detail is about, once its clip's name stands beside it."""
    found = re.search(r"^ #([\d,]+) clip_\d{6} *$", terminal.pane("Detail"), re.MULTILINE)
    return int(found[1].replace(",", "")) if found else 0


def _make_dataset(folder: Path) -> Path:
    """Random clips with keywords of five groups, and the sample's media."""
    folder.mkdir()
    rng = np.random.default_rng(7)
    np.save(folder / "model.npy", rng.standard_normal((MANY, DIMENSION), dtype=np.float32))
    ids = [f"clip_{number:06d}" for number in range(MANY)]
    (folder / "model.ids.txt").write_text("\n".join((*ids, "")), encoding="utf-8")
    groups = "object_type actor_behavior spatial_relation ego_behavior scene_type".split()
    words = [[f"{group.split('_')[0]} {n}" for n in range(8)] for group in groups]
    chosen = rng.integers(0, 8, (MANY, len(groups)))
    media = cycle(sorted((sample_data.folder() / "clips").glob("*.mp4")))
    lines = [
        ",".join((clip, str(path), *(names[n] for names, n in zip(words, own, strict=True))))
        for clip, own, path in zip(ids, chosen.tolist(), media, strict=False)
    ]
    header = ",".join(("slice_id", "video_path", *groups))
    (folder / "clips.csv").write_text("\n".join((header, *lines, "")), encoding="utf-8")
    (folder / "dataset.toml").write_text(
        'schema = "tui-eval/dataset@1"\nname = "many"\nannotations = "clips.csv"\n'
        'groups = ["object_type", "actor_behavior"]\n\n[models.model]\nembeddings = "model.npy"\n',
        encoding="utf-8",
    )
    return folder
