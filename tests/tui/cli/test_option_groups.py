"""Options that belong together: Typer sees the fields of a group, the command gets the value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from engine.base.errors import InputError
from engine.files.protection import protect_input, protecting_inputs
from tui.cli.app import load_commands, run_command_line
from tui.cli.shared.groups import find_given_options, make_app, option, takes_groups
from tui.cli.shared.options import split_metrics
from tui.cli.shared.output import FORMAT_SUFFIXES, ListOutput, Output, check_outputs, written


@dataclass(frozen=True)
class Taste:
    sweet: bool = option("With sugar.", False, short="-s")
    cups_of_tea: int = option("How many.", 1, panel="Amounts")
    warm: bool = option("Not cold.", True, name="--warm/--no-warm")


@dataclass(frozen=True)
class PlainTaste(Taste):
    sweet: bool = field(init=False, default=False)


got: list[object] = []


@takes_groups
def brew(*, pot: str, taste: Taste, loud: bool = option("Whistle.", False)) -> None:
    got.append((pot, taste, loud))


@takes_groups
def brew_plainly(*, taste: PlainTaste) -> None:
    got.append(taste)


def run(command: object, *arguments: str) -> tuple[int, str]:
    app = make_app()
    app.command()(command)  # type: ignore[arg-type]
    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, done.output


def test_the_help_asks_for_no_value_of_a_flag() -> None:
    _, said = run(brew, "--help")

    flags = [line for line in said.splitlines() if "--sweet" in line or "--warm" in line]
    assert len(flags) == 2 and not any("bool" in line for line in flags)


@takes_groups
def pour(
    *,
    inspect: bool = option("Look.", False),
    sieve: bool = option("Without leaves.", False, where="print"),
    light: str = option("To see by.", "lamp", where="screen"),
) -> None:
    got.append((inspect, sieve, light))


def test_an_option_that_would_be_ignored_is_refused_with_or_without_a_screen() -> None:
    for given, message in (
        (("--inspect", "--sieve"), "--inspect and --sieve were given"),
        (("--light", "sun"), "--light needs --inspect"),
    ):
        app = make_app()
        app.command()(pour)
        assert message in str(CliRunner().invoke(app, given).exception)
    assert run(pour, "--inspect", "--light", "sun")[0] == run(pour, "--sieve")[0] == 0

    assert [got.pop(), got.pop()] == [(False, True, "lamp"), (True, False, "sun")]


def test_a_command_gets_its_group_as_one_value() -> None:
    code, output = run(brew, "blue", "-s", "--cups-of-tea", "3", "--no-warm", "--loud")

    assert code == 0, output
    assert got.pop() == ("blue", Taste(sweet=True, cups_of_tea=3, warm=False), True)


def test_what_is_not_given_is_the_usual() -> None:
    assert run(brew, "blue")[0] == 0

    assert got.pop() == ("blue", Taste(), False)


def test_the_help_lists_the_fields_under_their_panels() -> None:
    _, text = run(brew, "--help")

    assert "With sugar." in text and "Amounts" in text
    assert "--cups-of-tea" in text and "[default: 1]" in text
    assert "--no-sweet" not in text and "--no-warm" in text


def test_a_field_that_is_put_aside_is_no_option() -> None:
    assert run(brew_plainly, "--sweet")[0] == 2
    assert run(brew_plainly, "--cups-of-tea", "2")[0] == 0

    assert got.pop() == PlainTaste(cups_of_tea=2)


def test_options_that_were_given_are_reported_by_name() -> None:
    assert find_given_options(Taste()) == []
    assert find_given_options(Taste(sweet=True, warm=False)) == ["--sweet", "--no-warm"]


def test_no_output_is_an_input_or_another_output(tmp_path: Path) -> None:
    read, made = tmp_path / "in.csv", tmp_path / "out.csv"
    read.write_text("x")
    check_outputs(made)

    beside = tmp_path / "folder"
    beside.mkdir()
    same = [made, beside / ".." / "out.csv"]  # neither is there yet
    for outputs in ([made, made], same):
        with pytest.raises(Exception, match="is named for two outputs"):
            check_outputs(*outputs)
    for inner in (read, tmp_path / "." / "in.csv"):
        with pytest.raises(Exception, match="an input of this command"), protecting_inputs():
            protect_input(read)
            check_outputs(inner)


@takes_groups
def keep(
    *,
    taken: Path = option("Read.", Path()),  # noqa: B008
    listed: list[Path] | None = option("Read."),  # noqa: B008
    kept: Path = written("Written.", Path()),  # noqa: B008
) -> None:
    check_outputs(kept)


def test_a_path_that_is_given_is_an_input_unless_its_option_says_otherwise(tmp_path: Path) -> None:
    file = tmp_path / "in.csv"

    for options in (("--taken", file), ("--listed", tmp_path, "--listed", file)):
        with protecting_inputs():
            app = make_app()
            app.command()(keep)
            done = CliRunner().invoke(app, [*map(str, options), "--kept", str(file)])
        assert "an input of this command" in str(done.exception)


def test_formats_that_contradict_each_other_are_reported_before_the_work() -> None:
    with pytest.raises(Exception, match="--json and --format table were given"):
        ListOutput(format="table", json=True).check()


def _kinds(kind: type[Output] = Output) -> Iterator[type[Output]]:
    for one in kind.__subclasses__():
        yield one
        yield from _kinds(one)


_OF_NO_FORMAT = (".jsonl", ".parquet", ".pdf", ".tsv", ".xml", ".xyz")


def test_the_name_of_a_file_says_a_format_that_the_command_writes_or_is_refused() -> None:
    load_commands()

    outputs = [kind for kind in set(_kinds()) if kind().formats]
    assert len(outputs) > 9
    for kind in outputs:
        for suffix in (*FORMAT_SUFFIXES, *_OF_NO_FORMAT):
            output = kind(out=Path(f"found{suffix.upper()}"))
            if kind.suffixes.get(suffix) in output.formats:
                assert output.shape == kind.suffixes[suffix]
            else:
                with pytest.raises(InputError, match=f"this command writes no {suffix}"):
                    output.check()


def test_with_a_format_a_file_may_be_called_anything_and_without_an_ending_too(
    tmp_path: Path,
) -> None:
    ListOutput(format="json", out=tmp_path / "found.xyz").check()
    ListOutput(out=tmp_path / "found").check()
    with pytest.raises(InputError, match=r"ends in \.json or \.txt, or give --format"):
        ListOutput(out=tmp_path / "found.xyz").check()


def _short_names(command: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every option of a command and of those below it, with its short names."""
    for one in command.params:
        short = tuple(name for name in one.opts if not name.startswith("--"))
        yield from ((name, short) for name in one.opts if name.startswith("--"))
    for below in getattr(command, "commands", {}).values():
        yield from _short_names(below)


def test_an_option_has_the_same_short_name_everywhere_and_no_other_option_has_it() -> None:
    found = set(_short_names(get_command(load_commands())))
    assert ("--format", ("-f",)) in found and len(found) > 100
    assert len(found) == len(dict(found))
    short = [one for _, names in found for one in names]
    assert len(short) == len(set(short))


@takes_groups
def steep(*, pot: str) -> None:
    """Steep the tea.

    A paragraph that is longer than one line of the source goes on
    to any width.
    A sentence may have a line of its own.

    Examples:
    tui-eval steep one
    two
    tui-eval steep
    """
    got.append(pot)


def test_a_help_text_is_wrapped_to_the_terminal_and_not_to_its_source() -> None:
    text = steep.__doc__ or ""
    assert "source goes on to any width.\nA sentence may" in text
    assert text.endswith("[bold]Examples[/bold]\n\ntui-eval steep one two\n\ntui-eval steep")


@pytest.mark.parametrize("text", ["," * 200_000 + "P@5", "P@5," * 50_000, "P@5(" * 50_000])
def test_metrics_are_split_in_one_pass(text: str) -> None:
    assert "P@5" in "".join(split_metrics(text) or ())


@pytest.mark.parametrize(
    "command", [(), ("score",), ("compare",), ("labels",), ("map", "learn"), ("sessions", "export")]
)
def test_the_help_calls_values_by_plain_words(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")

    assert run_command_line([*command, "--help"]) == 0

    said = capsys.readouterr().out
    assert "--help" in said and "FILE" in said
    for python in ("<", "list[", "Path", "bool", "int range", "9007199254740992"):
        assert python not in said.replace("[x>", "").replace("<=x<=", ""), python


def test_every_command_has_a_help_with_examples() -> None:
    waiting = {"tui-eval": get_command(load_commands())}
    while waiting:
        name, command = waiting.popitem()
        assert "[bold]Examples[/bold]\n\ntui-eval" in (command.help or ""), name
        inner: dict[str, Any] = getattr(command, "commands", {})
        waiting |= {f"{name} {own}": one for own, one in inner.items()}
