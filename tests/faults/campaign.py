"""Every fault at every point of every command, and under every database: counted."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.catalogue import FAULTS, Fault
from tests.faults.inject import try_command
from tests.faults.recipes import list_recipes
from tests.faults.stores import try_caches, try_stores
from tests.faults.verdict import Verdict
from tests.faults.world import build_world
from tests.tui.forked import NEEDED


@dataclass(frozen=True)
class FaultRow:
    """A fault, how often it was tried, and what came of it.

    coped       the command went on to its end: it can do without the file
    lost        inputs that were changed, outputs that are gone, marks that were acknowledged
    half        outputs that are neither as they were nor as they should be
    unclear     not one line that names the file and the reason
    """

    fault: str
    times: int
    coped: int = 0
    lost: int = 0
    half: int = 0
    stray: int = 0
    traceback: int = 0
    unclear: int = 0
    late: int = 0

    @property
    def is_fine(self) -> bool:
        wrong = self.lost, self.half, self.stray, self.traceback, self.unclear, self.late
        return not any(wrong)

    def as_document(self) -> dict[str, str | int]:
        return asdict(self)


def try_commands(
    faults: Sequence[Fault] = FAULTS, report: Callable[[str, Sequence[Verdict]], None] | None = None
) -> list[FaultRow]:
    """All faults at all points of all commands."""
    for name in NEEDED.split():
        import_module(name)
    found: list[Verdict] = []
    with TemporaryDirectory() as place:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            world = build_world(Path(place).resolve())
        for recipe in list_recipes(world):
            own = try_command(recipe, world, faults)
            found += own
            if report is not None:
                report(recipe.name, own)
    return [_count(fault.name, [one for one in found if one.trial.fault == fault.name])
            for fault in faults]  # fmt: skip


def try_databases() -> list[FaultRow]:
    """All faults under the store and the cache; a disk of its own where that is allowed."""
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)  # also for those who may not write there
        rows: dict[str, FaultRow] = {}
        for trial in try_stores(Path(place)):
            before = rows.get(trial.fault, FaultRow(trial.fault, 0))
            rows[trial.fault] = FaultRow(
                trial.fault,
                before.times + 1,
                coped=before.coped + (not trial.said),
                lost=before.lost + trial.lost,
                traceback=before.traceback + ("traceback" in trial.said),
                unclear=before.unclear + (not trial.is_clear),
            )
        for name, is_fine in try_caches(Path(place)):
            rows[name] = FaultRow(name, 1, coped=int(is_fine), lost=int(not is_fine))
    return [*rows.values()]


def _count(fault: str, verdicts: Iterable[Verdict]) -> FaultRow:
    verdicts = [*verdicts]
    kinds = ("lost", "half", "stray", "traceback", "unclear", "late")
    counts = {kind: sum(kind in one.wrong for one in verdicts) for kind in kinds}
    return FaultRow(fault, len(verdicts), coped=sum(one.coped for one in verdicts), **counts)
