"""Options of the inspector: how it looks, which keys it has, which session it goes on with; and
`--inspect`, with which a command shows on the screen what it would print."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from engine.base.errors import InputError
from tui.cli.shared.groups import given_options
from tui.cli.shared.output import written
from tui.opening.looks import ImageMode, Looks

_session = partial(typer.Option, rich_help_panel="Sessions")
_look = partial(typer.Option, rich_help_panel="Looks and keys")

ResumeOption = Annotated[
    bool, _session("--resume", help="Go on with the newest session, where it stood.")
]
SessionOption = Annotated[
    str | None,
    _session(
        "--session",
        help="Go on with this session: its number or name (see tui-eval sessions list).",
    ),
]
StoreOption = Annotated[
    Path | None,
    _session(
        "--store",
        help="File of the saved sessions. Default: sessions.db in $TUI_EVAL_DATA, else in your "
        "data folder.",
    ),
]


AsciiOption = Annotated[bool, _look("--ascii", help="Plain characters only, also for borders.")]


@dataclass(frozen=True)
class LookOptions(Looks):
    """How the inspector looks. What is printed knows `--ascii` as well."""

    images: Annotated[
        ImageMode,
        _look(
            "--images",
            metavar="MODE",
            help="Frames: auto, halfcell, kitty, sixel or off. auto: half cells where the "
            "terminal is known to show them.",
        ),
    ] = "auto"
    theme: Annotated[
        str | None,
        _look(
            "--theme",
            help="dark, light, high-contrast or colour-blind. Default: dark, or $TUI_EVAL_THEME.",
        ),
    ] = None
    keys: Annotated[
        str | None, _look("--keys", help="default, vim, or a TOML file (see tui-eval keys).")
    ] = None
    ascii: AsciiOption = False
    store: StoreOption = None


@dataclass(frozen=True)
class PlainLookOptions(LookOptions):
    """For a screen without frames and without sessions."""

    images: ImageMode = field(init=False, default="auto")
    store: Path | None = field(init=False, default=None)


InspectOption = Annotated[
    bool,
    written("--inspect", "-i", help="Show the result in the inspector, not as a table."),
]


def check_looking(
    inspect: bool,
    looks: LookOptions,
    of_text: Iterable[str],
    of_screen: Iterable[str] = (),
) -> None:
    """Refuse an option that would be ignored.

    of_text    what was given that only what is printed knows
    of_screen  what was given, beside the looks, that only the inspector knows
    """
    if inspect:
        for option in of_text:
            raise InputError(
                f"--inspect and {option} were given",
                hint=f"leave {option} out, which no screen shows, or --inspect",
            )
    else:
        mine = [option for option in given_options(looks) if option != "--ascii"]
        for option in (*mine, *of_screen):
            raise InputError(
                f"{option} needs --inspect", hint=f"add --inspect, or leave {option} out"
            )
