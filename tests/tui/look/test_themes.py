"""The themes can be read: WCAG contrast, 256 colours, and eyes that see colours differently."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.color import Color, ColorSystem
from rich.segment import Segment
from textual.app import App
from textual.color import Color as TextualColor
from textual.theme import Theme

from tui.look.ascii_filter import AsciiFilter
from tui.look.ascii_signs import build_ascii_table
from tui.look.glyphs import ASCII, UNICODE
from tui.look.themes import THEMES, register

TEXTS = ("foreground", "quiet", "hit", "part", "miss", "mark", "primary", "accent")
GROUNDS = (
    "background",
    "surface",
    "panel",
    "cursor-background",
    "cursor-blurred-background",
)
RGB = tuple[float, float, float]
PAIRS = list(itertools.product(TEXTS, GROUNDS))
by_name = pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)


class _Themed(App[None]):
    def __init__(self, theme: str) -> None:
        super().__init__()
        register(self, theme)

    @property
    def looks(self) -> tuple[object, ...]:
        """All that a theme changes of an app."""
        styles = self.screen.styles
        return self.classes, self.get_css_variables(), styles.background, styles.color


@by_name
def test_an_app_that_starts_in_a_theme_looks_as_one_that_changes_to_it(theme: Theme) -> None:
    other = next(one.name for one in THEMES if one.dark != theme.dark)

    async def flow() -> None:
        app = _Themed(theme.name)
        async with app.run_test() as pilot:
            at_start = app.looks
            app.theme = other
            await pilot.pause()
            assert app.looks != at_start
            app.theme = theme.name
            await pilot.pause()
            assert app.looks == at_start

    asyncio.run(flow())


def colours(theme: Theme) -> dict[str, str]:
    return {**theme.to_color_system().generate(), **theme.variables}


def full(colour: str) -> RGB:
    red, green, blue = Color.parse(colour).get_truecolor()
    return red / 255, green / 255, blue / 255


def reduced(colour: str) -> RGB:
    """As a terminal with 256 colours shows it."""
    red, green, blue = Color.parse(colour).downgrade(ColorSystem.EIGHT_BIT).get_truecolor()
    return red / 255, green / 255, blue / 255


def linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def contrast(one: RGB, other: RGB) -> float:
    """The contrast ratio of WCAG 2.2."""
    dark, light = sorted(
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
        for red, green, blue in (one, other)
    )
    return (light + 0.05) / (dark + 0.05)


def test_black_on_white_has_the_largest_contrast() -> None:
    assert contrast(full("#000000"), full("#ffffff")) == pytest.approx(21)
    assert contrast(full("#777777"), full("#ffffff")) == pytest.approx(4.48, abs=0.01)


@by_name
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_every_text_is_readable_on_every_ground(theme: Theme, text: str, ground: str) -> None:
    palette = colours(theme)
    least = 7 if theme.name == "high-contrast" else 4.5

    assert contrast(full(palette[text]), full(palette[ground])) >= least


@by_name
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_and_stays_so_with_256_colours(theme: Theme, text: str, ground: str) -> None:
    palette = colours(theme)

    assert contrast(reduced(palette[text]), reduced(palette[ground])) >= 4


@by_name
def test_text_on_a_chosen_button_or_letter_is_readable(theme: Theme) -> None:
    palette = colours(theme)

    assert contrast(full(palette["background"]), full(palette["primary"])) >= 4.5
    assert contrast(reduced(palette["background"]), reduced(palette["primary"])) >= 4


@by_name
def test_frames_are_seen(theme: Theme) -> None:
    palette = colours(theme)

    assert contrast(full(palette["line"]), full(palette["background"])) >= 3
    assert contrast(full(palette["primary"]), full(palette["background"])) >= 3


@by_name
@pytest.mark.parametrize("seen", [full, reduced])
def test_the_row_with_the_cursor_stands_out(theme: Theme, seen: object) -> None:
    assert callable(seen)
    palette = colours(theme)
    grounds = {seen(palette[name]) for name in ("background", "surface")}
    focused, blurred = (
        seen(palette[name]) for name in ("cursor-background", "cursor-blurred-background")
    )

    assert focused not in grounds and blurred not in grounds and focused != blurred


@by_name
@pytest.mark.parametrize("seen", [full, reduced])
def test_hit_part_miss_and_mark_are_four_colours(theme: Theme, seen: object) -> None:
    assert callable(seen)
    palette = colours(theme)

    assert len({seen(palette[name]) for name in ("hit", "part", "miss", "mark", "foreground")}) == 5


# Machado, Oliveira and Fernandes (2009), severity 1, on linear light.
BLINDNESS = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}


@pytest.mark.parametrize("kind", BLINDNESS)
@pytest.mark.parametrize(("one", "other"), itertools.combinations(("hit", "part", "miss"), 2))
def test_the_colour_blind_theme_keeps_hit_part_and_miss_apart(
    kind: str, one: str, other: str
) -> None:
    def seen(colour: str) -> RGB:
        light = [linear(part) for part in full(colour)]
        mixed = [
            sum(weight * part for weight, part in zip(row, light, strict=True))
            for row in BLINDNESS[kind]
        ]
        red, green, blue = (max(0.0, part) ** (1 / 2.2) for part in mixed)
        return red, green, blue

    palette = colours(next(theme for theme in THEMES if theme.name == "colour-blind"))
    apart = sum((a - b) ** 2 for a, b in zip(seen(palette[one]), seen(palette[other]), strict=True))

    assert apart**0.5 > 0.2


def test_every_sign_becomes_ascii_of_the_same_width() -> None:
    for code, plain in build_ascii_table().items():
        assert plain.isascii()
        assert cell_len(plain) == cell_len(chr(code)), hex(code)


def test_the_filter_knows_every_sign_that_textual_draws_with() -> None:
    import textual

    folder = Path(textual.__file__).parent
    drawn = set()
    for file in ("_border.py", "scrollbar.py", "_box_drawing.py", "renderables/bar.py"):
        drawn |= set((folder / file).read_text(encoding="utf-8"))
    signs = {sign for sign in drawn if 0x2190 <= ord(sign) < 0x2C00}

    assert signs and {chr(code) for code in build_ascii_table()} >= signs


@pytest.mark.parametrize(
    "name", "part bias relevant not_relevant note chosen not_chosen some_chosen open closed".split()
)
def test_the_filter_agrees_with_the_ascii_alphabet(name: str) -> None:
    assert getattr(UNICODE, name).translate(build_ascii_table()) == getattr(ASCII, name)


def test_the_filter_keeps_letters_styles_and_control_codes() -> None:
    bell = Segment("─", None, [(2,)])  # type: ignore[list-item]
    line = [Segment("│ é 漢 ñ "), Segment("✅ → █"), bell]

    done = AsciiFilter().apply(line, TextualColor.parse("black"))

    assert [segment.text for segment in done] == ["| é 漢 ñ ", "+  > #", "─"]
    assert done[2] is bell
