"""A group that is a command itself: which of the two is meant, what help and errors call it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

from tui.cli.shared.groups import DefaultCommand


@pytest.fixture
def program() -> typer.Typer:
    """`tool count FILE [--by N]` and `tool count check FILE [--strict]`, and another command."""
    group = typer.Typer(cls=DefaultCommand, invoke_without_command=True)

    @group.callback()
    def count(
        file: Annotated[Path, typer.Argument(metavar="FILE")],
        by: Annotated[int, typer.Option("--by")] = 1,
        words: Annotated[list[str] | None, typer.Option("--word")] = None,
    ) -> None:
        """Count what is in a file."""
        typer.echo(f"count {file} by {by} {words or ''}".strip())

    @group.command("check")
    def check(
        file: Annotated[Path, typer.Argument(metavar="FILE")],
        strict: Annotated[bool, typer.Option("--strict")] = False,
    ) -> None:
        """Check a file."""
        typer.echo(f"check {file} strict {strict}")

    app = typer.Typer()
    app.add_typer(group, name="count")

    @app.command("other")
    def other() -> None:
        typer.echo("other")

    return app


def run(program: typer.Typer, line: str, code: int = 0) -> str:
    done = CliRunner().invoke(program, line.split(), prog_name="tool", env={"COLUMNS": "100"})
    assert done.exit_code == code, done.output
    return done.output.strip()


@pytest.mark.parametrize(
    ("line", "done"),
    [
        ("count a.txt", "count a.txt by 1"),
        ("count a.txt --by 2", "count a.txt by 2"),
        ("count --by 2 a.txt", "count a.txt by 2"),
        ("count --by 2 a.txt --word x --word y", "count a.txt by 2 ['x', 'y']"),
        ("count check a.txt", "check a.txt strict False"),
        ("count check --strict a.txt", "check a.txt strict True"),
        ("count ./check", "count check by 1"),
        ("count --by 2 check", "count check by 2"),  # only the first word names a command
        ("count -- check", "count check by 1"),
        ("other", "other"),
    ],
)
def test_the_first_word_says_which_command_is_meant(
    program: typer.Typer, line: str, done: str
) -> None:
    assert run(program, line) == done


def test_help_has_the_options_and_the_commands(program: typer.Typer) -> None:
    text = run(program, "count --help")

    assert text.splitlines()[0].strip() == "Usage: tool count [OPTIONS] FILE"
    assert "Count what is in a file." in text
    assert "--by" in text
    assert "check" in text
    assert "Check a file." in text


def test_help_of_a_command_is_its_own(program: typer.Typer) -> None:
    text = run(program, "count check --help")

    assert "Usage: tool count check [OPTIONS] {FILE}" in text
    assert "--strict" in text
    assert "--by" not in text


@pytest.mark.parametrize(
    ("line", "message", "usage"),
    [
        ("count", "Missing argument 'FILE'", "tool count [OPTIONS] FILE"),
        ("count a.txt b.txt", "unexpected extra argument", "tool count [OPTIONS] FILE"),
        ("count a.txt --nonsense", "No such option: --nonsense", "tool count [OPTIONS] FILE"),
        ("count check", "Missing argument 'FILE'", "tool count check [OPTIONS] {FILE}"),
        ("count check a.txt --by 2", "No such option: --by", "tool count check [OPTIONS] {FILE}"),
    ],
)
def test_errors_name_the_command_that_was_meant(
    program: typer.Typer, line: str, message: str, usage: str
) -> None:
    text = run(program, line, code=2)

    assert message in text
    assert usage in text


def completed(program: typer.Typer, *words: str) -> list[str]:
    from typer._click.shell_completion import _resolve_context, _resolve_incomplete

    *args, incomplete = words
    context = _resolve_context(get_command(program), {}, "tool", args)
    found: Any
    found, incomplete = _resolve_incomplete(context, args, incomplete)
    return [item.value for item in found.shell_complete(context, incomplete)]


def test_options_are_completed(program: typer.Typer) -> None:
    assert completed(program, "count", "--b") == ["--by"]
    assert completed(program, "count", "a.txt", "--w") == ["--word"]
    assert completed(program, "count", "check", "--s") == ["--strict"]
    assert completed(program, "cou") == ["count"]
