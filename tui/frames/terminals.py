"""Which terminals are known to draw sextants and octants themselves, whatever their font has.

A font seldom has them, and a terminal that does not draw them shows boxes. So they are used only
where the environment names a terminal that does, and never through a multiplexer: what it passes on
may reach another terminal than the one that it was started in.

Octants came with Unicode 16, so that the version counts; where the environment has none, as with
kitty and foot, it is sextants.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

KnownGlyphs: TypeAlias = Literal["quadrant", "sextant", "octant"]

_MULTIPLEXERS: Final = ("TMUX", "STY", "ZELLIJ")
_OTHERS: Final = ("XTERM_VERSION", "KONSOLE_VERSION", "WT_SESSION", "TERMINAL_EMULATOR")
"""Set by terminals that are not known to draw them; they may have been started from one that is,
and have its variables too."""


class _Known(NamedTuple):
    """From which version on a terminal draws which; None: not by any that can be told."""

    sextants: tuple[int, ...]
    octants: tuple[int, ...] | None = None

    def choose(self, version: tuple[int, ...]) -> KnownGlyphs:
        if self.octants is not None and version >= self.octants:
            return "octant"
        return "sextant" if version >= self.sextants else "quadrant"


_BY_PROGRAM: Final = {
    "ghostty": _Known((1, 0), (1, 2)),
    "wezterm": _Known((20220319,)),
}
"""By $TERM_PROGRAM, with $TERM_PROGRAM_VERSION."""

_BY_TERM: Final = {
    "xterm-kitty": _Known(()),
    "xterm-ghostty": _Known(()),
    "foot": _Known(()),
    "foot-extra": _Known(()),
    "wezterm": _Known(()),
    "contour": _Known(()),
}
"""By $TERM, which ssh passes on. It does not tell the version: all for some years."""

_VTE: Final = _Known((6200,), (7800,))
"""GNOME's and many others, by $VTE_VERSION: 7800 is 0.78."""


def find_known_glyphs(environ: Mapping[str, str]) -> KnownGlyphs:
    """The finest parts of a cell that the terminal is known to draw.

    >>> find_known_glyphs({"TERM": "foot"}), find_known_glyphs({"TERM": "xterm-256color"})
    ('sextant', 'quadrant')
    """
    if _is_multiplexed(environ):
        return "quadrant"
    terminal = environ.get("TERM", "").lower()
    program = environ.get("TERM_PROGRAM", "").lower()
    if program:
        known = _BY_PROGRAM.get(program)
        version = read_version(environ.get("TERM_PROGRAM_VERSION", ""))
        return "quadrant" if known is None else known.choose(version)
    if terminal in _BY_TERM:
        return _BY_TERM[terminal].choose(())
    if any(environ.get(name) for name in _OTHERS):
        return "quadrant"
    return _VTE.choose(read_version(environ.get("VTE_VERSION", "")))


def is_known_by_name(environ: Mapping[str, str]) -> bool:
    """Whether $TERM names a terminal that is known; each of them shows every colour, though its
    name does not say so.

    >>> is_known_by_name({"TERM": "foot"}), is_known_by_name({"TERM": "xterm"})
    (True, False)
    """
    return environ.get("TERM", "").lower() in _BY_TERM and not _is_multiplexed(environ)


def _is_multiplexed(environ: Mapping[str, str]) -> bool:
    terminal = environ.get("TERM", "").lower()
    return any(environ.get(name) for name in _MULTIPLEXERS) or terminal.startswith(
        ("screen", "tmux")
    )


def read_version(text: str) -> tuple[int, ...]:
    """The numbers that a version begins with; () where it has none.

    >>> read_version("1.2.3-main"), read_version("20240203-110809-5046fc22"), read_version("beta")
    ((1, 2, 3), (20240203,), ())
    """
    found = re.match(r"[0-9]{1,9}(\.[0-9]{1,9})*", text)
    return tuple(map(int, found[0].split("."))) if found else ()
