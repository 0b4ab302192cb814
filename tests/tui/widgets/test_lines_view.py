"""Wrapped lines: what fits, what is lost (nothing), and which lines are sent again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from rich.cells import cell_len, chop_cells
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widget import Widget

import tui.widgets.lines_view
from tests.tui.piloted import screen_text
from tui.look.themes import VARIABLE_DEFAULTS, register
from tui.moments.widgets import FixedLines
from tui.widgets.lines_view import Line, LinesView, Paragraphs, TextSpan, wrap

pytestmark = pytest.mark.usefixtures("painted")

KINDS = ("", "hit", "part", "miss", "mark", "dim", "strong")
WIDE = "日本語✅❌🚲"
TEXTS = st.text(alphabet=st.sampled_from("abc   .é" + WIDE + "e\u0301\x1b\u202e\n"), max_size=60)
SPANS = st.lists(st.tuples(TEXTS, st.sampled_from(KINDS)), max_size=5)


def plain(spans: Sequence[TextSpan]) -> str:
    return "".join(text for text, _ in spans)


def without_blanks(text: str) -> str:
    return "".join(text.split(" "))


# Wrapping


@given(SPANS, st.integers(0, 8), st.integers(2, 30))
@example([("日本語のとても長い質問", "")], 4, 3)
def test_no_line_is_wider_than_the_pane_and_no_word_is_lost(
    spans: list[TextSpan], hang: int, width: int
) -> None:
    assume(width - min(hang, width // 2) >= 2)  # a wide character needs two cells
    line = Line.of(*spans, hang=hang)

    lines = wrap(line, width)

    assert all(cell_len(plain(part)) <= width for part in lines)
    assert without_blanks("".join(map(plain, lines))) == without_blanks(plain(line.spans))


@given(st.lists(st.text(alphabet="abcé", min_size=1, max_size=6), min_size=1), st.integers(12, 30))
def test_words_that_fit_are_never_broken(words: list[str], width: int) -> None:
    lines = wrap(Line.of(" ".join(words), hang=4), width)

    assert " ".join(map(plain, lines)).split() == words


@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=6), min_size=1), st.integers(6, 30))
def test_no_line_could_have_held_the_next_word(words: list[str], width: int) -> None:
    lines = [plain(part) for part in wrap(Line.of(" ".join(words)), width)]

    for line, following in pairwise(lines):
        assert len(line) + 1 + len(following.split()[0]) > width


@given(SPANS, st.integers(4, 30))
def test_every_letter_keeps_its_kind(spans: list[TextSpan], width: int) -> None:
    line = Line.of(*spans)
    before = [(c, kind) for text, kind in line.spans for c in text if c != " "]

    after = [(c, k) for part in wrap(line, width) for text, k in part for c in text if c != " "]

    assert after == before


@given(SPANS, st.integers(4, 30))
def test_neighbours_of_one_kind_are_one_span(spans: list[TextSpan], width: int) -> None:
    for part in wrap(Line.of(*spans), width):
        assert all(one[1] != other[1] for one, other in pairwise(part))


def test_later_lines_begin_further_in() -> None:
    lines = wrap(Line.of(("also  ", "dim"), "one two three four", hang=6), 16)

    assert [plain(part) for part in lines] == ["also  one two", "      three four"]


def test_a_hang_takes_at_most_half_of_the_pane() -> None:
    assert [plain(part) for part in wrap(Line.of("aaaa bbb", hang=40), 6)] == ["aaaa", "   bbb"]


def test_a_word_longer_than_the_pane_is_broken_where_it_must() -> None:
    assert [plain(part) for part in wrap(Line.of("abcdefgh", hang=1), 4)] == ["abcd", " efg", " h"]


def test_an_empty_paragraph_is_one_empty_line() -> None:
    assert wrap(Line(), 10) == [()]
    assert wrap(Line.of("", ("", "hit")), 10) == [()]


@pytest.mark.parametrize("width", [-3, 0, 1])
def test_no_width_at_all_still_ends(width: int) -> None:
    assert without_blanks("".join(map(plain, wrap(Line.of("ab c"), width)))) == "abc"


@pytest.mark.parametrize(("width", "hang"), [(0, 0), (1, 0), (2, 2)])
def test_a_wide_character_ends_where_there_is_one_cell_only(
    width: int, hang: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(100))

    def chop(text: str, cells: int) -> list[str]:
        assert next(calls, None) is not None, "it never ends"
        return chop_cells(text, cells)

    monkeypatch.setattr(tui.widgets.lines_view, "chop_cells", chop)

    lines = wrap(Line.of("✅✅ yes", hang=hang), width)

    assert without_blanks("".join(map(plain, lines))) == "✅✅yes"


# Harmless text


def test_spans_are_made_harmless_whatever_they_hold() -> None:
    line = Line.of("\x1b[31mred", ("\u202eevil\n", "hit"), "[bold]not bold[/]")

    assert plain(line.spans) == "\\x1b[31mred\\u202eevil\\n[bold]not bold[/]"


def test_markup_in_a_text_is_shown_and_not_obeyed() -> None:
    class Reader(App[None]):
        def compose(self) -> ComposeResult:
            yield Paragraphs([Line.of(("[red]a[/red]", "part"), " [b"), Line.of("[/b]")])

        def get_theme_variable_defaults(self) -> dict[str, str]:
            return VARIABLE_DEFAULTS

    async def flow() -> None:
        app = Reader()
        async with app.run_test(size=(20, 5)):
            assert screen_text(app.screen).split("\n")[:2] == ["[red]a[/red] [b", "[/b]"]
            content = app.query_one(Paragraphs).render()
            assert [str(span.style) for span in content.spans] == ["$part"]

    asyncio.run(flow())


def test_paragraphs_are_as_tall_as_they_are_wrapped_and_hang() -> None:
    class Reader(App[None]):
        def compose(self) -> ComposeResult:
            with VerticalScroll():
                yield Paragraphs([Line.of("name  a long formula of it", hang=6)])

    async def flow() -> None:
        app = Reader()
        async with app.run_test(size=(16, 6)) as pilot:
            await pilot.pause()
            assert app.query_one(Paragraphs).size.height == 3
            lines = screen_text(app.screen).split("\n")
            assert lines[:3] == ["name  a long", "      formula of", "      it"]

    asyncio.run(flow())


# The widget


class Watched(LinesView):
    """Writes down which lines were asked to be painted."""

    def __init__(self) -> None:
        super().__init__()
        self.painted: list[int] = []
        self.regions: list[Region] = []

    def render_line(self, y: int):  # type: ignore[no-untyped-def]
        self.painted.append(y)
        return super().render_line(y)

    def refresh(self, *regions: Region, **others: bool) -> Widget:  # type: ignore[override]
        self.regions += regions
        return super().refresh(*regions, **others)

    def forget(self) -> None:
        self.painted.clear()
        self.regions.clear()


class LinesApp(App[None]):
    CSS = "Watched { height: 100%; width: 100%; }"

    def __init__(self) -> None:
        super().__init__()
        register(self, "dark")

    def compose(self) -> ComposeResult:
        yield Watched()

    @property
    def view(self) -> Watched:
        return self.query_one(Watched)

    def shown(self) -> list[str]:
        return [self.view.render_line(y).text.rstrip() for y in range(self.view.size.height)]


Flow = Callable[[LinesApp, Watched, Pilot[None]], Awaitable[None]]


def drive(flow: Flow, size: tuple[int, int] = (30, 8), app: LinesApp | None = None) -> None:
    app = app or LinesApp()

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await flow(app, app.view, pilot)

    asyncio.run(run())


def numbered(count: int) -> list[Line]:
    return [Line.of(f"line {number}") for number in range(count)]


async def settle(view: Watched, lines: list[Line], pilot: Pilot[None]) -> None:
    """Show the lines until the scrollbar, which they may need, has its place."""
    for _ in range(2):
        view.show_lines(lines)
        await pilot.pause()
    view.forget()


def test_the_lines_are_shown_and_the_rest_is_blank() -> None:
    async def flow(app: LinesApp, view: Watched, pilot: Pilot[None]) -> None:
        view.show_lines([Line.of("✅ yes"), Line(), Line.of("a word that does not fit any more")])
        await pilot.pause()
        assert app.shown()[:5] == ["✅ yes", "", "a word that does not fit any", "more", ""]
        assert view.text == "✅ yes\n\na word that does not fit any\nmore"
        assert view.line_count == 4
        assert {view.render_line(y).cell_length for y in range(8)} == {30}

    drive(flow)


def test_only_lines_that_differ_are_painted_again() -> None:
    async def flow(app: LinesApp, view: Watched, pilot: Pilot[None]) -> None:
        lines = numbered(6)
        view.show_lines(lines)
        await pilot.pause()
        view.forget()
        view.show_lines([*lines[:2], Line.of("other"), lines[3], Line.of(("line 4", "hit"))])
        await pilot.pause()
        # The third, the fifth in another ink, and the sixth, which is gone.
        assert sorted(set(view.painted)) == [2, 4, 5]
        assert {region.height for region in view.regions} == {1}

    drive(flow)


def test_showing_the_same_paints_nothing() -> None:
    async def flow(app: LinesApp, view: Watched, pilot: Pilot[None]) -> None:
        view.show_lines(numbered(5))
        await pilot.pause()
        view.forget()
        view.show_lines(numbered(5))
        await pilot.pause()
        assert (view.painted, view.regions) == ([], [])

    drive(flow)


def test_what_changes_out_of_sight_paints_nothing() -> None:
    async def flow(app: LinesApp, view: Watched, pilot: Pilot[None]) -> None:
        await settle(view, numbered(40), pilot)
        view.show_lines([*numbered(30), Line.of("far below"), *numbered(40)[31:]])
        await pilot.pause()
        assert view.painted == []

    drive(flow)


def test_a_scrolled_view_repaints_the_line_where_it_stands() -> None:
    async def flow(app: LinesApp, view: Watched, pilot: Pilot[None]) -> None:
        await settle(view, numbered(40), pilot)
        view.focus()
        await pilot.press("down", "down", "down")
        assert app.shown()[0] == "line 3"
        await pilot.pause()
        view.forget()
        view.show_lines([*numbered(5), Line.of("changed"), *numbered(40)[6:]])
        await pilot.pause()
        assert set(view.painted) == {2}
        assert app.shown()[2] == "changed"

    drive(flow)


@pytest.mark.parametrize(
    ("keys", "first"),
    [
        ("j", "line 1"),
        ("j j k", "line 1"),
        ("ctrl+d", "line 4"),
        ("ctrl+d ctrl+u", "line 0"),
        ("pagedown", "line 8"),
        ("pagedown pageup", "line 0"),
        ("G", "line 32"),
        ("G g", "line 0"),
    ],
)
def test_it_scrolls_by_keys(keys: str, first: str) -> None:
    async def flow(app: LinesApp, view: Watched, pilot: Pilot[None]) -> None:
        await settle(view, numbered(40), pilot)
        view.focus()
        await pilot.press(*keys.split())
        await pilot.pause()
        assert app.shown()[0] == first

    drive(flow)


def test_another_width_wraps_again() -> None:
    async def flow(app: LinesApp, view: Watched, pilot: Pilot[None]) -> None:
        view.show_lines([Line.of("one two six ten night")])
        await pilot.pause()
        assert view.line_count == 1
        await pilot.resize_terminal(10, 8)
        await pilot.pause()
        assert app.shown()[:4] == ["one two", "six ten", "night", ""]

    drive(flow)


def test_more_lines_than_fit_need_no_horizontal_scrollbar() -> None:
    async def flow(app: LinesApp, view: Watched, pilot: Pilot[None]) -> None:
        view.show_lines(numbered(40))
        await pilot.pause()
        assert view.show_vertical_scrollbar
        assert not view.show_horizontal_scrollbar

    drive(flow)


def test_the_scrollbar_hides_no_text() -> None:
    async def flow(app: LinesApp, view: Watched, pilot: Pilot[None]) -> None:
        view.show_lines([Line.of("x" * 30)] * 40)
        await pilot.pause()
        widest = max(map(len, view.text.splitlines()))
        assert widest <= view.scrollable_content_region.width

    drive(flow)


def test_the_scrollbar_goes_when_it_is_not_needed_any_more() -> None:
    async def flow(app: LinesApp, view: Watched, pilot: Pilot[None]) -> None:
        await settle(view, numbered(40), pilot)
        await settle(view, numbered(3), pilot)
        assert not view.show_vertical_scrollbar

    drive(flow)


def test_hostile_text_is_as_wide_as_the_pane_and_speaks_to_no_terminal() -> None:
    async def flow(app: LinesApp, view: Watched, pilot: Pilot[None]) -> None:
        hostile = "[bold red]x[/] \x1b]0;title\x07 \u202egnp.exe 日本語のとても長い質問" * 3
        view.show_lines([Line.of(hostile, (hostile, "hit"))])
        await pilot.pause()
        strips = [view.render_line(y) for y in range(8)]
        assert {strip.cell_length for strip in strips} == {30}
        text = "".join(strip.text for strip in strips)
        assert not {"\x1b", "\x07", "\u202e"} & set(text)
        assert "[bold red]x[/]" in text

    drive(flow)


# Hidden, and shown again in the size that it had


A_SENTENCE = Line.of("a sentence of some words")


async def show_while_hidden(view: LinesView, lines: list[Line], pilot: Pilot[None]) -> None:
    """Neither Resize nor Show comes afterwards: the screen's map is asked for, as after scrolling,
    between the styles and the layout, which then finds nothing new."""
    view.display = False
    await pilot.pause()
    view.show_lines(lines)
    await pilot.pause()
    view.display = True
    view.screen._compositor._full_map_invalidated = True
    assert view.region
    await pilot.pause()
    await pilot.pause()


def test_what_was_shown_to_a_hidden_view_is_wrapped_when_it_comes_back() -> None:
    async def flow(app: LinesApp, view: Watched, pilot: Pilot[None]) -> None:
        await settle(view, numbered(2), pilot)
        await show_while_hidden(view, [A_SENTENCE], pilot)
        assert app.shown()[:2] == ["a sentence of some words", ""]

    drive(flow)


def test_a_hidden_view_is_made_as_tall_as_its_lines_when_its_width_is_known() -> None:
    async def flow(app: LinesApp, view: Watched, pilot: Pilot[None]) -> None:
        view.show_lines(numbered(4))
        await pilot.pause()
        assert view.size.height == 4
        await show_while_hidden(view, [A_SENTENCE], pilot)
        assert view.size.height == 1
        assert app.shown() == ["a sentence of some words"]

    drive(flow, app=StripApp())


def test_lines_cut_to_their_place_are_cut_again_when_it_comes_back() -> None:
    async def run() -> None:
        app = FixedApp()
        async with app.run_test(size=(12, 8)) as pilot:
            view = app.query_one(FixedLines)
            view.show_lines(numbered(2))
            await pilot.pause()
            await show_while_hidden(view, [A_SENTENCE, Line.of("its end")], pilot)
            assert view.text == "a sentence…\nits end"

    asyncio.run(run())


class Strip(Watched):
    heights = (1, 4)


class StripApp(LinesApp):
    CSS = "Strip { width: 100%; }"

    def compose(self) -> ComposeResult:
        yield Strip()


class FixedApp(LinesApp):
    CSS = "FixedLines { width: 100%; height: 2; }"

    def compose(self) -> ComposeResult:
        yield FixedLines()
