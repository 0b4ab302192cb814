"""`python -m tests.faults`: every fault at every point, and the table of what was lost.

Then, with --all, what takes long: kills of the inspector, many writers on one store, Ctrl+C in long
commands, a long session.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.faults.campaign import FaultRow, try_commands, try_databases
from tests.faults.verdict import Verdict

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "build" / "reliability"
FURTHER = {
    "kills": ("--times", "200"),
    "writers": ("--writers", "50", "--seconds", "30"),
    "interrupts": (),
    "soak": (),
}
"""Modules beside this one, and their sizes."""


def main() -> int:
    asked = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    asked.add_argument("--out", type=Path, default=RESULTS / "faults.json", help="write as JSON")
    asked.add_argument("--all", action="store_true", help="also what takes long")
    options = asked.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    rows = [*try_commands(report=_report), *try_databases()]
    _print_table(rows)
    document = json.dumps([row.as_document() for row in rows], indent=1)
    options.out.write_text(document + "\n", encoding="utf-8")
    codes = [int(not all(row.is_fine for row in rows))]
    codes += _run_further(options.out.parent) if options.all else []
    return max(codes)


def _run_further(folder: Path) -> list[int]:
    """What the other modules find, each in a file of its own."""
    codes = []
    for name, sizes in FURTHER.items():
        module = f"tests.faults.{name}"
        if importlib.util.find_spec(module) is not None:
            command = [sys.executable, "-m", module, *sizes, "--out", str(folder / f"{name}.json")]
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


def _print_table(rows: Sequence[FaultRow]) -> None:
    heads = [*FaultRow("", 0).as_document()]
    width = max(len(row.fault) for row in rows)
    print(f"\n{heads[0]:{width}}", *(f"{head:>9}" for head in heads[1:]))  # noqa: T201
    for row in rows:
        fault, *counts = row.as_document().values()
        print(f"{fault:{width}}", *(f"{count:>9}" for count in counts))  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
