"""Keys: the shipped sets, a person's own file, what clashes, and the list on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from engine.base.errors import InputError
from tests.tui.keys.write_key_files import (
    DEFAULT_FILE,
    DOCUMENT,
    HEADING,
    default_file,
    row,
    tables,
)
from tui.cli.app import run_command_line
from tui.cli.keys import keys as keys_command
from tui.keys.clashes import DEFAULT_KEYS, find_clashes, list_widgets
from tui.keys.commands import COMMANDS, Command
from tui.keys.keymap import Keymap, find_user_key_file, load_keymap
from tui.keys.names import UnknownKeyError, is_key, name_key, parse_key
from tui.keys.panes import PANES

REMEDY = "write it again: python -m tests.tui.keys.write_key_files"


def own(folder: Path, text: str) -> Keymap:
    file = folder / "keys.toml"
    file.write_text(text, encoding="utf-8")
    return load_keymap(str(file))


@pytest.mark.parametrize("key", sorted({key for keys in DEFAULT_KEYS.values() for key in keys}))
def test_a_shipped_key_is_read_back_from_the_name_it_is_shown_by(key: str) -> None:
    assert parse_key(key) == key
    assert parse_key(name_key(key)) == key
    assert name_key(key).isascii()


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("?", "question_mark"),
        ("+", "plus"),
        (",", "comma"),
        (" ", "space"),
        ("ctrl++", "ctrl+plus"),
        ("Ctrl+R", "ctrl+r"),
        ("shift+ctrl+left", "ctrl+shift+left"),
        ("shift+g", "G"),
        ("esc", "escape"),
        ("PgDn", "pagedown"),
        ("ctrl+i", "tab"),
        ("ctrl+[", "escape"),
        ("é", "é"),
        ("f12", "f12"),
    ],
)
def test_a_key_may_be_written_as_people_do(written: str, key: str) -> None:
    assert parse_key(written) == key


@pytest.mark.parametrize("written", ["", "entr", "ctrl+", "foo+a", "ctrl+foo", "\x1b", "x" * 99])
def test_an_unknown_key_is_refused(written: str) -> None:
    with pytest.raises(UnknownKeyError, match="no key is called"):
        parse_key(written)


def test_the_default_file_says_what_the_table_of_commands_says() -> None:
    assert DEFAULT_FILE.read_text(encoding="utf-8") == default_file(), REMEDY


def test_the_default_file_reads_back_as_the_default() -> None:
    keymap = load_keymap(str(DEFAULT_FILE))

    assert keymap.keys == DEFAULT_KEYS
    assert keymap.textual() == {}
    assert keymap.clashes == ()


def test_the_vim_keys_clash_with_nothing() -> None:
    vim = load_keymap("vim")

    assert vim.clashes == find_clashes(vim.keys, DEFAULT_KEYS) == ()
    assert vim.textual()["table.page_down"] == "ctrl+f,pagedown"
    assert {"j", "k", "g", "G"} <= {key for keys in vim.keys.values() for key in keys}


def test_a_file_may_name_commands_in_one_table_or_in_tables_by_pane(tmp_path: Path) -> None:
    flat = own(tmp_path, '[keys]\n"results.mark_bias" = ["B", "f2"]\n"results.note" = "n,N"')
    nested = own(tmp_path, '[keys.results]\nmark_bias = ["B", "f2"]\nnote = ["n", "N"]')

    assert flat.keys == nested.keys
    assert flat.keys["results.mark_bias"] == ("B", "f2")
    assert flat.textual()["results.note"] == "n,N"


def test_a_file_starts_from_the_base_it_names(tmp_path: Path) -> None:
    keymap = own(tmp_path, 'base = "vim"\n[keys.app]\nhelp = "H"')

    assert keymap.keys["table.page_down"] == ("ctrl+f", "pagedown")
    assert keymap.keys["app.help"] == ("H",)


def test_an_empty_list_leaves_a_command_to_the_palette(tmp_path: Path) -> None:
    keymap = own(tmp_path, "[keys.results]\nopen_clip = []")

    assert keymap.named("results.open_clip") == ()
    assert not is_key(keymap.textual()["results.open_clip"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[keys]\n"results.mark_bais" = "b"', ["keys.results.mark_bais", "results.mark_bias"]),
        ('[keys]\n"results" = "b"', ["keys.results"]),
        ('[keys.results]\nnote = "entr"', ["keys.results.note", "enter"]),
        ("[keys.results]\nnote = 3", ["keys.results.note", "3"]),
        ('[keys.results]\nnote = ["a", 3]', ["keys.results.note"]),
        ('[keys.results]\nnote = "a,,b"', ["keys.results.note", "no key is called"]),
        ('base = "emacs"', ["setting base", "default, vim"]),
        ('keys = "b"', ["setting keys", "table"]),
        ('bases = "vim"', ["setting bases", "base"]),
        ("[keys", ["TOML"]),
        ("", ["empty"]),
    ],
)
def test_a_wrong_file_is_named_with_the_setting(
    tmp_path: Path, text: str, words: list[str]
) -> None:
    with pytest.raises(InputError) as caught:
        own(tmp_path, text)

    for word in ["keys.toml", *words]:
        assert word in str(caught.value)


def test_keys_of_an_unknown_name_are_refused_with_a_suggestion() -> None:
    with pytest.raises(InputError, match='did you mean "vim"'):
        load_keymap("vmi")


def test_a_named_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_keymap(None, tmp_path / "keys.toml")


def test_what_is_asked_for_wins_over_the_persons_own_file(tmp_path: Path) -> None:
    mine = tmp_path / "keys.toml"
    mine.write_text('[keys.app]\nhelp = "H"', encoding="utf-8")

    assert load_keymap(None, mine).keys["app.help"] == ("H",)
    assert load_keymap("default", mine).keys == DEFAULT_KEYS
    assert load_keymap(None, None).name == "default"


def test_the_persons_own_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TUI_EVAL_KEYS", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    import platformdirs

    file = platformdirs.user_config_path("tui-eval") / "keys.toml"
    assert find_user_key_file() is None

    file.parent.mkdir(parents=True)
    file.write_text('base = "vim"', encoding="utf-8")
    assert find_user_key_file() == file

    monkeypatch.setenv("TUI_EVAL_KEYS", "/else/where.toml")
    assert find_user_key_file() == Path("/else/where.toml")


def test_the_default_keys_clash_nowhere() -> None:
    assert find_clashes(DEFAULT_KEYS, DEFAULT_KEYS) == ()


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (
            '[keys.results]\nnote = "b"',
            '"b": results.note wins in results over results.mark_bias (no other key)',
        ),
        (
            '[keys.results]\nnote = "j"',
            '"j": results.note wins in results over table.cursor_down (keeps down)',
        ),
        (
            '[keys.results]\nnote = "p"',
            '"p": results.note wins in results over inspect.pick (no other key)',
        ),
        (
            '[keys.results]\nnote = "/"',
            '"/": results.note wins in results over inspect.ask_text (keeps i)',
        ),
        (
            '[keys.results]\nnote = "f5"\n[keys.table]\nfirst = "f5"',
            '"f5": table.first wins in table over results.note (no other key)',
        ),
        (
            '[keys.evaluate]\nsort = "?"',
            '"?": evaluate.sort wins in evaluate over app.help (keeps f1)',
        ),
        (
            '[keys.app]\nnext_theme = "m"',
            '"m": app.next_theme wins over app.next_model (no other key)',
        ),
        (
            '[keys.results]\nnote = ["p", "f2", "j"]\n[keys.inspect]\npick = ["p", "f2"]',
            '"p", "f2": results.note wins in results over inspect.pick (no other key)',
        ),
        ('[keys.query]\nolder = "k"', '"k" of query.older is typed into the query bar'),
        (
            '[keys.query]\nolder = ["a", "b", "c", "d", "e", "up"]',
            '"a", "b", "c" and 2 more of query.older are typed into the query bar',
        ),
        (
            '[keys.results]\nnote = "ctrl+q"',
            '"ctrl+q" is always app.quit, never results.note',
        ),
    ],
)
def test_a_clash_names_what_wins_and_what_loses(tmp_path: Path, text: str, reported: str) -> None:
    assert reported in own(tmp_path, text).clashes


@pytest.mark.parametrize("command", DEFAULT_KEYS)
def test_no_command_can_be_given_the_key_that_always_quits(command: str, tmp_path: Path) -> None:
    keymap = own(tmp_path, f'[keys]\n"{command}" = ["ctrl+q", "f5"]')

    assert keymap.textual()[command] == "f5"
    if command == "app.quit":
        assert keymap.named(command) == ("ctrl+q", "f5")
        assert keymap.clashes == ()
    else:
        assert keymap.named(command) == ("f5",)
        assert keymap.clashes == (f'"ctrl+q" is always app.quit, never {command}',)


def test_a_command_keeps_no_key_that_it_loses_elsewhere(tmp_path: Path) -> None:
    keymap = own(tmp_path, '[keys.results]\nnote = "?"\n[keys.app]\nquit = "f1"')

    assert '"?": results.note wins in results over app.help (no other key)' in keymap.clashes


BAD = {
    "one key": ("f5",),
    "a letter": ("a",),
    "ctrl+q": ("ctrl+q",),
    "every letter": tuple("abcdefghijklmnopqrstuvwxyz"),
    "thousands": tuple(map(chr, range(0x4E00, 0x4E00 + 2000))),
}


@pytest.mark.parametrize("keys", BAD.values(), ids=BAD)
def test_the_report_is_short_however_bad_the_file_is(keys: tuple[str, ...]) -> None:
    reported = find_clashes(dict.fromkeys(DEFAULT_KEYS, keys), DEFAULT_KEYS)

    assert 0 < len(reported) < 10
    assert max(map(len, reported)) < 250


def test_what_the_report_leaves_out_is_counted() -> None:
    reported = find_clashes(dict.fromkeys(DEFAULT_KEYS, ("f5",)), DEFAULT_KEYS)

    inspect = sum(command.pane in ("keywords", "inspect", "app") for command in COMMANDS)
    assert reported[-1] == (
        '"f5": keywords.previous wins in keywords over keywords.next (no other key), '
        f"keywords.drop (no other key), keywords.add (no other key) and {inspect - 4} more"
    )


def test_at_the_start_a_few_clashes_are_shown_and_the_rest_is_counted() -> None:
    few, many = Keymap("my.toml", DEFAULT_KEYS, ("1", "2", "3")), tuple(map(str, range(12)))

    assert few.at_start() == few.clashes
    assert Keymap("my.toml", DEFAULT_KEYS, many).at_start() == (
        "0",
        "1",
        "and 10 more: tui-eval keys --keys my.toml lists all",
    )


def test_commands_that_never_meet_may_share_a_key(tmp_path: Path) -> None:
    keymap = own(tmp_path, '[keys.sessions]\nnew = "b"')

    assert keymap.clashes == ()


def test_keys_on_purpose_in_two_places_are_no_clash(tmp_path: Path) -> None:
    keymap = own(tmp_path, '[keys.picker]\nfind = ["/", "f3"]')

    assert keymap.clashes == ()


def test_every_pane_of_the_commands_lives_on_a_screen_and_has_words() -> None:
    panes = {command.pane for command in COMMANDS}
    placed = {pane for screen, widget in list_widgets() for pane in (screen, *widget)}

    assert panes == {"app", *placed}
    assert panes <= PANES.keys()


def test_the_widgets_of_the_screens_follow_from_the_panes() -> None:
    assert list(list_widgets()) == [
        ("inspect", ("results", "table")),
        ("inspect", ("picker", "table")),
        ("inspect", ("query",)),
        ("inspect", ("keywords",)),
        ("evaluate", ("table",)),
        ("compare", ("table",)),
        ("sessions", ("table",)),
        ("moments", ("table",)),
        ("moments", ("moment", "table")),
    ]


app = typer.Typer()
app.command()(keys_command)


def test_the_command_line_lists_every_command() -> None:
    done = CliRunner().invoke(app, ["--keys", "vim"])

    assert done.exit_code == 0
    for command in COMMANDS:
        assert command.id in done.stdout
    assert "Keys: vim" in done.stdout


def test_the_command_line_gives_json_with_the_clashes(tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text('[keys.results]\nnote = "b"\nopen_clip = []', encoding="utf-8")

    done = CliRunner().invoke(app, ["--keys", str(file), "--json"])

    document = json.loads(done.stdout)
    by_id = {command["id"]: command for command in document["commands"]}
    assert document["schema"] == "tui-eval/keys@2"
    assert {"id": "results.mark_relevant", "was": ["r"], "now": ["+"]} in document["moved"]
    assert by_id["results.note"]["keys"] == ["b"]
    assert by_id["results.open_clip"]["keys"] == []
    assert "results.mark_bias" in document["clashes"][0]


def test_the_command_line_tells_clashes_beside_the_list(tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text('[keys.results]\nnote = "b"', encoding="utf-8")

    done = CliRunner().invoke(app, ["--keys", str(file)])

    assert done.exit_code == 0
    assert 'clash: "b": results.note wins in results over results.mark_bias' in done.stderr


@pytest.mark.parametrize("how", [("--toml",), ("--format", "toml")])
def test_the_command_line_prints_a_file_to_start_from(tmp_path: Path, how: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, ["--keys", "vim", *how])

    assert own(tmp_path, done.stdout).keys == load_keymap("vim").keys


def test_the_command_line_writes_a_file_to_start_from_but_never_over_the_one_it_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tmp_path / "made.toml"

    done = CliRunner().invoke(app, ["--keys", "vim", "--out", str(made)])
    again = run_command_line(["keys", "--keys", str(made), "--out", str(made)])

    assert (done.stdout[:10], done.stderr) == ("Keys: vim\n", f"wrote {made}\n")
    assert own(tmp_path, made.read_text(encoding="utf-8")).keys == load_keymap("vim").keys
    assert again == 2 and "is an input of this command" in capsys.readouterr().err


def test_one_format_is_asked_for() -> None:
    done = CliRunner().invoke(app, ["--json", "--toml"])

    assert "--json and --toml were given" in str(done.exception)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_the_documentation_lists_every_command(command: Command) -> None:
    assert row(command) in DOCUMENT.read_text(encoding="utf-8"), REMEDY


def test_the_documentation_lists_no_other_command() -> None:
    assert DOCUMENT.read_text(encoding="utf-8").endswith(HEADING + tables()), REMEDY
