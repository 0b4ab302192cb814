"""`python -m tests.faults`: every fault at every point, and the table of what was lost.

Then, with --all, what takes long: kills of the inspector, many writers on one store, Ctrl+C in long
commands, a long session.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.faults.campaign import try_commands, try_databases
from tests.faults.recipes import list_recipes
from tests.faults.result_files import MEASURED, ROOT, write_result
from tests.faults.table import print_rows
from tests.faults.verdict import Verdict
from tests.faults.world import World

FURTHER = {
    "kills": ("--times", "200"),
    "writers": ("--writers", "50", "--seconds", "30"),
    "interrupts": (),
    "soak": (),
}
"""Modules beside this one, and their sizes."""


def main() -> int:
    asked = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    asked.add_argument("--out", type=Path, default=MEASURED / "faults.json", help="write as JSON")
    asked.add_argument("--all", action="store_true", help="also what takes long")
    asked.add_argument("--only", nargs="+", default=(), metavar="COMMAND", help="try no other")
    options = asked.parse_args()
    if unknown := set(options.only) - {one.command for one in list_recipes(World(Path("/world")))}:
        asked.error(f"no command is called {', '.join(sorted(unknown))}")
    tried: list[str] = []

    def report(recipe: str, verdicts: Sequence[Verdict]) -> None:
        tried.append(recipe)
        _report(recipe, verdicts)

    rows = [*try_commands(report=report, only=options.only), *try_databases()]
    print_rows(rows)
    documents = [row.as_document() for row in rows]
    write_result(options.out, {"command_lines": len(tried), "rows": documents})
    codes = [int(not all(row.is_fine for row in rows))]
    codes += _run_further(options.out.parent) if options.all else []
    return max(codes)


def _run_further(folder: Path) -> list[int]:
    """What the other modules find, each in a file of its own."""
    codes = []
    for name, sizes in FURTHER.items():
        out = folder / f"{name}.json"
        command = [sys.executable, "-m", f"tests.faults.{name}", *sizes, "--out", str(out)]
        print(f"\n{' '.join(command[2:])}", flush=True)  # noqa: T201
        codes.append(subprocess.run(command, cwd=ROOT, check=False).returncode)
    return codes


def _report(command: str, verdicts: Sequence[Verdict]) -> None:
    print(f"{len(verdicts):5}  {command[:90]}", flush=True)  # noqa: T201
    for one in verdicts:
        if one.wrong:
            trial = one.trial
            where = f"{trial.fault} at {trial.point} of {trial.file}"
            print(f"       {', '.join(one.wrong)}: {where}: {trial.said.strip()!r}")  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
