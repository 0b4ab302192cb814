"""Room: a pane has all of it, the border between two is moved, and both are there again."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, Inspector, inspect
from tests.tui.moments.moment_screens import Moments, look
from tui.frames.picture_screen import PictureScreen
from tui.keys.active import find_active_commands
from tui.opening.config import read_config
from tui.opening.layout import PaneLayout, read_layout
from tui.opening.remember import Memory
from tui.opening.settings import LAYOUT

OTHER = "urban_pedestrian_0040"
SIZES = [(80, 24), (120, 40), (200, 50)]
NO_LAYOUT = PaneLayout()


def widths(see: Inspector) -> dict[str, int]:
    """The panes of the body that are shown, and how wide they are."""
    panes = see.app.screen.query_one(".panes").children
    return {str(pane.id): pane.outer_size.width for pane in panes if pane.display}


def offered(see: Inspector | Moments) -> set[str]:
    return {one.command.id for one in find_active_commands(see.app.screen)}


@pytest.mark.parametrize("size", SIZES)
def test_z_gives_the_focused_pane_all_the_room_and_takes_it_back(
    size: tuple[int, int], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        before = widths(see)
        rows = see.results.outer_size.height
        await see.do("app.zoom")
        await see.until(lambda: widths(see) == {"results": size[0]}, "the results alone")
        assert see.results.outer_size.height > rows
        assert "Recall@1" not in see.screen_text
        await see.do("app.zoom")
        await see.until(lambda: widths(see) == before, "as before")
        assert "Recall@1" in see.screen_text

    inspect(flow, tmp_path, encoder, size=size, query=("video", CLIP))


def test_with_pictures_the_list_gives_the_room_back_before_the_picture_takes_it(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.until(lambda: see.home.frames.can_show, "frames")
        see.app.action_zoom()  # as from another pane
        await see.until(lambda: list(widths(see)) == ["results"], "the results alone")
        await see.press("z")
        await see.until(lambda: list(widths(see)) == ["results", "detail-pane"], "both")
        assert see.app.screen is see.home
        await see.press("z")
        assert isinstance(see.app.screen, PictureScreen)
        await see.press("z")
        await see.until(lambda: see.app.screen is see.home, "the list again")
        await see.press("V", "V")  # no frames: then the list is what there is to look at
        assert see.home.frames.view == "none"
        await see.press("z")
        await see.until(lambda: list(widths(see)) == ["results"], "the results alone")

    inspect(flow, tmp_path, encoder, query=("video", CLIP), images="quadrant")


@pytest.mark.parametrize("size", SIZES)
def test_a_zoomed_pane_says_first_how_the_others_come_back_and_escape_brings_them(
    size: tuple[int, int], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        panes = list(widths(see))
        assert "All panes" not in see.footer
        await see.press("z")
        await see.until(lambda: list(widths(see)) == ["results"], "the results alone")
        assert next(iter(see.footer.items())) == ("All panes", "z")
        assert "All panes" in see.screen_text
        await see.do("inspect.toggle_missed")
        await see.press("escape")  # one level at a time: the list comes first
        assert list(widths(see)) == ["results"]
        await see.press("escape")
        await see.until(lambda: list(widths(see)) == panes, "all of them")

    inspect(flow, tmp_path, encoder, query=("video", CLIP), images="off", size=size)


def test_what_has_all_the_room_follows_the_focus(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.do("app.zoom", "inspect.pick")
        await see.until(lambda: widths(see) == {"picker": 200}, "the groups alone")
        await see.press("escape")
        await see.until(lambda: widths(see) == {"results": 200}, "the results alone")
        await see.do("app.jump")
        assert see.app.screen.is_modal
        await see.press("escape")
        await see.do("inspect.ask_text")
        assert see.focused == "query-field"
        assert widths(see) == {"results": 200}
        await see.press("escape", "b", "1")
        assert len(see.session().judgements("video", CLIP)) == 1

    inspect(flow, tmp_path, encoder, size=(200, 50), query=("video", CLIP))


def test_the_border_moves_step_by_step_as_far_as_both_panes_can_be_read(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        see.burst("greater_than_sign", "greater_than_sign")
        await see.until(lambda: see.app.layout.shares == {"inspect": 65}, "two steps")
        await see.until(lambda: widths(see) == {"results": 78, "detail-pane": 42}, "65 %")
        see.burst(*["less_than_sign"] * 30)
        await see.until(lambda: widths(see) == {"results": 24, "detail-pane": 96}, "20 %")
        see.burst(*["greater_than_sign"] * 30)
        await see.until(lambda: widths(see) == {"results": 96, "detail-pane": 24}, "80 %")
        await see.do("inspect.pick")  # it stands where the detail stood
        await see.until(lambda: widths(see) == {"results": 96, "picker": 24}, "the groups")

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_a_third_pane_keeps_its_width(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.do("app.border_left")
        half = {"results": 74, "detail-pane": 75, "picker": 51}
        await see.until(lambda: widths(see) == half, "50 % of what the groups leave")

    inspect(flow, tmp_path, encoder, size=(200, 50), query=("video", CLIP))


def test_panes_that_are_stacked_have_no_border_to_move(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.until(lambda: widths(see) == {"results": 80, "detail-pane": 80}, "both")
        assert "app.zoom" in offered(see)
        assert not {"app.border_left", "app.border_right"} & offered(see)
        await see.do("app.border_left")
        assert see.app.layout == layout

    layout = PaneLayout({"inspect": 30})
    inspect(flow, tmp_path, encoder, size=(80, 24), query=("video", CLIP), layout=layout)


def test_what_is_changed_is_there_again_after_a_restart(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    file = tmp_path / "config.toml"
    left: list[PaneLayout] = []

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.do("app.border_right", "app.zoom")
        left.append(see.app.layout)

    inspect(flow, tmp_path, encoder, query=("video", CLIP), memory=Memory(file))

    said = read_config(file).said
    assert said["layout.zoom"] == "inspect:results"
    kept = {name.removeprefix(LAYOUT): one for name, one in said.items()}
    assert read_layout(kept) == left[0]  # type: ignore[arg-type]


def test_what_was_kept_is_there_from_the_start(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.until(lambda: see.results.clip, "an answer, of which no detail is shown")
        await see.until(lambda: widths(see) == {"results": 120}, "the results alone")
        await see.do("app.zoom")
        await see.until(lambda: widths(see) == {"results": 36, "detail-pane": 84}, "30 %")

    layout = read_layout(PaneLayout({"inspect": 30}, {"inspect": "results"}).as_settings())
    inspect(flow, tmp_path, encoder, query=("video", CLIP), layout=layout)


@pytest.mark.parametrize("asks", [False, True])
def test_the_pane_that_was_zoomed_is_again_where_an_answer_goes_on(
    asks: bool, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def leave(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("tab", "z")
        await see.until(lambda: widths(see) == {"detail-pane": 120}, "the detail alone")
        kept.append(see.app.layout)

    async def come_back(see: Inspector) -> None:
        if asks:  # and looks at what is found
            await see.press("c", *OTHER, "enter")
            await see.answered_alone(OTHER)
        alone, focused = ("results", "results") if asks else ("detail-pane", "detail")
        await see.until(lambda: widths(see) == {alone: 120}, alone)
        assert see.focused == focused

    kept: list[PaneLayout] = []
    query = ("video", CLIP)
    inspect(leave, tmp_path, encoder, query=query, images="off")
    layout = read_layout(kept[0].as_settings())
    inspect(come_back, tmp_path, encoder, query=None if asks else query, layout=layout)


def test_a_share_holds_when_the_terminal_grows_and_shrinks(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.until(lambda: widths(see) == {"results": 36, "detail-pane": 84}, "30 %")
        await see.pilot.resize_terminal(80, 24)
        await see.until(lambda: widths(see) == {"results": 80, "detail-pane": 80}, "stacked")
        await see.pilot.resize_terminal(100, 30)
        await see.until(lambda: widths(see) == {"results": 30, "detail-pane": 70}, "30 % again")

    layout = PaneLayout({"inspect": 30})
    inspect(flow, tmp_path, encoder, query=("video", CLIP), layout=layout)


def test_evaluate_and_compare_have_a_border_where_two_panes_are_open(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("app.show_evaluate", "evaluate.toggle_mode", "evaluate.run")
        await see.says("mean of n")
        await see.until(lambda: not {"app.zoom", "app.border_left"} & offered(see), "one pane")
        await see.do("evaluate.frequency")
        await see.until(lambda: "app.border_left" in offered(see), "two panes")
        before = widths(see)["queries"]
        await see.do("app.border_left")
        await see.until(lambda: widths(see)["queries"] < before, "a border that moved")
        await see.do("app.zoom")
        await see.until(lambda: widths(see) == {"frequency": 160}, "the count alone")
        await see.press("escape")
        await see.until(lambda: widths(see) == {"queries": 160}, "the queries alone")
        await see.do("app.show_compare", "compare.run")
        await see.until(lambda: len(widths(see)) == 2, "both panes")
        await see.do("app.border_right")
        await see.until(lambda: see.app.layout.shares["compare"] == 65, "a step")
        assert see.app.layout.zoomed == {"evaluate": "frequency"}

    inspect(flow, tmp_path, encoder, size=(160, 40))


def test_a_pane_that_needs_only_so_much_is_as_wide_as_its_border_is_moved(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("app.show_compare", "compare.run")
        await see.until(lambda: len(widths(see)) == 2, "both panes")
        await see.until(lambda: widths(see) == {"queries": 138, "flips-pane": 62}, "its need")
        for _ in range(5):
            await see.do("app.border_left")
        await see.until(lambda: widths(see) == {"queries": 90, "flips-pane": 110}, "45 %")
        await see.pilot.resize_terminal(80, 24)
        await see.until(lambda: set(widths(see).values()) == {80}, "stacked")

    inspect(flow, tmp_path, encoder, size=(200, 50))


def test_the_moments_have_room_too(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        panes = lambda: [  # noqa: E731
            pane.id for pane in see.app.screen.query_one(".panes").children if pane.display
        ]
        await see.until(lambda: "app.border_left" in offered(see), "a border")
        await see.do("app.zoom")
        await see.until(lambda: panes() == ["queries-pane"], "the queries alone")
        await see.do("moments.open")
        await see.until(lambda: panes() == ["detail-pane"], "the predictions alone")

    look(flow, tmp_path, size=(140, 40))


def test_sessions_have_one_pane_and_no_zoom(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("app.show_sessions")
        await see.until(lambda: "app.zoom" not in offered(see), "no zoom")
        await see.do("app.zoom")
        assert see.app.layout == NO_LAYOUT

    inspect(flow, tmp_path, encoder)


@pytest.mark.parametrize("size", SIZES)
def test_the_groups_are_not_shown_before_there_are_any(
    size: tuple[int, int], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    shown: list[tuple[bool, bool]] = []

    async def flow(see: Inspector) -> None:
        def is_read() -> bool:
            shown.append((see.home.truth is not None, see.picker.display))
            return shown[-1][0]

        await see.until(is_read, "the dataset is read")
        await see.until(lambda: see.picker.display or size[0] < 160, "the groups")

    inspect(flow, tmp_path, encoder, size=size, ready=False)
    assert not any(display for is_read, display in shown if not is_read)
