"""Key files from before one verb had one key: they are read, with a word about what moved."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, Inspector, inspect
from tui.cli.app import run_command_line
from tui.keys.clashes import DEFAULT_KEYS
from tui.keys.keymap import Keymap, load_keymap
from tui.keys.moved import KEY_FILE_VERSION, KEYS_BEFORE
from tui.keys.names import parse_key


def own(folder: Path, text: str) -> Keymap:
    file = folder / "keys.toml"
    file.write_text(text, encoding="utf-8")
    return load_keymap(str(file))


def test_a_file_from_before_gets_one_notice_about_what_moved(tmp_path: Path) -> None:
    keymap = own(tmp_path, '[keys.app]\nhelp = "H"')

    (said,) = keymap.at_start()
    assert str(tmp_path / "keys.toml") in said
    assert "Relevant + (was r)" in said and "Not rel. - (was x)" in said
    assert f"and {len(keymap.moves) - 4} more (`tui-eval keys` lists them)" in said
    assert said.endswith("version = 2 in that file ends this notice.")


def test_a_file_that_says_its_version_gets_none(tmp_path: Path) -> None:
    assert own(tmp_path, 'version = 2\n[keys.app]\nhelp = "H"').at_start() == ()


def test_the_shipped_keys_have_not_moved() -> None:
    assert load_keymap("default").moves == load_keymap("vim").moves == ()


def test_what_a_file_names_keeps_its_key_and_did_not_move(tmp_path: Path) -> None:
    keymap = own(tmp_path, '[keys.results]\nmark_relevant = "r"')

    assert keymap.keys["results.mark_relevant"] == ("r",)
    assert "results.mark_relevant" not in {move.command for move in keymap.moves}


def test_a_key_of_a_file_from_before_that_hides_a_new_command_is_a_clash(tmp_path: Path) -> None:
    keymap = own(tmp_path, '[keys.results]\nmark_relevant = "r"')

    assert keymap.clashes == (
        '"r": results.mark_relevant wins in results over inspect.run (no other key)',
    )


def test_a_whole_file_from_before_still_has_all_of_its_keys(tmp_path: Path) -> None:
    keys = {command: tuple(filter(None, old.split(","))) for command, old in before().items()}
    lines = [f'"{command}" = {list(old)}' for command, old in keys.items() if old]
    keymap = own(tmp_path, "[keys]\n" + "\n".join(lines).replace("'", '"'))

    assert {command: keymap.keys[command] for command in keys if keys[command]} == {
        command: tuple(map(parse_key, old)) for command, old in keys.items() if old
    }
    assert [move.command for move in keymap.moves] == ["inspect.run"]


def test_only_commands_that_exist_and_have_other_keys_now_are_said_to_have_moved() -> None:
    for command, old in before().items():
        assert tuple(old.split(",")) != DEFAULT_KEYS[command]


def before() -> dict[str, str]:
    return dict(KEYS_BEFORE["default"])


def test_what_moved_under_vim_keys_is_what_vim_had(tmp_path: Path) -> None:
    moves = {move.command: str(move) for move in own(tmp_path, 'base = "vim"').moves}

    assert moves["results.clear_mark"] == "x del backspace (was d del backspace)"
    assert moves["inspect.run"] == "r (new)"
    assert "keywords.next" not in moves  # l is still there


@pytest.mark.parametrize("version", ["0", "3", '"2"', "true", "1.5"])
def test_a_version_that_does_not_exist_is_an_error(tmp_path: Path, version: str) -> None:
    with pytest.raises(InputError, match=r"setting version") as caught:
        own(tmp_path, f"version = {version}\nbase = 'vim'")

    assert str(KEY_FILE_VERSION) in str(caught.value)


def test_the_command_line_lists_all_that_moved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "old.toml"
    file.write_text('base = "default"', encoding="utf-8")

    assert run_command_line(["keys", "--keys", str(file)]) == 0

    said = capsys.readouterr().err.splitlines()
    assert "moved: results.mark_relevant: + (was r)" in said
    assert "moved: inspect.run: r (new)" in said
    assert len(said) == len(load_keymap(str(file)).moves)


def test_a_written_file_says_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["keys", "--keys", "default", "--toml"]) == 0

    assert f"version = {KEY_FILE_VERSION}" in capsys.readouterr().out.splitlines()


def test_the_notice_is_shown_at_the_start(tmp_path: Path, encoder: SentenceEncoder) -> None:
    keymap = own(tmp_path, 'base = "vim"')

    async def flow(see: Inspector) -> None:
        await see.says("Some keys have changed since")

    inspect(flow, tmp_path, encoder, keymap=keymap)


def test_texts_name_the_keys_that_a_file_gives(tmp_path: Path, encoder: SentenceEncoder) -> None:
    keymap = own(
        tmp_path,
        'version = 2\n[keys.inspect]\nask_text = "f5"\ntoggle_missed = []\npick = "f6"',
    )

    async def flow(see: Inspector) -> None:
        await see.says("f5  ask with a text")
        assert "f6 chooses others" in see.keywords

    inspect(flow, tmp_path, encoder, keymap=keymap)
    assert keymap.spell("{inspect.toggle_missed}") == "the command “Missed”"


def test_r_asks_the_same_again_and_marks_nothing(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        before = see.inspection
        await see.do("inspect.run")
        await see.until(lambda: see.inspection is not before, "another answer")
        await see.answered(CLIP)
        assert see.session().judgements("video", CLIP) == {}

    inspect(flow, tmp_path, encoder, query=("video", CLIP))
