"""`python -m tests.fuzz`: try many inputs, go on where it was left, or try one finding again."""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.conftest import ROOT
from tests.faults.result_files import MEASURED, write_result
from tests.fuzz.campaign import Campaign
from tests.fuzz.child import prepare_process, try_command, try_reader
from tests.fuzz.corpus import find_readers
from tests.fuzz.tally import Tally
from tests.fuzz.trial import Trial, Trials
from tests.fuzz.verdict import Verdict

STATE = ROOT / "build" / "fuzz"
RESULT = MEASURED / "fuzz.json"
_KEPT = 3
"""Inputs that are kept of each kind of finding."""


def main() -> int:
    options = _parse_options()
    for number in (signal.SIGINT, signal.SIGTERM):  # also where a shell has them ignored
        signal.signal(number, signal.default_int_handler)
    if options.replay:
        return _replay(Path(options.replay))
    trials = Trials(options.seed, options.only, without_slow=options.quick)
    _preload(trials)
    state = Path(options.state)
    with _scratch() as folder:
        campaign = Campaign(trials, options.inputs, folder, options.jobs, options.commands_every)
        before = _load(state, campaign) if options.resume else _clear(state)
        began = time.monotonic()
        last = 0.0
        with contextlib.suppress(KeyboardInterrupt):
            for _ in campaign.run(lambda verdict, _: _keep(verdict, campaign, state)):
                if time.monotonic() - last > 2:
                    last = time.monotonic()
                    _save(state, campaign, before + last - began)
                    _show_progress(campaign, before + last - began)
        seconds = before + time.monotonic() - began
    _save(state, campaign, seconds)
    _show_progress(campaign, seconds, end="\n")
    return _finish(campaign, seconds, Path(options.out))


def _parse_options() -> Any:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("what", nargs="?", choices=["replay"], help="try a kept finding again")
    parser.add_argument("replay", nargs="?", metavar="FILE", help="the finding")
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--commands-every", type=int, default=33, help="of so many batches one is of command lines"
    )
    parser.add_argument("--only", default="", metavar="READER", help="try no other")
    parser.add_argument(
        "--quick", action="store_true", help="leave out what needs torch, which is slow to import"
    )
    parser.add_argument("--resume", action="store_true", help="go on where it was left")
    parser.add_argument("--out", default=str(RESULT), help="the result as JSON")
    parser.add_argument(
        "--state", default=str(STATE), help="folder of findings and of what is done"
    )
    return parser.parse_args()


def _preload(trials: Trials) -> None:
    """All that a command imports, so that a forked process need not; and no threads, which it would
    wait for."""
    from threadpoolctl import threadpool_limits

    from tests.tui.forked import NEEDED

    find_readers()
    threadpool_limits(1)
    for name in (*NEEDED.split(), *trials.list_libraries()):
        import_module(name)
    gc.collect()
    gc.freeze()  # what is never looked at again is never copied


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    """A folder in memory, if there is one: a hundred thousand inputs need no disk."""
    memory = Path("/dev/shm")
    base = str(memory) if memory.is_dir() and os.access(memory, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="fuzz-", dir=base))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _clear(state: Path) -> float:
    shutil.rmtree(state, ignore_errors=True)
    (state / "findings").mkdir(parents=True)
    return 0.0


def _load(state: Path, campaign: Campaign) -> float:
    """Take up what was done before; seconds that it took."""
    try:
        saved = json.loads((state / "state.json").read_text())
    except FileNotFoundError:
        return _clear(state)
    if saved["seed"] != campaign.trials.seed:
        raise SystemExit(f"{state} is of seed {saved['seed']}; leave --resume out to begin anew")
    if sum(saved["tally"]["outcomes"].values()) >= campaign.inputs:  # that one is finished
        return _clear(state)
    campaign.tally = Tally.of_document(saved["tally"])
    campaign.done = set(saved["done"])
    return float(saved["seconds"])


def _save(state: Path, campaign: Campaign, seconds: float) -> None:
    saved = {
        "seed": campaign.trials.seed,
        "seconds": seconds,
        "done": sorted(campaign.done),
        "tally": campaign.tally.as_document(),
    }
    new = state / "state.new"
    new.write_text(json.dumps(saved))
    new.replace(state / "state.json")


def _keep(verdict: Verdict, campaign: Campaign, state: Path) -> None:
    """Write down a finding, so that it can be tried again."""
    if not verdict.is_finding or campaign.tally.findings[verdict.signature] > _KEPT:
        return
    trial = campaign.make(verdict.number)
    kept = {"seed": campaign.trials.seed, "verdict": verdict.as_document(), **trial.as_document()}
    name = f"{verdict.outcome}-{trial.name.replace(' ', '_')}-{verdict.number}.json"
    (state / "findings" / name).write_text(json.dumps(kept, indent=1))


def _replay(file: Path) -> int:
    """Try one finding once more, in this process."""
    kept = json.loads(file.read_text())
    trial, trials = Trial.of_document(kept), Trials(kept["seed"])
    _preload(trials)
    with _scratch() as folder:
        print(trial.name, *trial.arguments)
        shown = os.dup(1)
        prepare_process(folder)
        if trial.sample is None:
            verdict = try_command(trial, folder)
        else:
            verdict = try_reader(trial, trials.samples[trial.sample][1], folder)
    os.dup2(shown, 1)
    print(f"{verdict.outcome} after {verdict.seconds:.2f} s, {verdict.grown >> 20} MB", flush=True)
    print(verdict.place, verdict.detail, sep="\n", flush=True)
    return int(verdict.is_finding)


def _show_progress(campaign: Campaign, seconds: float, end: str = "") -> None:
    done = campaign.tally.inputs
    line = f"\r{campaign.tally}, {done / max(seconds, 1e-9):.0f}/s"
    if sys.stderr.isatty() or end:
        print(line, end=end, file=sys.stderr, flush=True)


def _finish(campaign: Campaign, seconds: float, out: Path) -> int:
    tally = campaign.tally
    for what, counts in (("findings", tally.findings), ("unforeseen", tally.unforeseen)):
        for signature, count in counts.most_common(20):
            print(f"{what}\t{count}\t{signature}")
    if tally.inputs < campaign.inputs:
        print("not finished: go on with --resume", file=sys.stderr)
        return 130
    write_result(out, tally.as_result(seconds, campaign.trials.seed))
    return int(tally.found > 0)


if __name__ == "__main__":
    sys.exit(main())
