"""Every setting that a person can have of their own: what it may be, and what says it.

Precedence: an option, the environment, the `dataset.toml` of the dataset where it sets it,
`config.toml`, then the default.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, get_args

from engine.base.choices import CUTOFFS_ALLOWED, ProfileName, sort_cutoffs
from engine.base.errors import InputError
from engine.base.messages import fit_on_line, list_names, suggest
from tui.look.theme_names import THEME_NAMES
from tui.opening.frame_choices import FrameView, ImageMode
from tui.opening.layout import LEAST_PANE_SHARE, MOST_PANE_SHARE

SettingValue: TypeAlias = str | int | tuple[int, ...]


class ConfigItem(NamedTuple):
    """One setting.

    name      as `config.toml` has it; a dot parts the table from the name in it
    about     what it is, for the file and for the eye
    usual     what holds where nobody says anything
    check     makes a value of what TOML has, or refuses it
    option    the option that overrides it, if there is one
    commands  the commands that have this option, where not all do that need the setting
    variable  the variable of the environment that overrides the file, if there is one
    choices   words that it may be; none: it is no word, or any may be
    blank     the word for the usual value where that is 0 or empty
    typing    how it is typed, for who typed what it cannot be; empty: as the error itself says
    """

    name: str
    about: str
    usual: SettingValue
    check: Callable[[Any], SettingValue]
    option: str = ""
    variable: str = ""
    choices: tuple[str, ...] = ()
    blank: str = ""
    commands: tuple[str, ...] = ()
    typing: str = ""

    def parse(self, text: str) -> SettingValue:
        """The value that a text means, as it is typed or stands in the environment.

        >>> CONFIG_ITEMS["k"].parse("5,1"), CONFIG_ITEMS["theme"].parse("light")
        ((1, 5), 'light')
        >>> CONFIG_ITEMS["layout.inspect"].parse("default")
        0
        """
        if self.blank and text == self.blank:
            return self.usual
        try:
            return self.check(_read_plain(text) if not isinstance(self.usual, str) else text)
        except InputError as error:
            raise InputError(error.message, error.place, hint=self.typing or error.hint) from error

    @property
    def overriders(self) -> str:
        """What speaks before the file.

        >>> CONFIG_ITEMS["k"].overriders, CONFIG_ITEMS["frames"].overriders
        ('--k of run and search, or $TUI_EVAL_K', '$TUI_EVAL_FRAMES')
        """
        own = f" of {' and '.join(self.commands)}," if self.commands else ""
        variable = f"${self.variable}" if self.variable else ""
        return " or ".join(filter(None, (f"{self.option}{own}", variable)))

    def spell(self, value: SettingValue) -> str:
        """A value as it is typed.

        >>> CONFIG_ITEMS["k"].spell((1, 5)), CONFIG_ITEMS["layout.inspect"].spell(0)
        ('1,5', 'default')
        """
        if self.blank and value == self.usual:
            return self.blank
        return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _read_plain(text: str) -> object:
    """A number, or numbers with commas between them; anything else stays as it is."""
    parts = [part.strip() for part in text.strip().removeprefix("[").removesuffix("]").split(",")]
    if not all(re.fullmatch(r"[0-9]{1,9}", part) for part in parts):
        return text
    numbers = [int(part) for part in parts]
    return numbers if len(numbers) > 1 else numbers[0]


def format_toml(value: SettingValue) -> str:
    """A value as TOML has it.

    >>> format_toml((1, 5)), format_toml('a "b"'), format_toml(60)
    ('[1, 5]', '"a \\\\"b\\\\""', '60')
    """
    if isinstance(value, str):
        # JSON's texts are TOML's, but for one character that TOML wants written out.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"[{', '.join(map(str, value))}]" if isinstance(value, tuple) else str(value)


def _one_of(names: Sequence[str], wrong: str) -> Callable[[Any], SettingValue]:
    def check(value: Any) -> SettingValue:
        if value in names:
            return str(value)
        said = fit_on_line(value) if isinstance(value, str) else fit_on_line(repr(value))
        near = suggest(value, names) if isinstance(value, str) else ""
        hint = f"{near} choose one of {list_names(names)}".strip()
        raise InputError(wrong.format(said), hint=hint)

    return check


def _check_text(value: Any) -> SettingValue:
    if not isinstance(value, str) or re.search("[\0\ud800-\udfff]", value) or not value.strip():
        said = fit_on_line(repr(value))
        raise InputError(f"dataset is {said}", hint='name a folder in quotes, or "sample"')
    return value


def _check_ks(value: Any) -> SettingValue:
    ks = sort_cutoffs(value)
    if ks is None:
        hint = f"list {CUTOFFS_ALLOWED}: [1, 3, 5]"
        raise InputError(f"k is {fit_on_line(repr(value))}", hint=hint)
    return ks


def _share(name: str) -> Callable[[Any], SettingValue]:
    def check(value: Any) -> SettingValue:
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if not is_number or not (value == 0 or LEAST_PANE_SHARE <= value <= MOST_PANE_SHARE):
            hint = f"give percent from {LEAST_PANE_SHARE} to {MOST_PANE_SHARE}, or 0: default"
            raise InputError(f"{name} is {fit_on_line(repr(value))}", hint=hint)
        return int(value)

    return check


def _check_zoomed(value: Any) -> SettingValue:
    named = value.split(".") if isinstance(value, str) and value else []
    if value == "" or (named and all(map(_ZOOMED.fullmatch, named))):
        return str(value)
    hint = (
        'name screens and panes, such as "inspect:detail.compare", "" for none; '
        f"screens: {list_names(PANED_SCREENS)}"
    )
    raise InputError(f"{LAYOUT}zoom is {fit_on_line(repr(value))}", hint=hint)


LAYOUT: Final = "layout."
"""How the names of sizes begin."""

PANED_SCREENS: Final = ("inspect", "evaluate", "compare", "moments")

_ZOOMED: Final = re.compile(rf"({'|'.join(PANED_SCREENS)})(:[a-z-]{{1,20}})?")
"""Screens that have panes to be moved."""


_WITH_METRICS = ("run", "search")


def _list_settings() -> tuple[ConfigItem, ...]:
    theme = _one_of(THEME_NAMES, 'there is no theme "{}"')
    images = _one_of(get_args(ImageMode), 'frames cannot be drawn as "{}"')
    frames = _one_of(get_args(FrameView), 'frames cannot be shown as "{}"')
    profile = _one_of(get_args(ProfileName), 'there is no profile "{}"')
    drawn = list_names(get_args(ImageMode))
    shown = list_names(get_args(FrameView))
    named = list_names(get_args(ProfileName))
    return (
        ConfigItem(
            "theme",
            f"Colours: {list_names(THEME_NAMES)}. T in the inspector changes it, and writes it.",
            THEME_NAMES[0],
            theme,
            "--theme",
            "TUI_EVAL_THEME",
            THEME_NAMES,
        ),
        ConfigItem(
            "images",
            f"How frames are drawn: {drawn}.",
            "auto",
            images,
            "--images",
            "TUI_EVAL_IMAGES",
            get_args(ImageMode),
        ),
        ConfigItem(
            "frames",
            f"How many frames of a clip are shown, and how large: {shown}.",
            "large",
            frames,
            "",
            "TUI_EVAL_FRAMES",
            get_args(FrameView),
        ),
        ConfigItem(
            "dataset",
            'The dataset where none is named: a folder with a dataset.toml, or "sample".',
            "sample",
            _check_text,
            "--dataset",
            "TUI_EVAL_DATASET",
        ),
        ConfigItem(
            "profile",
            f"How metrics are named in the inspector, run and search: {named}.",
            "alfa",
            profile,
            "--profile",
            "TUI_EVAL_PROFILE",
            get_args(ProfileName),
            commands=_WITH_METRICS,
        ),
        ConfigItem(
            "k",
            "Cut-offs K in the inspector, run and search.",
            (1, 3, 5),
            _check_ks,
            "--k",
            "TUI_EVAL_K",
            commands=_WITH_METRICS,
            typing=f"list {CUTOFFS_ALLOWED}: 1,5,10",
        ),
        *(
            ConfigItem(
                f"{LAYOUT}{screen}",
                f"Percent of the width for the first pane of {screen.capitalize()}, as set with < "
                "and >; 0: default.",
                0,
                _share(f"{LAYOUT}{screen}"),
                blank="default",
            )
            for screen in PANED_SCREENS
        ),
        ConfigItem(
            f"{LAYOUT}zoom",
            'Panes that have all the room of their screens, as the command "Zoom" has left them: '
            '"inspect:detail.compare"; without a pane: the first.',
            "",
            _check_zoomed,
            blank="none",
        ),
    )


CONFIG_ITEMS: Final = {setting.name: setting for setting in _list_settings()}


def find_setting(name: str) -> ConfigItem:
    """The setting of that name.

    >>> find_setting("them")
    Traceback (most recent call last):
    engine.base.errors.InputError: there is no setting "them"; did you mean "theme"? \
settings: theme, images, frames, dataset, profile, k, layout.inspect, layout.evaluate, \
layout.compare, layout.moments, layout.zoom
    """
    if name in CONFIG_ITEMS:
        return CONFIG_ITEMS[name]
    hint = f"{suggest(name, CONFIG_ITEMS)} settings: {list_names(CONFIG_ITEMS)}".strip()
    raise InputError(f'there is no setting "{fit_on_line(name)}"', hint=hint)
