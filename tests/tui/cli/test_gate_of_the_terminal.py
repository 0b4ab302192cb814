"""The gate in front of a terminal, and that nothing goes past it."""

from __future__ import annotations

import ast
import io
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from operator import attrgetter
from select import select
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

from supply.code_rules import find_imported_names, name_called
from tests.conftest import ROOT
from tests.modules import read_modules
from tests.tui.cli.hostile_files import SPEAKS, STYLE
from tui.cli.app import run_command_line
from tui.cli.shared.gate import guard, make_console

LONG = "x" * 200_000


class Screen(io.StringIO):
    """A terminal that keeps what it is sent."""

    def isatty(self) -> bool:
        return True


def test_a_plain_text_is_spelt_out_on_a_terminal_and_whole_in_a_file() -> None:
    screen, file = Screen(), io.StringIO()
    for stream in (screen, file):
        guard(stream).write(f"id{SPEAKS}\n")
    assert screen.getvalue().startswith("id\\x1b[35;46;7m\\x1b[2J")
    assert file.getvalue() == f"id{SPEAKS}\n"


def test_bytes_pass_the_same_gate() -> None:
    """In a terminal, of a process that was started as the command is."""
    script = (
        "import sys; from tui.cli.shared.gate import guard_streams; guard_streams();"
        "sys.stdout.buffer.write(b'a\\x1b[2J\\xc3'); sys.stdout.buffer.write(b'\\xa9\\n');"
        "sys.stdout.buffer.flush()"
    )
    main, other = pty.openpty()
    subprocess.run([sys.executable, "-c", script], stdout=other, cwd=ROOT, check=True)
    shown = b""
    while not shown.endswith(b"\n") and select([main], [], [], 10)[0]:  # in parts, as written
        shown += os.read(main, 100)
    assert shown.decode() == "a\\x1b[2Jé\r\n"
    os.close(main)
    os.close(other)


@pytest.mark.parametrize("way", ["detach", "buffer.raw", "buffer.detach"])
def test_there_is_no_way_around_it(way: str) -> None:
    screen: Any = guard(Screen())
    with pytest.raises((AttributeError, io.UnsupportedOperation)):
        attrgetter(way)(screen)()


def test_a_table_keeps_its_own_styles_alone() -> None:
    screen = Screen()
    table = Table("id")
    table.add_row(Text(f"a{SPEAKS}", style="bold"))
    make_console(screen, force_terminal=True, color_system="standard", width=300).print(table)
    assert "\x1b[1m" in screen.getvalue()
    assert STYLE not in screen.getvalue() and "\\x1b[35;46;7m" in screen.getvalue()


def test_a_console_of_a_library_may_style_but_neither_link_nor_wipe() -> None:
    screen = Screen()
    console = Console(file=guard(screen), force_terminal=True, color_system="standard", width=200)
    console.print(Text("a\x1b[2J\x1b]0;t\x07", style="bold link http://e.vil"))
    sent = screen.getvalue()
    assert "\x1b[1m" in sent
    assert "\x1b]" not in sent and "\x1b[2J" not in sent and "\x07" not in sent


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", f"--{LONG}"),
        (LONG,),
        ("run", LONG),
        ("run", "--mode", LONG),
        ("run", "--mode", "video", "--groups", LONG),
        ("run", "--mode", "video", "--metrics", LONG),
        ("search", "--video", LONG),
        ("labels", "--directions", LONG),
        ("labels", "--labels", LONG),
        ("sessions", "show", LONG),
        ("compare", "a.json", "b.json", "--names", LONG),
        ("map", "a", "--vocabulary", LONG),
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_whatever_is_typed_the_message_can_be_read(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(arguments) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said.startswith("error: ")
    assert len(said) <= 610


PRINTS = {"print", "input", "echo", "secho", "print_exception", "print_exc", "basicConfig"}
STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__"}
GATE = {
    "tui/cli/__init__.py": "stdout stderr",  # flushed at the end
    "tui/cli/app.py": "stdout",  # looked at, when the reader of a page went away
    "tui/cli/shared/console.py": "stdout stderr",
    "tui/cli/shared/live.py": "stderr",  # through the gate, as the one before
    "tui/cli/shared/terminal.py": "stdout stderr",  # whether they are terminals
    "tui/look/last_words.py": "write",  # what is known beforehand, when a signal came
    "tui/opening/looks.py": "__stderr__",  # which characters it knows
    "tui/frames/images.py": "__stdout__",  # asked for the size of its cells
    "engine/files/atomic.py": "write",  # to files
    "engine/files/streams.py": "write",  # to those that --out names, spelt out for a terminal
    "engine/labels/printing.py": "stdout stderr",  # numbers alone, for who calls it as a library
}
"""Who may use the streams of the process."""


def ways_out(tree: ast.AST) -> Iterator[str]:
    """What a module uses by which a text could get out, whatever it calls it."""
    names = find_imported_names(ast.walk(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = name_called(node.func, names)
            name = called.rpartition(".")[2]
            own = name in ("print", "input") and isinstance(node.func, ast.Attribute)
            if (name in PRINTS and not own) or name == "Console" or called == "os.write":
                yield name
        elif isinstance(node, ast.Attribute | ast.Name):
            module, _, stream = name_called(node, names).rpartition(".")
            if module == "sys" and stream in STREAMS:
                yield stream
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imported = {alias.name for alias in node.names}
            yield from imported & {"logging", "faulthandler"}


@pytest.mark.parametrize(
    ("code", "way"),
    [
        ("print(1)", "print"),
        ("import sys as s\ns.stdout.write(text)", "stdout"),
        ("from sys import stderr as out\nout.write(text)", "stderr"),
        ("import os\nos.write(1, data)", "write"),
        ("from os import write as put\nput(1, data)", "write"),
        ("from rich.console import Console as C\nC().print(text)", "Console"),
        ("import logging", "logging"),
    ],
)
def test_a_way_around_the_gate_is_seen(code: str, way: str) -> None:
    assert set(ways_out(ast.parse(code))) == {way}


def test_nothing_prints_past_the_gate() -> None:
    for place, text in read_modules().items():
        found = set(ways_out(ast.parse(text)))
        assert found <= set(GATE.get(place, "").split()), place
