"""Trying faults at every point that a command reaches.

A command runs once, undisturbed, in a process of its own. Wherever it is about to touch a file, it
forks: the fork suffers the fault and goes on to its end, while the command waits. What the fork has
left is noted and put back, the next fault is tried, and at last the command goes on. So every point
is found by itself, and costs a fork.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.files.points import FaultHook, Point, set_fault_hook
from tests.faults.catalogue import READING, SLOW, SLOWNESS, Fault
from tests.faults.recipes import Recipe, find_output_options
from tests.faults.snapshot import Snapshot
from tests.faults.verdict import Trial, Verdict, digest, judge
from tests.faults.world import World
from tui.cli.shared.guard import continue_in_child

PATIENCE = 30.0
"""Seconds after which a command will not end."""
OLD = b"what was there before\n"
_OUTPUTS = find_output_options()


def try_command(recipe: Recipe, world: World, faults: Sequence[Fault]) -> list[Verdict]:
    """Run a command once, and try the faults at each point that it reaches.

    It writes all that it can write, over files that are there. The world is afterwards as it was.
    """
    whole = Snapshot.take(world.folder, databases=True)
    arguments = [*recipe.command.split(), *recipe.arguments, *_prepare_outputs(recipe, world)]
    before = Snapshot.take(world.folder)
    with TemporaryDirectory() as name:
        place = Path(name)
        process = os.fork()
        if process == 0:
            _redirect(place, "")
            set_fault_hook(_Prober(world, faults, place))
            _run(arguments, world)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        log = place / "trials"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        said = (place / "stderr").read_text(encoding="utf-8")
    after = Snapshot.take(world.folder)
    whole.restore(Snapshot.take(world.folder, databases=True))
    # Undisturbed it works, unless it refuses at once: without a terminal, or to replace a store.
    assert code == 0 or (code == 2 and after == before), (recipe.name, code, said)
    trials = [Trial(recipe.name, **json.loads(line)) for line in lines]
    return [judge(trial, before, after, said) for trial in trials]


def _prepare_outputs(recipe: Recipe, world: World) -> list[str]:
    """The options for all that the command can write, and files that are there already."""
    (world.out / "summary.md").write_bytes(OLD)
    given: list[str] = []
    for option in _OUTPUTS[recipe.command]:
        name = option.name.strip("-")
        if option.is_folder:
            place = world.out / name
            place.mkdir(exist_ok=True)
            for mode in ("text", "video"):
                (place / f"{mode}.run").write_bytes(OLD)
        else:
            ending = ".xml" if name == "junit" else ".csv" if name != "out" else ""
            place = world.out / f"{name}{ending or _find_ending(recipe.command)}"
            place.write_bytes(OLD)
        given += [option.name, str(place)]
    return given


def _find_ending(command: str) -> str:
    return {"report": ".html", "keys": ".toml"}.get(command, ".json")


class _Prober:
    """What a command does at a point: try every fault in a fork of itself."""

    def __init__(self, world: World, faults: Sequence[Fault], place: Path) -> None:
        self._world = world
        self._faults = faults
        self._place = place
        # What is replaced keeps its number, so that no new file gets it: a command knows files by
        # their numbers, and here the same files are made again and again.
        self._held = [os.open(file, os.O_RDONLY) for file in Snapshot.take(world.folder).files]

    def __call__(self, point: Point, path: Path) -> None:
        if self._world.folder not in path.absolute().parents:
            return  # nothing of a user's: what is installed
        assert threading.current_thread() is threading.main_thread(), (point, path)
        for fault in self._faults:
            if point in fault.points and self._try(fault, point, path.absolute()):
                return  # in the fork, which goes on

    def _try(self, fault: Fault, point: Point, path: Path) -> bool:
        """Whether this is the fork, and is still there."""
        before = Snapshot.take(self._world.folder)
        put_back = fault.prepare(point, path)
        ready, tell = os.pipe()
        process = os.fork()
        if process == 0:
            _redirect(self._place, "of-fork-")
            set_fault_hook(_strike_again(fault, point, path) if fault.lasts else None)
            if fault is SLOWNESS:  # as a command begins: the one that waits hears of Ctrl+C
                signal.signal(signal.SIGINT, signal.default_int_handler)
                continue_in_child()
            os.write(tell, b".")
            fault.strike(path)
            return True
        code, ended = _wait(process, ready, interrupt=fault is SLOWNESS)
        for pipe in (ready, tell):
            os.close(pipe)
        put_back()
        after = Snapshot.take(self._world.folder)
        said = (self._place / "of-fork-stderr").read_text(encoding="utf-8", errors="replace")
        changed = {name: digest(content) for name, content in before.compare(after).items()}
        trial = Trial(
            "", fault.name, point, str(path), code, said, changed, fault.number, round(ended, 3)
        )
        with (self._place / "trials").open("a", encoding="utf-8") as log:
            log.write(json.dumps({k: v for k, v in asdict(trial).items() if k != "command"}) + "\n")
        before.restore(after)
        return False


def _strike_again(fault: Fault, point: Point, path: Path) -> FaultHook:
    """A file that cannot be read stays so; a disk that cannot be written, for all files."""

    def strike(next_point: Point, next_path: Path) -> None:
        same_file = next_point == point == "read" and next_path.absolute() == path
        if same_file or (point != "read" and next_point in fault.points - READING):
            fault.strike(next_path)

    return strike


def _wait(process: int, ready: int, *, interrupt: bool) -> tuple[int, float]:
    """How a process ended; and, if it is interrupted, how long that took."""
    end = os.pidfd_open(process)
    try:
        if interrupt:
            select.select([ready], [], [], PATIENCE)
            time.sleep(0.01)  # it has said so just before it waits
            os.kill(process, signal.SIGINT)
        begin = time.monotonic()
        if not select.select([end], [], [], PATIENCE + SLOW)[0]:
            os.kill(process, signal.SIGKILL)
        took = time.monotonic() - begin if interrupt else 0.0
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), took
    finally:
        os.close(end)


def _redirect(place: Path, prefix: str) -> None:
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        file = os.devnull if number == 0 else str(place / f"{prefix}{name}")
        device = os.open(file, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        os.dup2(device, number)
        os.close(device)


def _run(arguments: Sequence[str], world: World) -> None:
    """Become `tui-eval`, with the streams that are there; never returns."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.update(world.variables)
    os.chdir(world.out)
    sys.argv = ["tui-eval", *arguments]

    from tui.cli import main

    try:
        main()
    finally:
        os._exit(70)  # it has not left of its own accord
