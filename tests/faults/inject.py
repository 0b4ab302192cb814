"""Trying faults at every point that a command reaches.

A command runs once, undisturbed, in a process of its own. Wherever it is about to touch a file, it
forks: the fork suffers the fault and goes on to its end, while the command waits. What the fork has
left is noted and put back, the next fault is tried, and at last the command goes on. So every point
is found by itself, and costs a fork.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine.files.points import FaultHook, Point, set_fault_hook
from engine.files.reading import follow_links
from tests.faults.catalogue import INTERRUPT, READING, SLOW, WRITING, Fault
from tests.faults.inspector_writers import run_writer
from tests.faults.recipes import NEEDS_NEW_FILE, Recipe, find_output_options
from tests.faults.snapshot import Originals, Snapshot, is_open_database
from tests.faults.verdict import Trial, Undisturbed, Verdict, digest, find_lines, judge
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
    arguments = [*recipe.command.split(), *recipe.arguments, *prepare_outputs(recipe, world)]
    before = Snapshot.take(world.folder)
    with TemporaryDirectory(dir=world.folder.parent) as name:
        place = Path(name)
        process = os.fork()
        if process == 0:
            _redirect(place, "")
            _run(recipe, arguments, world, _Prober(world, _choose(faults, recipe), place))
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        lines, passed, points = (_read_log(place / name) for name in ("trials", "passed", "points"))
        said, printed = (_read(place / stream) for stream in ("stderr", "stdout"))
    passing = frozenset((name, state) for states in passed for name, state in states.items())
    usual = Undisturbed(before, Snapshot.take(world.folder), said, printed, passing)
    readable = find_readable_by_others(world)
    whole.restore(Snapshot.take(world.folder, databases=True))
    assert code == 0, (recipe.name, code, said)
    reached = {line["file"] for line in points if line["point"] in WRITING}
    past = usual.changed.keys() - reached
    assert not past, f"{recipe.name} writes past engine/files, where no fault is tried: {past}"
    assert not readable, f"{recipe.name} keeps what others can read: {readable}"
    trials = [Trial(recipe.name, **line) for line in lines]
    return [judge(trial, usual) for trial in trials]


def _choose(faults: Sequence[Fault], recipe: Recipe) -> Sequence[Fault]:
    """In the inspector, Ctrl+C is a key like any other."""
    return [one for one in faults if one is not INTERRUPT or recipe.writer is None]


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _read_log(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in _read(file).splitlines()] if file.exists() else []


def _write_log(file: Path, line: Mapping[str, Any]) -> None:
    with file.open("a", encoding="utf-8") as log:
        log.write(json.dumps(line) + "\n")


def prepare_outputs(recipe: Recipe, world: World) -> list[str]:
    """The options for all that the command can write, and files that are there already."""
    (world.out / "summary.md").write_bytes(OLD)
    given: list[str] = []
    is_fresh = recipe.command in NEEDS_NEW_FILE
    for option in () if is_fresh else _OUTPUTS.get(recipe.command, ()):
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


def find_readable_by_others(world: World) -> list[str]:
    """What is kept for the user, in whatever file, is for nobody else."""
    kept = (
        path for name in ("data", "cache") for path in [world / name, *(world / name).rglob("*")]
    )
    return [str(path) for path in kept if path.stat().st_mode & 0o077]


class _Prober:
    """What a command does at a point: try every fault in a fork of itself."""

    def __init__(self, world: World, faults: Sequence[Fault], place: Path) -> None:
        self._world = world
        self._faults = faults
        self._place = place
        aside = place / "originals"
        aside.mkdir()
        self._originals = Originals(world.folder, aside)
        self._begin = Snapshot.take(world.folder)
        self._inherited = _find_open_databases()  # of who made the world, and not of the command

    def __call__(self, point: Point, path: Path) -> None:
        if self._world.folder not in path.absolute().parents:
            return  # nothing of a user's: what is installed
        assert threading.current_thread() is threading.main_thread(), (point, path)
        _write_log(self._place / "points", {"point": point, "file": str(follow_links(path))})
        passed = self._find_changes(Snapshot.take(self._world.folder))
        _write_log(self._place / "passed", passed)
        for fault in self._faults:
            if point in fault.points and self._try(fault, point, path.absolute()):
                return  # in the fork, which goes on

    def _find_changes(self, now: Snapshot) -> dict[str, str | None]:
        return {name: digest(content) for name, content in self._begin.compare(now).items()}

    def _try(self, fault: Fault, point: Point, path: Path) -> bool:
        """Whether this is the fork, and is still there."""
        self._originals.keep()
        is_open = bool(_find_open_databases() - self._inherited)
        with_databases = not is_open  # else they cannot be put back
        before = Snapshot.take(self._world.folder, databases=with_databases)
        printed = _read(self._place / "stdout")
        put_back = fault.prepare(point, path)
        ready, tell = os.pipe()
        process = os.fork()
        if process == 0:
            _redirect(self._place, "of-fork-")
            set_fault_hook(_strike_again(fault, point, path) if fault.lasts else None)
            if fault is INTERRUPT:  # as a command begins: the one that waits hears of Ctrl+C
                signal.signal(signal.SIGINT, signal.default_int_handler)
                continue_in_child()
            os.write(tell, b".")
            fault.strike(path)
            return True
        code, ended = _wait(process, ready, interrupt=fault is INTERRUPT)
        for pipe in (ready, tell):
            os.close(pipe)
        put_back()
        after = Snapshot.take(self._world.folder)
        trial = Trial(
            command="",
            fault=fault.name,
            point=point,
            file=str(path),
            code=code,
            said=_read(self._place / "of-fork-stderr"),
            printed=printed + _read(self._place / "of-fork-stdout"),
            changed=self._find_changes(after),
            written=find_lines(self._begin.compare(after).values(), path),
            number=fault.number,
            ended=round(ended, 3),
        )
        line = {name: value for name, value in asdict(trial).items() if name != "command"}
        _write_log(self._place / "trials", line)
        self._originals.bring_back()
        before.restore(Snapshot.take(self._world.folder, databases=with_databases))
        return False


def _find_open_databases() -> set[str]:
    """The descriptors by which this process has a store or a cache open."""
    found = set()
    for one in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if is_open_database(one.readlink()):
                found.add(one.name)
    return found


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


def _run(recipe: Recipe, arguments: Sequence[str], world: World, hook: FaultHook) -> None:
    """Become `tui-eval`, with the streams that are there; never returns."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.update(world.variables)
    os.chdir(world.out)
    sys.argv = ["tui-eval", *arguments]

    from tui.cli import main

    code = 70  # it has not left of its own accord
    try:
        if recipe.writer is None:
            set_fault_hook(hook)
            main()
        else:
            code = run_writer(recipe.writer, world, hook)
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
    finally:
        os._exit(code)
