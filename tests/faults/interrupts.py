"""`python -m tests.faults.interrupts`: how long a command takes to end when it is told to.

Every command reads something so large that it is inside a library most of the time. It is told to
end at random moments, and then: how long that took, with which exit code, what it said, what it
left in the folder that it was to write to, and which of its processes still run.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.moment_data import write_tvr
from benchmarks.terminal import TUI_EVAL, environment
from tests.faults.result_files import ROOT, write_rows

LONGEST_ALLOWED = 1.0
SAID = {signal.SIGINT: "interrupted\n"}
EACH = 20
LONGEST_LOOK = 20.0
"""Seconds of a command in which it is told to end; some would take an hour."""


@dataclass(frozen=True)
class Ending:
    """How one command ended, at its worst."""

    command: str
    lasts: float
    times: int
    longest: float
    wrong: list[str]


def write_inputs(folder: Path, clips: int) -> dict[str, list[str]]:
    """Large files, and the command lines that read them."""
    random_numbers = np.random.default_rng(5)
    ids = [f"clip_{number:07}" for number in range(clips)]
    things = random_numbers.integers(0, 40, clips)
    with (folder / "clips.csv").open("w", encoding="utf-8") as file:
        file.write("slice_id,pv_object_type,scene_type\n")
        file.writelines(f"{ids[n]},thing {things[n]},place {n % 7}\n" for n in range(clips))
    vectors = random_numbers.standard_normal((clips, 64), dtype=np.float32)
    np.savez(folder / "one.npz", ids=np.array(ids), embeddings=vectors)
    (folder / "dataset.toml").write_text(
        'schema = "tui-eval/dataset@1"\nname = "large"\nannotations = "clips.csv"\n'
        'groups = ["object_type"]\n[models.one]\nembeddings = "one.npz"\n'
    )
    depth, queries = 100, clips // 20
    rows = (
        f"q{query} Q0 {ids[(query * 7 + rank) % clips]} {rank} {1 - rank / 1000:.4f} big\n"
        for query in range(queries)
        for rank in range(depth)
    )
    text = "".join(rows)
    (folder / "big.run").write_text(text)
    with gzip.open(folder / "big.run.gz", "wt", compresslevel=1) as packed:
        packed.write(text)
    (folder / "qrels.txt").write_text(
        "".join(f"q{query} 0 {ids[query * 7 % clips]} 1\n" for query in range(queries))
    )
    with (folder / "big.json").open("w", encoding="utf-8") as file:
        found = {f"q{q}": {ids[(q + r) % clips]: 1 - r / 1000 for r in range(depth)}
                 for q in range(queries)}  # fmt: skip
        json.dump(found, file)
    write_tvr(max(clips // 100, 10), folder / "truth.jsonl", folder / "moments.json")
    dataset, out = str(folder), "OUT"
    qrels = ["--qrels", str(folder / "qrels.txt")]
    return {
        "run": ["run", dataset, "--mode", "video", "--limit", "1000", "--json", "--out", out],
        "triage": ["triage", dataset, "--mode", "video", "--limit", "1000", "--out", out],
        "validate": ["validate", dataset],
        "summary": ["summary", dataset],
        "search": ["search", "--video", ids[3], "--dataset", dataset],
        "score TREC": ["score", *qrels, "--run", str(folder / "big.run"), "--out", out],
        "score gzip": ["score", *qrels, "--run", str(folder / "big.run.gz"), "--out", out],
        "score JSON": ["score", *qrels, "--run", str(folder / "big.json"), "--out", out],
        "moments": ["moments", str(folder / "moments.json"), "--gt", str(folder / "truth.jsonl")],
    }


def measure(
    name: str, arguments: Sequence[str], times: int, chance: random.Random, lasts: float = 0.0
) -> Ending:
    """Tell a command to end at random moments of the time that it takes."""
    lasts = lasts or time_of(arguments)
    longest, wrong = 0.0, []
    for _ in range(times):
        number = chance.choice((signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
        took, faults = interrupt(arguments, number, chance.uniform(0, lasts))
        longest = max(longest, took)
        wrong += faults
    return Ending(name, round(lasts, 1), times, round(longest, 3), wrong)


def time_of(arguments: Sequence[str]) -> float:
    with started(arguments) as (process, _):
        begun = time.monotonic()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LONGEST_LOOK)
        return time.monotonic() - begun


def interrupt(
    arguments: Sequence[str], number: signal.Signals, after: float
) -> tuple[float, list[str]]:
    """Seconds to the end of the command, and what is wrong with how it ended."""
    with started(arguments) as (process, folder):
        wait_until_guarded(process)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(after)
        family = find_family(process.pid)
        sent = time.monotonic()
        process.send_signal(number)
        said = process.communicate()[1].decode()
        took = time.monotonic() - sent
        left = [pid for pid in family if Path(f"/proc/{pid}").exists()]
        # A file that it said to have written was whole before it was told to end.
        whole = "".join(f"wrote {file}\n" for file in folder.iterdir() if is_whole(file, said))
        files = [file.name for file in folder.iterdir() if not is_whole(file, said)]
        if process.returncode == 0:
            return 0.0, []  # it was done before it could hear
    faults = {
        f"exit code {process.returncode}": process.returncode != 128 + number,
        f"it said {said!r}": said != whole + SAID.get(number, f"ended by {number.name}\n"),
        f"processes left: {left}": bool(left),
        f"files left: {files}": bool(files),
        f"{took:.2f} s": took > LONGEST_ALLOWED,
    }
    return took, [
        f"{fault} ({number.name} after {after:.3f} s)" for fault in faults if faults[fault]
    ]


def is_whole(file: Path, said: str) -> bool:
    """Whether a command has said that it wrote a result, and the result is one."""
    try:
        return f"wrote {file}\n" in said and bool(json.loads(file.read_bytes()))
    except ValueError:
        return False


def wait_until_guarded(process: subprocess.Popen[bytes]) -> None:
    """Until then it is Python that starts, and none of our code can be asked."""
    bit = 1 << (signal.SIGINT - 1)
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status").read_text()
        blocked = status.partition("SigBlk:")[2].partition("\n")[0]
        if int(blocked, 16) & bit:
            return
        time.sleep(0.001)


def find_family(pid: int) -> list[int]:
    """A process and all its offspring."""
    found = [pid]
    for one in found:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{one}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
    return found


@contextlib.contextmanager
def started(arguments: Sequence[str]) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """The command, and the empty folder that OUT is in."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "out")
        folder.mkdir()
        given = [str(folder / "result.json") if one == "OUT" else one for one in arguments]
        process = subprocess.Popen(
            [TUI_EVAL, *given],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**environment(Path(home)), "PYTHONPATH": str(ROOT)},
            # Who runs in the background of a shell has switched it off, for all that it starts.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None,
        )
        try:
            yield process, folder
        finally:
            process.kill()
            process.wait()


def main() -> int:
    asked = argparse.ArgumentParser(prog="python -m tests.faults.interrupts", description=__doc__)
    asked.add_argument("--times", type=int, default=EACH, help="signals to each command")
    asked.add_argument("--clips", type=int, default=1_000_000)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--out", type=Path, help="write what was found as JSON")
    options = asked.parse_args()
    chance, found = random.Random(options.seed), []
    with tempfile.TemporaryDirectory() as place:
        commands = write_inputs(Path(place), options.clips)
        print(f"{'command':12} {'lasts':>8} {'times':>6} {'longest':>9}  wrong")  # noqa: T201
        for name, arguments in {"start": ["--version"], **commands}.items():
            found.append(one := measure(name, arguments, options.times, chance))
            wrong = "; ".join(one.wrong) or "nothing"
            numbers = f"{one.lasts:6.1f} s {one.times:6} {one.longest:7.3f} s"
            print(f"{name:12} {numbers}  {wrong}", flush=True)  # noqa: T201
    if options.out:
        write_rows(options.out, [*map(asdict, found)])
    return int(any(one.wrong for one in found))


if __name__ == "__main__":
    sys.exit(main())
