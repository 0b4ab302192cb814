"""Left and started again, in real terminals: choices are there, and what one is told works."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from benchmarks.terminal import Terminal
from tests.tui.app.test_terminal import FIRST, QUERY, Start, ask, cache, start
from tests.tui.piloted import LIMIT
from tui.keys.clashes import DEFAULT_KEYS
from tui.keys.names import name_key

__all__ = ["cache", "start"]  # fixtures

pytestmark = pytest.mark.slow

KEYS = {command: name_key(keys[0]) for command, keys in DEFAULT_KEYS.items() if keys}


def config_of(folder: Path) -> Path:
    return folder / "home" / ".config" / "tui-eval" / "config.toml"


def leave(terminal: Terminal) -> str:
    """Leave it; what it said last."""
    terminal.send(KEYS["app.quit"])
    assert terminal.ended(LIMIT) == 0
    last = bytes(terminal.raw).rpartition(b"\x1b[?1049l")[2]  # the screen that was there
    return re.sub(rb"\x1b\[[?<\d;]*[a-z]", b"", last).decode().strip()


def change_theme(terminal: Terminal) -> None:
    terminal.wait_for(FIRST)
    terminal.send(KEYS["app.next_theme"])
    terminal.wait_for("Theme: ")


def test_a_theme_that_was_chosen_is_there_after_a_restart(start: Start, tmp_path: Path) -> None:
    with start() as terminal:
        change_theme(terminal)
        terminal.wait_for("Theme: light")
        leave(terminal)
    assert '\ntheme = "light"\n' in config_of(tmp_path).read_text()

    with start("--theme", "high-contrast") as terminal:
        terminal.wait_for(FIRST)
        leave(terminal)
    assert '\ntheme = "light"\n' in config_of(tmp_path).read_text(), "an option is for once"

    with start() as terminal:
        change_theme(terminal)
        terminal.wait_for("Theme: high-contrast")  # which comes after light
        leave(terminal)
    assert '\ntheme = "high-contrast"\n' in config_of(tmp_path).read_text()


def test_settings_that_cannot_be_written_are_one_notice_and_no_failure(
    start: Start, tmp_path: Path
) -> None:
    with start(TUI_EVAL_CONFIG="/proc/nope/config.toml") as terminal:
        change_theme(terminal)
        terminal.wait_for("Not remembered for the next time")
        terminal.wait_for(lambda: "Not remembered" not in terminal.text)  # it goes away
        terminal.send(KEYS["app.next_theme"])
        terminal.wait_for("Theme: high-contrast")
        terminal.settle()
        assert "Not remembered" not in terminal.text, "it is said once"
        leave(terminal)


def test_who_leaves_is_told_how_to_go_on_and_that_works(start: Start) -> None:
    with start() as terminal:
        ask(terminal, QUERY)
        said = leave(terminal)
    assert said == "resume with: tui-eval --resume"
    with start(*shlex.split(said.partition("tui-eval ")[2])) as again:
        again.wait_for(QUERY)
        again.wait_for("✅")
        assert leave(again) == said


def test_another_store_is_named_in_the_command(start: Start, tmp_path: Path) -> None:
    store = tmp_path / "my sessions.db"
    with start("--store", store) as terminal:
        ask(terminal, QUERY)
        said = leave(terminal)
    assert said == f"resume with: tui-eval --store '{store}' --resume"
    with start(*shlex.split(said.partition("tui-eval ")[2])) as again:
        again.wait_for(QUERY)


def test_a_session_that_is_not_the_newest_is_named_by_its_number(start: Start) -> None:
    with start() as first:
        ask(first, QUERY)
        with start() as second:
            ask(second, "oncoming bus")
            assert leave(second) == "resume with: tui-eval --resume"
        # Nothing is asked here since: the other session is newer.
        said = leave(first)
    assert said in ("resume with: tui-eval --session 1", "resume with: tui-eval --resume")
    with start(*shlex.split(said.partition("tui-eval ")[2])) as again:
        again.wait_for(QUERY)


def test_with_nothing_to_resume_nothing_is_said(start: Start) -> None:
    with start() as terminal:
        terminal.wait_for(FIRST)
        assert "resume" not in leave(terminal)


def test_a_table_is_there_again_after_a_restart(start: Start, tmp_path: Path) -> None:
    own = {"TUI_EVAL_CACHE": str(tmp_path / "cache")}
    with start(**own) as terminal:
        terminal.wait_for(FIRST)
        terminal.send(KEYS["app.show_evaluate"])
        terminal.wait_for("Evaluate ·")
        terminal.send(KEYS["evaluate.run"])
        terminal.wait_for("52 text queries")
        leave(terminal)
    (kept,) = (tmp_path / "cache" / "evaluations").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    with start(**own) as again:
        again.wait_for(FIRST)
        again.send(KEYS["app.show_evaluate"])
        again.wait_for("52 text queries · evaluated")
        again.wait_for("r runs it again")
        leave(again)
