"""How frames are drawn is decided without asking the terminal; half cells are small and right."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from ast import literal_eval
from pathlib import Path

import numpy as np
import pytest
from rich.color import ColorSystem
from rich.style import Style
from textual.strip import Strip

import sample_data
from engine.media.clip import ClipMedia, read_strip
from engine.media.decoding import decode
from tests.tui.piloted import LIMIT
from tui.frames.halfcell import draw_half_cells
from tui.frames.images import ImageSupport, choose_images, read_cell_size
from tui.frames.players import open_externally
from tui.opening.frame_choices import ImageMode

GOOD = {"TERM": "xterm-256color", "LANG": "de_DE.UTF-8"}
FRAMES = np.concatenate(
    [
        read_strip(ClipMedia(path.stem, (path,)), 2, 24, 14, decode).pixels
        for path in sorted((sample_data.folder() / "clips").glob("*.mp4"))[::60]
    ]
)


def chosen(asked: ImageMode = "auto", **environ: str) -> ImageSupport:
    return choose_images(asked, GOOD | environ, is_ascii=False, no_color=False)


# Which way.


def test_quadrants_are_the_default_where_blocks_are_safe() -> None:
    assert chosen() == ImageSupport("quadrant")
    assert chosen(TERM="rxvt-unicode-256color") == ImageSupport("quadrant")
    assert chosen(LANG="C", LC_ALL="en_US.utf8") == ImageSupport("quadrant")


@pytest.mark.parametrize(
    ("environ", "drawing"),
    [
        ({"TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1"}, "sextant"),
        ({"KITTY_WINDOW_ID": "1"}, "quadrant"),  # another terminal, started from kitty
        ({"TERM": "foot", "COLORTERM": "truecolor"}, "sextant"),
        ({"TERM": "foot"}, "sextant"),  # over ssh: all that is known is the name
        ({"TERM": "xterm-ghostty"}, "sextant"),
        ({"TERM": "wezterm"}, "sextant"),
        ({"TERM": "xterm-ghostty", "COLORTERM": "truecolor"}, "sextant"),  # over ssh: no version
        ({"TERM_PROGRAM": "ghostty", "TERM_PROGRAM_VERSION": "1.1.3"}, "sextant"),
        ({"TERM_PROGRAM": "ghostty", "TERM_PROGRAM_VERSION": "1.2.0"}, "octant"),
        (
            {"TERM_PROGRAM": "WezTerm", "TERM_PROGRAM_VERSION": "20240203-110809-50"},
            "sextant",
        ),
        ({"TERM_PROGRAM": "WezTerm", "TERM_PROGRAM_VERSION": "20201031"}, "quadrant"),
        ({"TERM_PROGRAM": "WezTerm"}, "quadrant"),
        ({"TERM_PROGRAM": "vscode", "VTE_VERSION": "7800"}, "quadrant"),
        ({"TERM_PROGRAM": "Apple_Terminal"}, "quadrant"),
        ({"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.5.0"}, "quadrant"),
        ({"VTE_VERSION": "5202"}, "quadrant"),
        ({"VTE_VERSION": "6800"}, "sextant"),
        ({"VTE_VERSION": "7800"}, "octant"),
        ({"VTE_VERSION": "strange"}, "quadrant"),
        ({"VTE_VERSION": "7800", "XTERM_VERSION": "XTerm(390)"}, "quadrant"),
        ({"VTE_VERSION": "7800", "KONSOLE_VERSION": "230804"}, "quadrant"),
        ({"TERM": "alacritty", "COLORTERM": "truecolor"}, "quadrant"),
        ({"TERM": "tmux-256color", "VTE_VERSION": "7800"}, "quadrant"),
        ({"TERM": "screen-256color", "KITTY_WINDOW_ID": "1"}, "quadrant"),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/tmux-0/default,1,0"}, "quadrant"),
        ({"TERM": "foot", "COLORTERM": "truecolor", "STY": "1.pts"}, "quadrant"),
    ],
)
def test_finer_cells_only_where_the_terminal_is_known_to_draw_them(
    environ: dict[str, str], drawing: str
) -> None:
    assert chosen(**environ).drawing == drawing


@pytest.mark.parametrize(
    ("environ", "reason"),
    [
        ({"TERM": "dumb"}, "TERM=dumb"),
        ({"TERM": "linux", "COLORTERM": "truecolor"}, "TERM=linux"),
        ({"TERM": "vt220"}, "TERM=vt220"),
        ({"TERM": ""}, "TERM is not set"),
        ({"TERM": "xterm"}, "TERM=xterm has 16 colours"),
        ({"TERM": "foot", "ZELLIJ": "0"}, "TERM=foot has 16 colours"),
        ({"LANG": ""}, "the locale C is not UTF-8"),
        ({"LC_ALL": "POSIX"}, "the locale POSIX is not UTF-8"),
        ({"NO_COLOR": ""}, "NO_COLOR"),
    ],
)
def test_a_doubt_turns_frames_off_and_says_why(environ: dict[str, str], reason: str) -> None:
    assert chosen(**environ) == ImageSupport("off", reason)


def test_what_is_asked_for_is_done() -> None:
    assert chosen("off") == ImageSupport("off", "--images off")
    asked: ImageMode
    for asked in ("halfcell", "quadrant", "sextant", "octant", "kitty", "sixel"):
        assert chosen(asked, TERM="dumb").drawing == asked


def test_no_frames_in_ascii_or_without_colours() -> None:
    assert choose_images("auto", GOOD, is_ascii=True, no_color=False) == ImageSupport(
        "off", "--ascii"
    )
    asked: ImageMode
    for asked in ("halfcell", "quadrant", "sextant", "octant"):
        assert choose_images(asked, GOOD, is_ascii=True, no_color=False).drawing == "off"
        assert choose_images(asked, GOOD, is_ascii=False, no_color=True).drawing == "off"
    assert choose_images("auto", GOOD, is_ascii=False, no_color=True) == ImageSupport(
        "off", "NO_COLOR"
    )


def test_a_missing_package_is_an_input_error() -> None:
    code = (
        "import sys; sys.modules['textual_image'] = None\n"
        "from engine.base.errors import InputError\n"
        "from tui.frames.images import prepare_images\n"
        "prepare_images('halfcell')\n"
        "try: prepare_images('kitty')\n"
        "except InputError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("--images kitty needs the package textual-image; pip install")


def test_without_a_terminal_a_cell_has_a_usual_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "__stdout__", io.StringIO())
    assert read_cell_size() == (10, 20)


# Half cells.


def drawn(strips: list[Strip], system: ColorSystem = ColorSystem.TRUECOLOR) -> np.ndarray:
    """The pixels that a terminal shows for these lines."""
    rows = []
    for strip in strips:
        upper, lower = [], []
        for text, style, _ in strip:
            assert style is not None
            ink, ground = (
                tuple(colour.downgrade(system).get_truecolor()) if colour else None
                for colour in (style.color, style.bgcolor)
            )
            for cell in text:
                upper.append(ink if cell in "▀█" else ground)
                lower.append(ink if cell in "▄█" else ground)
        rows += [upper, lower]
    return np.array(rows)


def sent(strips: list[Strip], system: ColorSystem) -> int:
    """Bytes on the line."""
    text = ""
    for strip in strips:
        for cells, style, _ in strip:
            assert style is not None
            fresh = Style.from_color(style.color, style.bgcolor)
            text += f"\x1b[{Strip.render_ansi(fresh, system)}m{cells}\x1b[0m"
    return len(text.encode())


def naive(pixels: np.ndarray) -> int:
    """Bytes of one ▀ with two colours per cell."""
    return sum(
        len(f"\x1b[38;2;{';'.join(map(str, top))};48;2;{';'.join(map(str, low))}m▀\x1b[0m".encode())
        for top, low in zip(pixels[::2].reshape(-1, 3), pixels[1::2].reshape(-1, 3), strict=True)
    )


def test_without_tolerance_every_pixel_is_exact() -> None:
    noise = np.random.default_rng(0).integers(0, 4, (8, 20, 3), dtype=np.uint8) * 80
    assert (drawn(draw_half_cells(noise, tolerance=0)) == noise).all()


def test_every_pixel_is_near_its_colour() -> None:
    for frame in FRAMES:
        strips = draw_half_cells(frame)
        assert [strip.cell_length for strip in strips] == [24] * 7
        away = np.abs(drawn(strips) - frame.astype(int))
        assert away.max() <= 60
        assert away.mean() < 6


def test_frames_take_less_than_half_the_bytes() -> None:
    true = sum(sent(draw_half_cells(frame), ColorSystem.TRUECOLOR) for frame in FRAMES)
    few = sum(
        sent(draw_half_cells(frame, few_colours=True), ColorSystem.EIGHT_BIT) for frame in FRAMES
    )
    plain = sum(map(naive, FRAMES))
    assert true < 0.45 * plain
    assert few < 0.32 * plain


def test_in_256_colours_the_picture_stays_near() -> None:
    for frame in FRAMES:
        shown = drawn(draw_half_cells(frame, few_colours=True), ColorSystem.EIGHT_BIT)
        light = np.abs((shown - frame.astype(int)) @ [0.30, 0.59, 0.11])
        assert light.mean() < 10


def test_an_even_picture_is_one_run_of_spaces_per_line() -> None:
    strips = draw_half_cells(np.full((4, 30, 3), 90, np.uint8))
    assert [[segment.text for segment in strip] for strip in strips] == [[" " * 30]] * 2


def test_two_colours_make_one_run_whichever_is_above() -> None:
    black, white = [0, 0, 0], [255, 255, 255]
    pixels = np.uint8([[black, white, white, black], [white, black, white, black]])
    [strip] = draw_half_cells(pixels)
    assert len(list(strip)) == 1
    assert (drawn([strip]) == pixels).all()


def test_half_a_cell_below_an_odd_picture_is_background() -> None:
    picture = drawn(draw_half_cells(np.full((3, 2, 3), 255, np.uint8), (10, 20, 30)))
    assert picture[3].tolist() == [[10, 20, 30]] * 2


# Players.


def player(folder: Path, name: str) -> Path:
    """A program that writes its arguments and session into a file beside it."""
    script = folder / name
    script.write_text(
        f"#!{sys.executable}\n"
        "import os, sys\n"
        "from pathlib import Path\n"
        f"part = Path({str(folder / 'seen.part')!r})\n"
        "part.write_text(repr((sys.argv[1:], os.getsid(0) == os.getpid(), sys.stdin.read())))\n"
        f"part.rename({str(folder / 'seen')!r})\n"
    )
    script.chmod(0o755)
    return script


def seen(folder: Path) -> tuple[list[str], bool, str]:
    until = time.monotonic() + LIMIT
    while not (folder / "seen").exists() and time.monotonic() < until:
        time.sleep(0.01)
    return literal_eval((folder / "seen").read_text())  # type: ignore[no-any-return]


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    path = tmp_path / "-a; touch b $(c).mp4"
    path.write_bytes(b"")
    return path


def test_the_named_player_opens_the_file_detached_and_without_a_shell(
    tmp_path: Path, clip: Path
) -> None:
    command = f"{player(tmp_path, 'my-player')} --loop"
    assert open_externally(clip, {"TUI_EVAL_PLAYER": command}) == "opened with my-player"
    assert seen(tmp_path) == (["--loop", str(clip)], True, "")
    assert not (tmp_path / "b").exists()


def test_a_player_on_the_path_needs_a_display(tmp_path: Path, clip: Path) -> None:
    player(tmp_path, "mpv")
    path = {"PATH": str(tmp_path)}
    nothing = (
        "no display here for a player (ssh -X brings one), or name a command in $TUI_EVAL_PLAYER\n"
        f"{clip}"
    )
    assert open_externally(clip, path) == nothing
    ssh = path | {"SSH_CONNECTION": "1", "DISPLAY": ":0"}
    assert open_externally(clip, ssh) == nothing
    assert open_externally(clip, ssh | {"DISPLAY": "localhost:10.0"}) == "opened with mpv"
    assert seen(tmp_path)[0][-1] == str(clip)


def test_without_a_player_the_path_is_shown(clip: Path) -> None:
    assert open_externally(clip, {"DISPLAY": ":0", "PATH": "/none"}) == (
        f"no player here: install mpv, vlc or ffplay, or name a command in $TUI_EVAL_PLAYER\n{clip}"
    )


def test_what_cannot_be_opened_is_said(tmp_path: Path, clip: Path) -> None:
    gone = tmp_path / "gone.mp4"
    assert open_externally(gone, {}) == f"no such file: {gone}"
    for impossible in ("x" * 300, "a\0b"):
        assert open_externally(Path(impossible), {}).startswith("no such file: ")
    environ = {"TUI_EVAL_PLAYER": "/none/such"}
    assert open_externally(clip, environ).startswith("such does not start (no such file")
    environ = {"TUI_EVAL_PLAYER": "mpv 'open"}
    assert open_externally(clip, environ).startswith("TUI_EVAL_PLAYER cannot be read")
