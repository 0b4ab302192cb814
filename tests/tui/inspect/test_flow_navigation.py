"""Palette, help, jump, themes, key files: every way around the real app."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.command import CommandPalette
from textual.widgets import OptionList

from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, Inspector, inspect
from tui.dialogs.help import HelpScreen
from tui.dialogs.jump import JumpScreen
from tui.dialogs.too_small import TooSmallScreen
from tui.keys.active import find_pressable_keys
from tui.keys.commands import COMMANDS
from tui.keys.keymap import load_keymap
from tui.look.themes import THEMES


async def run_from_palette(see: Inspector, typed: str, name: str) -> None:
    """ctrl+p, a part of the name, Enter."""
    await see.press("ctrl+p")
    assert isinstance(see.app.screen, CommandPalette)
    await see.type(typed)
    choices = see.app.screen.query_one(OptionList)
    await see.until(
        lambda: choices.option_count and str(choices.options[0].prompt).startswith(name),
        f"{name} as the first choice",
    )
    await see.press("enter")
    await see.until(lambda: not isinstance(see.app.screen, CommandPalette), "the palette is gone")


def test_the_palette_runs_a_command_by_its_name(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await run_from_palette(see, "not rel", "Results: Not rel.")
        await see.until(lambda: see.rows()[0][4] == "✗ ", "the mark")
        await run_from_palette(see, "evaluate", "Everywhere: Evaluate")
        await see.until(lambda: see.app.screen is see.app.evaluate_screen)
        await see.press("1")
        await run_from_palette(see, "metrics", "Inspect: Metrics")
        await see.says("Metrics of this query")

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


@pytest.mark.parametrize(
    ("keys", "title", "line"),
    [
        (("question_mark",), "Help: Results", "Mark a bias case and choose why."),
        (("p", "question_mark"), "Help: Groups", "Leave a keyword out of the evaluation"),
        (("e", "question_mark"), "Help: Keywords", "Drop the keyword from the query."),
        (("slash", "f1"), "Help: Query", "Search with what is typed."),
        (("2", "question_mark"), "Help: ", "Evaluate the whole query set."),
        (("3", "question_mark"), "Help: ", "Give the session another name."),
    ],
)
def test_help_names_the_keys_of_the_pane_that_has_the_focus(
    keys: tuple[str, ...], title: str, line: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press(*keys)
        assert isinstance(see.app.screen, HelpScreen)
        assert title in see.screen_text
        assert line in see.screen_text
        await see.press("escape")
        assert not see.app.screen.is_modal

    inspect(flow, tmp_path, encoder, size=(200, 50), query=("video", CLIP))


def test_jump_mode_goes_to_every_pane_by_a_letter(tmp_path: Path, encoder: SentenceEncoder) -> None:
    panes = {"p": "picker", "d": "detail", "e": "keywords", "r": "results", "q": "query-field"}

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        for letter, pane in panes.items():
            await see.press("ctrl+o")
            assert isinstance(see.app.screen, JumpScreen)
            await see.press(letter)
            await see.until(lambda pane=pane: see.focused == pane, pane)  # type: ignore[misc]
        await see.press("escape", "J", "escape")
        assert see.focused == "results"

    inspect(flow, tmp_path, encoder, size=(200, 50), query=("video", CLIP))


def test_escape_leaves_each_pane_for_the_results_and_stays_there(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        for key in ("slash", "c", "p", "e"):
            await see.press(key)
            assert see.focused != "results"
            await see.press("escape")
            assert see.focused == "results", key
        await see.press("escape")
        assert see.app.screen is see.home
        assert see.focused == "results"

    inspect(flow, tmp_path, encoder, size=(200, 50), query=("video", CLIP))


def test_t_goes_through_every_theme_and_round_again(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    async def flow(see: Inspector) -> None:
        monkeypatch.setattr(see.app, "notify", lambda text, **_: said.append(text))
        seen = [see.app.theme]
        for _ in THEMES:
            await see.press("T")
            seen.append(see.app.theme)
            assert said[-1] == f"Theme: {see.app.theme}"
        assert seen[0] == seen[-1] == "dark"
        assert set(seen) == {theme.name for theme in THEMES}

    inspect(flow, tmp_path, encoder)


def test_keys_from_a_file_work_and_the_footer_and_the_help_name_them(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    file = tmp_path / "keys.toml"
    file.write_text('[keys]\n"results.mark_bias" = "B"\n"results.mark_not_relevant" = "f9"\n')

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        assert see.footer["Bias"] == "B"
        assert see.footer["Not rel."] == "f9"
        await see.press("b", "minus")
        assert not see.app.screen.is_modal
        assert see.session().judgements("video", CLIP) == {}
        await see.press("B", "1")
        assert see.rows()[0][4] == "⚑ "
        await see.press("f9")
        assert see.rows()[1][4] == "✗ "
        await see.press("question_mark")
        assert re.search(r"B +Bias", see.screen_text)

    inspect(flow, tmp_path, encoder, query=("video", CLIP), keymap=load_keymap(str(file)))


def test_the_vim_keys_work(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("minus", "k", "x")  # x takes the mark off
        assert see.session().judgements("video", CLIP) == {}
        await see.press("ctrl+f")
        assert see.results.cursor > 10
        await see.press("ctrl+b")
        assert see.results.cursor == 0
        await see.press("c")
        await see.type("urb")
        await see.press("ctrl+p")  # the history, not the palette
        assert see.field == CLIP
        await see.press("escape", "colon")
        assert isinstance(see.app.screen, CommandPalette)

    inspect(flow, tmp_path, encoder, query=("video", CLIP), keymap=load_keymap("vim"))


def test_a_key_file_that_gives_one_key_twice_is_reported_about_at_the_start(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    file = tmp_path / "keys.toml"
    file.write_text('[keys]\n"results.note" = "b"\n')
    keymap = load_keymap(str(file))
    assert keymap.clashes

    async def flow(see: Inspector) -> None:
        await see.says(keymap.clashes[0])

    inspect(flow, tmp_path, encoder, keymap=keymap)


def test_a_key_file_that_gives_one_key_to_all_is_reported_about_in_few_words_and_truly(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    every = [command.id for command in COMMANDS]
    file = tmp_path / "keys.toml"
    file.write_text(
        "[keys]\n" + "".join(f'"{name}" = ["f5", "f{6 + n % 9}"]\n' for n, name in enumerate(every))
    )
    keymap = load_keymap(str(file))
    assert len(keymap.clashes) > 10

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        assert len(see.toasts) == 3
        assert "tui-eval keys --keys" in see.toasts[-1]
        for pane, focus in (("table", see.results), ("query", see.home.query_one("#query-field"))):
            see.home.set_focus(focus)
            winner = find_pressable_keys(see.home)["f5"].binding.id
            assert any(f'"f5": {winner} wins in {pane} over' in said for said in keymap.clashes)

    inspect(flow, tmp_path, encoder, query=("video", CLIP), keymap=keymap)


@pytest.mark.parametrize(
    "keys",
    [
        (),
        ("slash",),
        ("b",),
        ("a",),
        ("p", "slash"),
        ("question_mark",),
        ("ctrl+o",),
        ("ctrl+p",),
        ("2",),
        ("3", "i"),
    ],
    ids=lambda keys: "+".join(keys) or "results",
)
@pytest.mark.parametrize("given", ["to all", "to quit", "to none"])
def test_ctrl_q_quits_wherever_one_is_and_whatever_the_key_file_says(
    given: str, keys: tuple[str, ...], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    text = {
        "to all": "".join(
            f'"{command.id}" = "{command.keys},ctrl+q"\n' for command in COMMANDS if command.keys
        ),
        "to quit": '"app.quit" = "ctrl+q"\n',
        "to none": '"app.quit" = []\n',
    }
    file = tmp_path / "keys.toml"
    file.write_text(f"[keys]\n{text[given]}")

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press(*keys)
        assert not see.app._exit
        see.burst("ctrl+q")
        await see.until(lambda: see.app._exit, "the end")

    inspect(flow, tmp_path, encoder, query=("video", CLIP), keymap=load_keymap(str(file)))


def test_ctrl_q_quits_where_there_is_no_room(tmp_path: Path, encoder: SentenceEncoder) -> None:
    file = tmp_path / "keys.toml"
    file.write_text('[keys]\n"app.help" = "ctrl+q"\n"app.quit" = "Q"\n')

    async def flow(see: Inspector) -> None:
        assert isinstance(see.app.screen, TooSmallScreen)
        see.burst("ctrl+q")
        await see.until(lambda: see.app._exit, "the end")

    inspect(flow, tmp_path, encoder, size=(50, 15), keymap=load_keymap(str(file)))


def test_digits_change_between_the_three_screens(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.press("2")
        assert see.app.screen is see.app.evaluate_screen
        await see.press("3")
        assert see.app.screen is see.app.sessions_screen
        await see.press("2")
        assert see.app.screen is see.app.evaluate_screen
        await see.press("1")
        assert see.app.screen is see.home
        await see.press("3", "3", "escape")
        assert see.app.screen is see.home

    inspect(flow, tmp_path, encoder)
