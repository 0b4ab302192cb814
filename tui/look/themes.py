"""Four colour themes. Every colour of a text is readable on every ground it can stand on.

Besides Textual's own names a theme defines what the panes speak of: `$hit`, `$part`, `$miss` for
keywords a result has, has in part or lacks, `$mark` for a person's judgement, `$quiet` for what is
secondary, and the grounds of the row with the cursor, focused and not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from textual.theme import Theme

from tui.look.theme_names import THEME_NAMES

if TYPE_CHECKING:
    from textual.app import App

_COLOURS: Final = {
    "name": THEME_NAMES,
    # Dark grounds have next to no saturation: with 256 colours they become greys, not loud blues.
    "background": ("#15171a", "#fbfbfa", "#000000", "#15171a"),
    "surface": ("#1c1f23", "#f3f4f5", "#000000", "#1c1f23"),
    "panel": ("#26292e", "#e7e9ec", "#1c1c1c", "#26292e"),
    "foreground": ("#e1e3e6", "#1d2024", "#ffffff", "#e1e3e6"),
    "quiet": ("#a9aeb5", "#4d535b", "#d0d0d0", "#a9aeb5"),
    "primary": ("#87b5e0", "#0f4f94", "#87d7ff", "#b5cde3"),
    # The last are Okabe and Ito's colours, lightened where the ground asks for it: blue and orange
    # tell hit and miss apart for eyes that do not tell green from red.
    "hit": ("#8cc98f", "#17602b", "#87ff87", "#56b4e9"),
    "part": ("#dfb768", "#6b4300", "#ffd75f", "#f0e442"),
    "miss": ("#ec9a92", "#9c1f1a", "#ffafaf", "#f0913a"),
    "mark": ("#c9a8e6", "#5f2d87", "#e4c1ff", "#dd9fc3"),
    "cursor": ("#373e47", "#cfdff2", "#00005f", "#373e47"),
    "cursor_blurred": ("#2b2f35", "#e3e6ea", "#303030", "#2b2f35"),
    "line": ("#666d77", "#858c96", "#c0c0c0", "#666d77"),
}
"""A theme is a column of this table."""

_VARIABLES: Final = {
    "background": "scrollbar-background scrollbar-background-hover scrollbar-background-active "
    "scrollbar-corner-color button-color-foreground",
    "panel": "footer-background",
    "foreground": "text cursor-foreground cursor-blurred-foreground block-cursor-foreground "
    "block-cursor-blurred-foreground input-selection-foreground",
    "quiet": "quiet text-muted text-disabled foreground-muted scrollbar-hover",
    "primary": "border scrollbar-active footer-key-foreground",
    "hit": "hit text-success",
    "part": "part text-warning",
    "miss": "miss text-error",
    "mark": "mark",
    "cursor": "cursor-background block-cursor-background input-selection-background",
    "cursor_blurred": "cursor-blurred-background block-cursor-blurred-background "
    "block-hover-background",
    "line": "line border-blurred scrollbar",
}
"""The variables of style sheets that have each colour: ours, and those of Textual's own widgets."""


def _make_theme(colours: Mapping[str, str]) -> Theme:
    primary = colours["primary"]
    return Theme(
        name=colours["name"],
        dark=colours["background"] < colours["foreground"],  # by their red
        background=colours["background"],
        surface=colours["surface"],
        panel=colours["panel"],
        foreground=colours["foreground"],
        primary=primary,
        secondary=primary,
        accent=primary,
        success=colours["hit"],
        warning=colours["part"],
        error=colours["miss"],
        variables={
            **{name: colours[of] for of, names in _VARIABLES.items() for name in names.split()},
            "block-cursor-text-style": "bold",
            "button-focus-text-style": "bold",
        },
    )


THEMES: Final = tuple(
    _make_theme(dict(zip(_COLOURS, column, strict=True)))
    for column in zip(*_COLOURS.values(), strict=True)
)
"""In the order in which one key goes through them."""

VARIABLE_DEFAULTS: Final[dict[str, str]] = {
    name: colour
    for name, colour in THEMES[0].variables.items()
    if name in {"hit", "part", "miss", "mark", "quiet", "line"} or name.startswith("cursor-")
}
"""For `App.get_theme_variable_defaults`: style sheets stay valid under any other theme."""


def register(app: App[Any], theme: str = "dark") -> None:
    """Make the four themes known to an app that does not run yet, and use one."""
    for item in THEMES:
        app.register_theme(item)
    if not next(item for item in THEMES if item.name == theme).dark:
        app.theme = theme  # which reads all style sheets again once the app runs
        return
    # Nothing is styled yet, and an app begins dark: all that it takes is to know the name.
    app.set_reactive(type(app).theme, theme)
    app.stylesheet.set_variables(app.get_css_variables())
    app.add_class(f"-theme-{theme}", update=False)


def choose_next_theme(name: str) -> str:
    """The theme after this one.

    >>> choose_next_theme("dark"), choose_next_theme("colour-blind"), choose_next_theme("nord")
    ('light', 'dark', 'dark')
    """
    names = [theme.name for theme in THEMES]
    return names[(names.index(name) + 1) % len(names)] if name in names else names[0]
