"""Options of the inspector: how it looks, which keys it has, which session it goes on with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

_SESSIONS = "Sessions"
_LOOKS = "Looks and keys"

ResumeOption = Annotated[
    bool,
    typer.Option(
        "--resume", help="Go on with the newest session, where it stood.", rich_help_panel=_SESSIONS
    ),
]
SessionOption = Annotated[
    str | None,
    typer.Option(
        "--session",
        help="Go on with this session: its number or name (see tui-eval sessions list).",
        rich_help_panel=_SESSIONS,
        show_default=False,
    ),
]
StoreOption = Annotated[
    Path | None,
    typer.Option(
        "--store",
        help="File of the saved sessions. Default: in your data folder, or $TUI_EVAL_DATA.",
        rich_help_panel=_SESSIONS,
        show_default=False,
    ),
]
ImagesOption = Annotated[
    Literal["auto", "halfcell", "kitty", "sixel", "off"],
    typer.Option(
        "--images",
        metavar="MODE",
        help="Frames: auto, halfcell, kitty, sixel or off. auto: half cells where the "
        "terminal is known to show them.",
        rich_help_panel=_LOOKS,
    ),
]
ThemeOption = Annotated[
    str | None,
    typer.Option(
        "--theme",
        help="dark, light, high-contrast or colour-blind. Default: dark, or $TUI_EVAL_THEME.",
        rich_help_panel=_LOOKS,
        show_default=False,
    ),
]
KeysOption = Annotated[
    str | None,
    typer.Option(
        "--keys",
        help="default, vim, or a TOML file (see tui-eval keys).",
        rich_help_panel=_LOOKS,
        show_default=False,
    ),
]
AsciiOption = Annotated[
    bool,
    typer.Option(
        "--ascii", help="Plain characters only, also for borders.", rich_help_panel=_LOOKS
    ),
]
