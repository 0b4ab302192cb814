"""Trying one input in this process, or a command in one that is forked from it."""

from __future__ import annotations

import contextlib
import os
import resource
import select
import shutil
import signal
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.files.budget import ALWAYS_FINE, MOST_GROWTH
from tests.fuzz.commands import OUTPUT_OPTIONS, PIPE
from tests.fuzz.content import lay_out, measure
from tests.fuzz.corpus import Sample
from tests.fuzz.trial import Trial
from tests.fuzz.verdict import (
    LONGEST_SECONDS,
    LONGEST_WAIT,
    Outcome,
    Verdict,
    find_reason,
    judge_error,
    judge_said,
)

_ROOM = 6 << 30
"""Bytes that a process may take beside what it has: enough to see who takes too much."""


def prepare_process(folder: Path) -> None:
    """Make this process, a child, one that may be harmed: quiet, and unable to eat all memory."""
    size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (size + _ROOM, size + _ROOM))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    os.environ.update(TUI_EVAL_CACHE=str(folder / "cache"), TUI_EVAL_DATA=str(folder / "data"))
    os.environ.update(TUI_EVAL_CONFIG=str(folder / "own" / "config.toml"))


def try_reader(trial: Trial, sample: Sample, folder: Path) -> Verdict:
    """Read the files of an input; nothing of them is left afterwards."""
    place = folder / str(trial.number)
    place.mkdir()
    try:
        lay_out(trial.files, place)
        before = _look(place)
        held = _reset_peak()
        clock = time.monotonic if sample.is_apart else time.process_time
        begin = clock()
        outcome, detail, where = _read(trial, sample, place)
        seconds, grown = clock() - begin, _read_status("VmHWM") - held
        if not sample.is_ours:
            outcome, detail = _look_again(outcome, detail, before, _look(place))
        return _measured(trial, outcome, detail, where, seconds, grown)
    finally:
        shutil.rmtree(place)


def _read(trial: Trial, sample: Sample, place: Path) -> tuple[Outcome, str, str]:
    try:
        sample.call(place / sample.file)
    except BaseException as error:
        return judge_error(error, list(trial.files))
    return "value", "", ""


def try_command(trial: Trial, folder: Path, longest: float = LONGEST_WAIT) -> Verdict:
    """Run the command line of an input in a process that is forked from this one."""
    place = folder / str(trial.number)
    place.mkdir()
    try:
        lay_out(trial.files, place)
        before = _look(place)
        streams = folder / "stdout", folder / "stderr"
        held = _read_status("VmRSS")
        with _listening(place / PIPE) as pipe:
            pid = os.fork()
            if pid == 0:
                _become_command(trial.arguments, place, streams)
            code, used = _wait(pid, pipe, longest)
        seconds = used.ru_utime + used.ru_stime
        printed, said = (stream.read_bytes().decode("utf-8", "replace") for stream in streams)
        if code is None:
            return Verdict(trial.number, trial.name, "time", said[-500:], "", seconds)
        outcome, detail = judge_said(code, printed, said)
        kept = {name for name in before if not _may_change(name, trial.arguments)}
        after = {name: one for name, one in _look(place).items() if name in kept or name[:1] == "."}
        before = {name: one for name, one in before.items() if name in kept}
        outcome, detail = _look_again(outcome, detail, before, after)
        where = find_reason(detail) if outcome == "unforeseen" else ""
        return _measured(trial, outcome, detail, where, seconds, (used.ru_maxrss << 10) - held)
    finally:
        shutil.rmtree(place)


def _may_change(name: str, arguments: tuple[str, ...]) -> bool:
    """A store is written to by those who open it; settings by who teaches the mapper; and any file
    may be named as the output of a command that does not read it."""
    if name.startswith("sessions.db") or (name == "dataset.toml" and "learn" in arguments):
        return True
    return arguments.count(name) == 1 and arguments[arguments.index(name) - 1] in OUTPUT_OPTIONS


def _become_command(arguments: tuple[str, ...], place: Path, streams: tuple[Path, Path]) -> None:
    os.setsid()
    for number, stream in enumerate(streams, start=1):
        device = os.open(stream, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        os.dup2(device, number)
        os.close(device)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream_ = open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream_)
        setattr(sys, f"__{name}__", stream_)
    os.chdir(place)
    sys.argv = ["tui-eval", *arguments]
    try:
        from tui.cli import main

        main()
    except BaseException:  # else it would go on as the process that it was forked from
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
    os._exit(70)


@contextlib.contextmanager
def _listening(path: Path) -> Iterator[int | None]:
    """Somebody at the other end of a pipe: who writes to it is heard; who reads it waits."""
    if not path.is_fifo():
        yield None
        return
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield pipe
    finally:
        os.close(pipe)


def _wait(pid: int, pipe: int | None, longest: float) -> tuple[int | None, resource.struct_rusage]:
    """Exit code, None if it did not end, and what it used; what it writes to the pipe is taken."""
    until = time.monotonic() + longest
    end = os.pidfd_open(pid)
    ended = False
    try:
        while not ended and (left := until - time.monotonic()) > 0:
            watched = [end] if pipe is None else [end, pipe]
            ready = select.select(watched, [], [], left)[0]
            ended = end in ready
            if pipe in ready and not os.read(pipe, 1 << 16):
                pipe = None  # it was closed
    finally:
        os.close(end)
    if not ended:
        os.killpg(pid, signal.SIGKILL)
    _, status, used = os.wait4(pid, 0)
    return (os.waitstatus_to_exitcode(status) if ended else None), used


def _measured(
    trial: Trial, outcome: Outcome, detail: str, place: str, seconds: float, grown: int
) -> Verdict:
    """The verdict; what took too long or too much is a finding whatever it gave."""
    allowed = max(ALWAYS_FINE, MOST_GROWTH * max(map(measure, trial.files.values())))
    if outcome in ("value", "refused", "unforeseen"):
        if grown > allowed:
            outcome, detail = "memory", f"{grown >> 20} MB: {detail}"
        elif seconds > LONGEST_SECONDS:
            outcome, detail = "time", f"{seconds:.1f} s: {detail}"
    return Verdict(trial.number, trial.name, outcome, detail, place, seconds, grown)


def _look(place: Path) -> dict[str, tuple[int, ...]]:
    """Every file in a folder, and what would tell that it was written."""
    return {
        str(path.relative_to(place)): _identify(path) for path in place.rglob("*") if path != place
    }


def _identify(path: Path) -> tuple[int, ...]:
    found = path.lstat()
    if path.is_dir() and not path.is_symlink():
        return (found.st_mode,)
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_mode


def _look_again(
    outcome: Outcome,
    detail: str,
    before: Mapping[str, tuple[int, ...]],
    after: Mapping[str, tuple[int, ...]],
) -> tuple[Outcome, str]:
    if outcome not in ("value", "refused", "unforeseen"):
        return outcome, detail
    for name, one in before.items():
        if after.get(name) != one:
            return "changed", f"{name}: {detail}"
    new = sorted(set(after) - set(before))
    return ("left", f"{new}: {detail}") if new else (outcome, detail)


def _reset_peak() -> int:
    """Forget the peak of this process; the bytes that it has now."""
    Path("/proc/self/clear_refs").write_text("5")
    return _read_status("VmRSS")


def _read_status(field: str) -> int:
    text = Path("/proc/self/status").read_text()
    return int(text.partition(f"{field}:")[2].split(None, 1)[0]) << 10
