"""Four colour themes. Every colour of a text is readable on every ground it can stand on.

Besides Textual's own names a theme defines what the panes speak of: `$hit`, `$part`, `$miss` for
keywords a result has, has in part or lacks, `$mark` for a person's judgement, `$quiet` for what is
secondary, and the grounds of the row with the cursor, focused and not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from textual.theme import Theme

if TYPE_CHECKING:
    from textual.app import App

TEXTS: Final = ("foreground", "quiet", "hit", "part", "miss", "mark", "primary", "accent")
"""Colours of text; each may stand on each of the grounds."""

GROUNDS: Final = (
    "background",
    "surface",
    "panel",
    "cursor-background",
    "cursor-blurred-background",
)


def _theme(
    name: str,
    *,
    dark: bool,
    background: str,
    surface: str,
    panel: str,
    foreground: str,
    quiet: str,
    primary: str,
    hit: str,
    part: str,
    miss: str,
    mark: str,
    cursor: str,
    cursor_blurred: str,
    line: str,
) -> Theme:
    return Theme(
        name=name,
        dark=dark,
        background=background,
        surface=surface,
        panel=panel,
        foreground=foreground,
        primary=primary,
        secondary=primary,
        accent=primary,
        success=hit,
        warning=part,
        error=miss,
        variables={
            "hit": hit,
            "part": part,
            "miss": miss,
            "mark": mark,
            "quiet": quiet,
            "line": line,
            "cursor-background": cursor,
            "cursor-foreground": foreground,
            "cursor-blurred-background": cursor_blurred,
            "cursor-blurred-foreground": foreground,
            # Textual's own widgets follow.
            "text": foreground,
            "text-muted": quiet,
            "text-disabled": quiet,
            "text-success": hit,
            "text-warning": part,
            "text-error": miss,
            "foreground-muted": quiet,
            "block-cursor-background": cursor,
            "block-cursor-foreground": foreground,
            "block-cursor-text-style": "bold",
            "block-cursor-blurred-background": cursor_blurred,
            "block-cursor-blurred-foreground": foreground,
            "block-hover-background": cursor_blurred,
            "border": primary,
            "border-blurred": line,
            "scrollbar": line,
            "scrollbar-hover": quiet,
            "scrollbar-active": primary,
            "scrollbar-background": background,
            "scrollbar-background-hover": background,
            "scrollbar-background-active": background,
            "scrollbar-corner-color": background,
            "footer-background": panel,
            "footer-key-foreground": primary,
            "input-selection-background": cursor,
            "input-selection-foreground": foreground,
            "button-color-foreground": background,
            "button-focus-text-style": "bold",
        },
    )


# Dark grounds have next to no saturation: with 256 colours they become greys, not loud blues.
DARK_THEME: Final = _theme(
    "dark",
    dark=True,
    background="#15171a",
    surface="#1c1f23",
    panel="#26292e",
    foreground="#e1e3e6",
    quiet="#a9aeb5",
    primary="#87b5e0",
    hit="#8cc98f",
    part="#dfb768",
    miss="#ec9a92",
    mark="#c9a8e6",
    cursor="#373e47",
    cursor_blurred="#2b2f35",
    line="#666d77",
)
LIGHT_THEME: Final = _theme(
    "light",
    dark=False,
    background="#fbfbfa",
    surface="#f3f4f5",
    panel="#e7e9ec",
    foreground="#1d2024",
    quiet="#4d535b",
    primary="#0f4f94",
    hit="#17602b",
    part="#6b4300",
    miss="#9c1f1a",
    mark="#5f2d87",
    cursor="#cfdff2",
    cursor_blurred="#e3e6ea",
    line="#858c96",
)
HIGH_CONTRAST: Final = _theme(
    "high-contrast",
    dark=True,
    background="#000000",
    surface="#000000",
    panel="#1c1c1c",
    foreground="#ffffff",
    quiet="#d0d0d0",
    primary="#87d7ff",
    hit="#87ff87",
    part="#ffd75f",
    miss="#ffafaf",
    mark="#e4c1ff",
    cursor="#00005f",
    cursor_blurred="#303030",
    line="#c0c0c0",
)
# Okabe and Ito's colours, lightened where the ground asks for it: blue and orange tell hit and miss
# apart for eyes that do not tell green from red.
COLOUR_BLIND: Final = _theme(
    "colour-blind",
    dark=True,
    background="#15171a",
    surface="#1c1f23",
    panel="#26292e",
    foreground="#e1e3e6",
    quiet="#a9aeb5",
    primary="#b5cde3",
    hit="#56b4e9",
    part="#f0e442",
    miss="#f0913a",
    mark="#dd9fc3",
    cursor="#373e47",
    cursor_blurred="#2b2f35",
    line="#666d77",
)

THEMES: Final = (DARK_THEME, LIGHT_THEME, HIGH_CONTRAST, COLOUR_BLIND)
"""In the order in which one key goes through them."""

VARIABLE_DEFAULTS: Final[dict[str, str]] = {
    name: colour
    for name, colour in DARK_THEME.variables.items()
    if name in {"hit", "part", "miss", "mark", "quiet", "line"} or name.startswith("cursor-")
}
"""For `App.get_theme_variable_defaults`: style sheets stay valid under any other theme."""


def register(app: App[Any], theme: str = "dark") -> None:
    """Make the four themes known to an app and use one."""
    for item in THEMES:
        app.register_theme(item)
    app.theme = theme


def choose_next_theme(name: str) -> str:
    """The theme after this one.

    >>> choose_next_theme("dark"), choose_next_theme("colour-blind"), choose_next_theme("nord")
    ('light', 'dark', 'dark')
    """
    names = [theme.name for theme in THEMES]
    return names[(names.index(name) + 1) % len(names)] if name in names else names[0]
