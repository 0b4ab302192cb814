"""`tui-eval config`, as it is typed; and groups of commands that are named alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import CommandLine
from tests.tui.cli.command_lines import Printed, printed_by, refusal_of
from tests.tui.inspector import small_dataset
from tui.cli.app import run_command_line
from tui.opening.config_text import make_template
from tui.opening.settings import CONFIG_ITEMS


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "own" / "config.toml"
    monkeypatch.setenv("TUI_EVAL_CONFIG", str(file))
    return file


@pytest.fixture
def run(config: Path, capsys: pytest.CaptureFixture[str]) -> Printed:
    return printed_by("config", capsys)


@pytest.fixture
def refused(config: Path, capsys: pytest.CaptureFixture[str]) -> Printed:
    return refusal_of("config", capsys)


def test_show_says_every_setting_its_value_and_what_said_it(
    run: Printed, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("set", "k", "1,10")
    monkeypatch.setenv("TUI_EVAL_THEME", "light")

    document = json.loads(run("show", "--json"))
    found = {one["name"]: (one["value"], one["from"]) for one in document["settings"]}
    assert list(found) == list(CONFIG_ITEMS)
    assert found["theme"] == ("light", "$TUI_EVAL_THEME")
    assert found["k"] == ([1, 10], str(config))
    assert found["images"] == ("auto", "default")
    assert document["precedence"] == [
        "option",
        "environment",
        "dataset.toml",
        "config.toml",
        "default",
    ]
    table = run("show")
    assert [line.split()[1:3] for line in table.splitlines() if line.startswith(" k ")] == [
        ["1,10", "config.toml"]
    ]
    assert "Precedence: option, environment, dataset.toml, config.toml, default." in table
    layout = [line.split() for line in table.splitlines() if line.startswith(" layout.")]
    assert {tuple(words[1:3]) for words in layout[:-1]} == {("default", "default")}
    assert layout[-1][:3] == ["layout.zoom", "none", "default"]
    assert run() == table, "config alone shows"
    assert run("--json") == run("show", "--json")


def test_show_says_which_commands_have_an_option_that_not_all_have(
    run: Printed, capsys: pytest.CaptureFixture[str]
) -> None:
    table = " ".join(run("show").split())
    assert "--profile of run and search, or $TUI_EVAL_PROFILE" in table
    assert "--k of run and search, or $TUI_EVAL_K" in table
    for name, setting in CONFIG_ITEMS.items():
        for command in setting.commands:
            assert setting.option in printed_by(command, capsys)("--help"), (name, command)


def test_path_prints_the_file_also_where_it_cannot_be_read(run: Printed, config: Path) -> None:
    assert run("path") == f"{config}\n"
    config.parent.mkdir()
    config.write_text("theme =")
    assert run("path") == f"{config}\n"
    assert not run_command_line(["config", "path"])


def test_the_first_setting_makes_a_file_with_the_others_in_comments(
    run: Printed, config: Path
) -> None:
    assert run("set", "theme", "light") == f'theme = "light" in {config}\n'
    assert config.read_text() == make_template().replace('# theme = "dark"', 'theme = "light"')


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("set", "theme", "pink"), 'error: there is no theme "pink"; choose one of dark,'),
        (("set", "them", "dark"), 'error: there is no setting "them"; did you mean "theme"?'),
        (("set", "k", "1,x"), "error: k is '1,x'; list whole numbers from 1 to 1,000,000"),
        (
            ("set", "k", "5,1,x"),
            "error: k is '5,1,x'; list whole numbers from 1 to 1,000,000, 50 at most: 1,5,10",
        ),
        (("set", "k", "0"), "error: k is 0; list whole numbers"),
        (("set", "layout.inspect", "wide"), "error: layout.inspect is 'wide'; give percent"),
        (("set", "dataset", "/no/such/place"), "error: /no/such/place: "),
        (("set", "theme"), "error: Missing argument 'VALUE'"),
        (("shw",), "error: No such command 'shw'; did you mean 'show'? see"),
    ],
)
def test_what_cannot_be_set_is_refused_in_one_line(
    arguments: tuple[str, ...], said: str, refused: Printed, config: Path
) -> None:
    assert refused(*arguments).startswith(said)
    assert not config.exists()


def test_a_dataset_is_written_in_full(
    run: Printed, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_dataset(tmp_path / "data", "a,a.mp4,,car,city")
    monkeypatch.chdir(tmp_path)
    run("set", "dataset", "data")
    assert f'\ndataset = "{(tmp_path / "data").resolve()}"\n' in config.read_text()
    run("set", "dataset", "sample")
    assert '\ndataset = "sample"\n' in config.read_text()


def test_who_sets_what_the_environment_says_first_is_told(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TUI_EVAL_THEME", "light")
    assert run_command_line(["config", "set", "theme", "dark"]) == 0
    assert capsys.readouterr().err == "note: $TUI_EVAL_THEME is set, and overrides this file\n"


def test_a_broken_file_is_one_line_wherever_settings_are_needed(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config.parent.mkdir()
    config.write_text("them = 'dark'\n")
    for command in (["config", "show"], ["run", "--mode", "video", "--limit", "1"], ["summary"]):
        assert run_command_line(command) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"error: {config}, setting them: unknown setting; did you mean")
        assert error.count("\n") == 1
    assert run_command_line(["keys", "--json"]) == 0, "which needs none"


def test_k_and_profile_of_the_file_are_those_of_run_and_search(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config.parent.mkdir()
    config.write_text('k = [2]\nprofile = "ir"\n')
    for command in (
        ["run", "--mode", "video", "--limit", "2"],
        ["search", "--video", "urban_bicyclist_0002"],
    ):
        for more, wanted, other in (((), "P@2", "P@3"), (("--k", "3"), "P@3", "P@2")):
            assert run_command_line([*command, *more, "--json"]) == 0
            printed = capsys.readouterr().out
            assert f'"{wanted}"' in printed and f'"{other}"' not in printed
            assert '"profile": "ir"' in printed


def test_a_theme_or_keys_that_are_none_are_refused_without_a_terminal(
    tui_eval: CommandLine,
) -> None:
    for arguments, said in (
        (("--theme", "pink"), 'error: --theme: there is no theme "pink"; choose one of dark, '),
        (("inspect", "--theme", "pink"), 'error: --theme: there is no theme "pink"; '),
        (("--keys", "emacs"), 'error: --keys: there are no keys called "emacs"; '),
        (("run", "--theme", "pink", "--inspect"), 'error: --theme: there is no theme "pink"'),
    ):
        done = tui_eval(*arguments)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith(said)
        assert done.stderr.count("\n") == 1


def test_sessions_alone_lists_them(tui_eval: CommandLine, tmp_path: Path) -> None:
    alone, listed = tui_eval("sessions"), tui_eval("sessions", "list")
    assert (alone.returncode, alone.stdout, alone.stderr) == (0, listed.stdout, "")
    assert json.loads(tui_eval("sessions", "--json").stdout)["schema"] == "tui-eval/sessions@2"
    wrong = tui_eval("sessions", "lst")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("error: No such command 'lst'; did you mean 'list'? see")


def test_a_layout_is_set_back_by_the_word_that_is_shown(run: Printed, config: Path) -> None:
    run("set", "layout.inspect", "60")
    assert run("set", "layout.inspect", "default") == f"layout.inspect = 0 in {config}\n"
    assert run("set", "layout.zoom", "none") == f'layout.zoom = "" in {config}\n'


def test_more_cut_offs_than_fit_are_refused_wherever_they_are_named(
    config: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """3,000 of them take half a minute on two clips, for columns that nobody reads."""
    small_dataset(tmp_path / "data", "a,a.mp4,,car,city")
    settings, many = tmp_path / "data" / "dataset.toml", ",".join(map(str, range(1, 3_001)))
    plain = settings.read_text()
    command = ["run", str(tmp_path / "data"), "--mode", "video"]

    def refuse(place: str, arguments: list[str]) -> None:
        assert run_command_line(arguments) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"error: {place} is ")
        assert "; list whole numbers from 1 to 1,000,000, 50 at most: " in error

    refuse("--k", [*command, "--k", many])
    refuse("k", ["config", "set", "k", many])
    settings.write_text(f"k = [{many}]\n{plain}")
    refuse(f"{settings}, setting k: k", command)
    settings.write_text(plain)
    monkeypatch.setenv("TUI_EVAL_K", many)
    refuse("$TUI_EVAL_K: k", command)
