"""Whether and how frames are drawn: decided from the options and the environment alone.

The terminal is never asked: over a slow line its answer would arrive later, as keys that nobody
pressed.
"""

from __future__ import annotations

import fcntl
import io
import os
import struct
import sys
import termios
from collections.abc import Mapping
from contextlib import suppress
from typing import Literal, NamedTuple, TypeAlias

from engine.base.errors import InputError
from tui.frames.terminals import find_known_glyphs, is_known_by_name
from tui.opening.frame_choices import ImageMode

DrawingMethod: TypeAlias = Literal[
    "halfcell", "quadrant", "sextant", "octant", "kitty", "sixel", "off"
]
"""What is done."""

IN_CELLS: tuple[DrawingMethod, ...] = ("halfcell", "quadrant", "sextant", "octant")
"""Drawn by characters of two colours."""

PLAIN_TERMINALS = ("dumb", "unknown", "linux", "cons25", "vt")
"""Terminals, by the start of their name, whose fonts or colours do not suffice."""


class ImageSupport(NamedTuple):
    """How frames are drawn; where they are off, why."""

    drawing: DrawingMethod
    reason: str = ""


def choose_images(
    asked: ImageMode, environ: Mapping[str, str], *, is_ascii: bool, no_color: bool
) -> ImageSupport:
    """What was asked for; for "auto" the finest cells that the terminal is known to show, unless
    something speaks against any.

    >>> choose_images("auto", {"TERM": "dumb"}, is_ascii=False, no_color=False).reason
    'TERM=dumb'
    """
    if asked == "off":
        return ImageSupport("off", "--images off")
    if is_ascii and asked != "sixel":  # blocks and the cells of kitty are no ASCII
        return ImageSupport("off", "--ascii")
    if no_color and asked in ("auto", *IN_CELLS):  # there would be nothing but blocks
        return ImageSupport("off", "NO_COLOR")
    if asked != "auto":
        return ImageSupport(asked)
    reason = _doubt(environ)
    return ImageSupport("off", reason) if reason else ImageSupport(find_known_glyphs(environ))


def _doubt(environ: Mapping[str, str]) -> str:
    """What speaks against blocks in colour here; empty: nothing."""
    if environ.get("NO_COLOR") is not None:
        return "NO_COLOR"
    terminal = environ.get("TERM", "")
    if not terminal:
        return "TERM is not set"
    if terminal.lower().startswith(PLAIN_TERMINALS):
        return f"TERM={terminal}"
    names = (environ.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next(filter(None, names), "C")
    if "utf8" not in locale.lower().replace("-", ""):
        return f"the locale {locale} is not UTF-8"
    # The same evidence by which Rich decides for more than 16 colours, and what it does not know.
    deep = environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit")
    named = terminal.lower().rpartition("-")[2] in ("256color", "kitty", "direct")
    if not (deep or named or is_known_by_name(environ)):
        return f"TERM={terminal} has 16 colours"
    return ""


class CellSize(NamedTuple):
    """The size of one cell in pixels."""

    width: int
    height: int


USUAL_CELL = CellSize(10, 20)


def read_cell_size() -> CellSize:
    """The size of a cell as the kernel knows it, which ssh passes on; else a usual one."""
    with suppress(OSError, AttributeError, ValueError):
        packed = fcntl.ioctl(sys.__stdout__.fileno(), termios.TIOCGWINSZ, bytes(8))  # type: ignore[union-attr]
        rows, columns, width, height = struct.unpack("HHHH", packed)
        if rows and columns and width >= columns and height >= rows:
            return CellSize(width // columns, height // rows)
    return USUAL_CELL


def prepare_images(drawing: DrawingMethod) -> None:
    """Load what kitty and sixel need; to be called before the app takes the terminal.

    When textual-image is loaded it asks the terminal what it can do. It finds that there is
    none, and learns the size of a cell from the environment.
    """
    if drawing not in ("kitty", "sixel") or "textual_image.widget" in sys.modules:
        return
    cell = read_cell_size()
    terminal = sys.__stdout__
    size = {"TEXTUAL_CELL_WIDTH": str(cell.width), "TEXTUAL_CELL_HEIGHT": str(cell.height)}
    before = {name: os.environ.get(name) for name in size}
    os.environ.update(size)
    sys.__stdout__ = io.StringIO()  # type: ignore[misc,assignment]
    try:
        import textual_image.widget  # noqa: F401
    except ImportError as error:
        raise InputError(
            f"--images {drawing} needs the package textual-image",
            hint="pip install textual-image, or use --images halfcell",
        ) from error
    finally:
        sys.__stdout__ = terminal  # type: ignore[misc]
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
