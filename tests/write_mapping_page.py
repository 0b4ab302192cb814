"""Write what commands print into `docs/mapping.md`: `python -m tests.write_mapping_page`.

A block that is called after a file is that file; in a console block every line after `$` is run.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.test_layers import ROOT

PAGE = ROOT / "docs" / "mapping.md"
_FILE = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CONSOLE = re.compile(r"^```console\n\$ tui-eval ([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def with_output(page: str) -> str:
    """The page with what its commands print now."""
    with TemporaryDirectory() as folder, contextlib.chdir(folder), _plain_width():
        for name, text in _FILE.findall(page):
            Path(name).write_text(text, encoding="utf-8")
        return _CONSOLE.sub(lambda found: _run(found[1]), page)


def _run(command: str) -> str:
    from tui.cli.app import run_command_line

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = run_command_line(shlex.split(command))
    assert code == 0, command
    return f"```console\n$ tui-eval {command}\n{_trim(out.getvalue())}\n```"


def _trim(text: str) -> str:
    """Without empty lines around, or two in a row."""
    return re.sub(r"\n{3,}", "\n\n", text.strip("\n"))


@contextlib.contextmanager
def _plain_width() -> Iterator[None]:
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "120"
    try:
        yield
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before


def main() -> None:
    PAGE.write_text(with_output(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
