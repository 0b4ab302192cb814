"""Every fault at every point of every command, and under every database: counted."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.catalogue import FAULTS, Fault
from tests.faults.inject import try_command
from tests.faults.recipes import list_recipes
from tests.faults.stores import try_caches, try_stores
from tests.faults.table import HARM, FaultRow
from tests.faults.verdict import Verdict
from tests.faults.world import build_world
from tests.tui.forked import NEEDED


def try_commands(
    faults: Sequence[Fault] = FAULTS,
    report: Callable[[str, Sequence[Verdict]], None] = lambda *_: None,
    only: Sequence[str] = (),
) -> list[FaultRow]:
    """All faults at all points of all commands, or of those that are named."""
    for name in NEEDED.split():
        import_module(name)
    found: list[Verdict] = []
    with TemporaryDirectory() as place:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            world = build_world(Path(place).resolve())
        for recipe in list_recipes(world):
            if not only or recipe.command in only:
                own = try_command(recipe, world, faults)
                found += own
                report(recipe.name, own)
    return [_count(fault.name, [one for one in found if one.trial.fault == fault.name])
            for fault in faults]  # fmt: skip


def try_databases() -> list[FaultRow]:
    """All faults under the store and the cache; a disk of its own where that is allowed."""
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)  # also for those who may not write there
        rows: dict[str, FaultRow] = {}
        for trial in try_stores(Path(place)):
            rows[trial.fault] = rows.get(trial.fault, FaultRow(trial.fault, 0)) + trial.as_row()
        for name, is_fine in try_caches(Path(place)):
            rows[name] = FaultRow(name, 1, coped=int(is_fine), lost=int(not is_fine))
    return [*rows.values()]


def _count(fault: str, verdicts: Iterable[Verdict]) -> FaultRow:
    verdicts = [*verdicts]
    counts = {kind: sum(kind in one.wrong for one in verdicts) for kind in HARM}
    return FaultRow(fault, len(verdicts), coped=sum(one.coped for one in verdicts), **counts)
