"""Benchmarks survive: what was measured is printed and kept, whatever comes after it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from benchmarks import __main__ as command
from benchmarks import docs
from benchmarks.bench_labels import growth_claim
from benchmarks.claim import Claim
from benchmarks.machine import Machine, installed_versions, this_machine
from benchmarks.memory import RESOLUTION, growth_ratio
from benchmarks.results import Result, read_results, write_result
from benchmarks.runner import benchmark_names, load_benchmark, run_benchmarks
from benchmarks.timing import best_in_turn

FAST = Claim("ours / theirs", 0.5, 1.0, "at most", "1 s / 2 s")
SLOW = Claim("theirs / ours", 2.0, 3.0, "at least", "2 s / 1 s")
INFORMATION = Claim("for information", 7.0, None, "at most", "7 s / 1 s")
UNRESOLVED = Claim("growth", None, 2.2, "at most", "too small")

RESULT = Result(
    "first",
    "What the first is about.",
    "2026-01-02T03:04:05+00:00",
    0.4,
    Machine("A processor", 2, 8, "Linux x86_64"),
    {"python": "3.11.9", "numpy": "2.0"},
    (FAST,),
    finished=True,
)


def claims(*yielded: Claim, error: BaseException | None = None) -> SimpleNamespace:
    """A benchmark that yields these and then, if it is given an error, raises it."""

    def run() -> Iterator[Claim]:
        yield from yielded
        if error:
            raise error

    return SimpleNamespace(__doc__="Made up.\n\n    With more to say.\n    ", run=run)


class Bench:
    """Runs made-up benchmarks in a folder; `printed` has the rows, each with its blanks folded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "results"
        self._out = io.StringIO()

    def run(self, load: Callable[[str], object] | None = None, **modules: object) -> bool:
        console = Console(file=self._out, width=160, highlight=False, markup=False)
        return run_benchmarks(modules, self.folder, console, load or modules.__getitem__)

    @property
    def printed(self) -> list[str]:
        return [" ".join(line.split()) for line in self._out.getvalue().splitlines()]

    def kept(self, name: str) -> Result:
        return read_results(self.folder)[name]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_claim_before_a_failure_is_printed_and_kept_and_the_next_benchmark_runs(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    good = bench.run(
        broken=claims(FAST, error=ZeroDivisionError("float division by zero")), next=claims(SLOW)
    )

    assert not good
    assert bench.printed[1:] == [
        "ours / theirs 0.50× at most 1× met 1 s / 2 s",
        "broken: ended early FAILED ZeroDivisionError: float division by zero",
        "theirs / ours 2.00× at least 3× MISSED 2 s / 1 s",
    ]
    broken, after = bench.kept("broken"), bench.kept("next")
    assert broken.claims == (FAST,) and not broken.finished
    assert broken.failure == "ZeroDivisionError: float division by zero"
    assert after.claims == (SLOW,) and after.finished and not after.failure
    assert "Traceback" in capsys.readouterr().err


def test_a_claim_is_printed_and_kept_before_the_next_is_measured(bench: Bench) -> None:
    def run() -> Iterator[Claim]:
        yield FAST
        assert bench.printed[-1].startswith("ours / theirs 0.50×")
        assert bench.kept("slow").claims == (FAST,)
        yield SLOW

    bench.run(slow=SimpleNamespace(__doc__="Slow.", run=run))

    assert bench.kept("slow").finished


def test_an_interrupted_run_keeps_what_it_measured(bench: Bench) -> None:
    with pytest.raises(KeyboardInterrupt):
        bench.run(long=claims(FAST, error=KeyboardInterrupt()))

    assert bench.kept("long").claims == (FAST,)
    assert not bench.kept("long").finished


def test_a_run_interrupted_before_its_first_claim_leaves_the_one_before(bench: Bench) -> None:
    bench.run(long=claims(FAST))

    with pytest.raises(KeyboardInterrupt):
        bench.run(long=claims(error=KeyboardInterrupt()))

    assert bench.kept("long").finished


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (SystemExit(2), "SystemExit: 2"),
        (AssertionError(), "AssertionError"),
        (RuntimeError("run me\nTraceback\n  File\nNameError: x\n"), "run me … NameError: x"),
    ],
)
def test_a_failure_is_one_row_with_its_reason(
    bench: Bench, error: BaseException, reason: str
) -> None:
    bench.run(broken=claims(error=error))

    assert bench.printed[1].startswith("broken: ended early FAILED")
    assert bench.printed[1].endswith(reason)
    assert len(bench.printed) == 2


def test_a_benchmark_that_cannot_be_imported_is_a_row_too(bench: Bench) -> None:
    def load(name: str) -> object:
        if name == "missing":
            raise ModuleNotFoundError("No module named 'ranx'")
        return claims(FAST)

    assert not bench.run(load, missing=None, next=None)

    assert "ModuleNotFoundError: No module named 'ranx'" in bench.printed[1]
    assert bench.kept("next").claims == (FAST,)


def test_all_is_well_without_a_goal_or_with_one_that_cannot_be_reported(bench: Bench) -> None:
    assert bench.run(fine=claims(FAST, INFORMATION, UNRESOLVED))

    assert bench.printed[2:] == [
        "for information 7.00× 7 s / 1 s",
        "growth unresolved at most 2.2× too small",
    ]


@pytest.mark.parametrize(("modules", "code"), [((FAST,), 0), ((FAST, SLOW), 1)])
def test_a_missed_goal_is_exit_code_1(
    modules: tuple[Claim, ...], code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("benchmarks.runner.importlib.import_module", lambda _: claims(*modules))
    monkeypatch.setattr(command, "RESULTS", tmp_path)

    assert command.main(["labels"]) == code
    assert read_results(tmp_path)["labels"].claims == modules


def test_an_unknown_benchmark_is_named_before_anything_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command.main(["labels", "lables"]) == 2
    assert "no benchmark 'lables'; there are encoder, evaluation" in capsys.readouterr().err


def test_every_benchmark_yields_its_claims() -> None:
    for name in benchmark_names():
        module = load_benchmark(name)
        assert isinstance(module.run(), Iterator), name  # nothing is measured before the first
        assert module.__doc__, name


# What is kept


def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = replace(RESULT, claims=(FAST, INFORMATION, UNRESOLVED), failure="so", finished=False)

    write_result(written, tmp_path)

    assert read_results(tmp_path) == {"first": written}
    assert [path.name for path in tmp_path.iterdir()] == ["first.json"]


def test_a_result_says_where_and_when_and_with_what(bench: Bench) -> None:
    bench.run(one=claims(FAST))

    document = json.loads((bench.folder / "one.json").read_text(encoding="utf-8"))
    assert document["schema"] == "tui-eval/benchmark@1"
    assert document["about"] == "Made up.\n\nWith more to say."
    assert {"python", "tui-eval", "textual", "numpy", "faiss-cpu"} <= document["versions"].keys()
    assert document["machine"].keys() == {"processor", "cores", "memory_gb", "system"}
    assert document["date"].endswith("+00:00")
    assert document["load"] >= 0


def test_a_machine_has_no_name() -> None:
    assert this_machine().cores >= 1
    assert this_machine().memory_gb >= 1
    assert str(RESULT.machine) == "A processor, 2 cores, 8 GB of memory, Linux x86_64"


def test_a_package_that_is_missing_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.machine.PACKAGES", ("numpy", "no-such-package"))

    assert list(installed_versions()) == ["python", "numpy"]


# The page


def test_the_page_has_a_table_for_every_benchmark(tmp_path: Path) -> None:
    write_result(replace(RESULT, claims=(FAST, SLOW, INFORMATION, UNRESOLVED)), tmp_path)

    page = docs.performance_page(read_results(tmp_path), ["first", "second"])

    assert "Every number is a ratio in one run" in page
    assert "Machine: A processor, 2 cores, 8 GB of memory, Linux x86\\_64.\n" in page
    assert "Versions: python 3.11.9, numpy 2.0.\n" in page
    assert page.endswith(
        """
## first
What the first is about.

Measured 2026-01-02.

| claim | measured | goal | detail |
| --- | --- | --- | --- |
| ours / theirs | 0.50× | at most 1×, met | 1 s / 2 s |
| theirs / ours | 2.00× | at least 3×, MISSED | 2 s / 1 s |
| for information | 7.00× |  | 7 s / 1 s |
| growth | unresolved | at most 2.2× | too small |

## second
Not measured yet.
"""
    )


def test_the_page_tells_what_ended_early_and_what_comes_from_elsewhere() -> None:
    elsewhere = replace(
        RESULT, date="2026-01-01", machine=replace(RESULT.machine, cores=64), finished=False
    )
    failed = replace(RESULT, failure="OSError: a|b", finished=False, claims=())

    page = docs.performance_page({"old": elsewhere, "new": failed}, ["old", "new"])

    head, old, new = page.split("\n## ")
    assert "2 cores" in head and "64 cores" not in head
    assert "**Interrupted**" in old and "64 cores" in old
    assert "**Ended early**: OSError: a\\|b\n" in new and "cores" not in new


@pytest.mark.parametrize(
    ("load", "reported"), [(3.0, ""), (3.1, " on a busy machine (load 3.1 on 2 cores)")]
)
def test_the_page_tells_where_others_kept_the_machine_busy(load: float, reported: str) -> None:
    page = docs.performance_page({"first": replace(RESULT, load=load)}, ["first"])

    assert f"\nMeasured 2026-01-02{reported}.\n" in page


def test_the_page_is_written_from_a_folder(tmp_path: Path) -> None:
    write_result(replace(RESULT, benchmark="labels"), tmp_path)
    page = tmp_path / "performance.md"

    assert docs.main(tmp_path, page) == 0

    text = page.read_text(encoding="utf-8")
    assert "## labels\nWhat the first is about.\n" in text
    assert "## search\nNot measured yet.\n" in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "`make bench` measures them"),
        ("[]", "first.json is no result of a benchmark"),
        ("{", "first.json is no result of a benchmark"),
        ('{"schema": "other"}', "first.json is no result of a benchmark"),
        ('{"schema": "tui-eval/benchmark@1"}', "first.json is no result of a benchmark"),
    ],
)
def test_without_results_the_page_stays(
    content: str | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "performance.md"
    page.write_text("old")
    if content is not None:
        (tmp_path / "first.json").write_text(content)

    assert docs.main(tmp_path, page) == 1

    assert message in capsys.readouterr().err
    assert page.read_text() == "old"


def test_the_page_in_the_docs_has_every_benchmark() -> None:
    page = docs.PAGE.read_text(encoding="utf-8")

    headings = [line[3:] for line in page.splitlines() if line.startswith("## ")]

    assert headings == benchmark_names()


# Measuring


@pytest.mark.parametrize("growths", [(0, 0), (RESOLUTION, 0), (0, RESOLUTION), (4096, 8192)])
def test_growth_below_what_the_system_resolves_has_no_ratio(growths: tuple[int, int]) -> None:
    assert growth_ratio(*growths) is None


def test_labels_say_that_their_growth_is_too_small_to_tell() -> None:
    still = {"before": 300 * 2**20, "peak": 300 * 2**20, "seconds": 1.0}
    grown = still | {"peak": 410 * 2**20}

    claim = growth_claim(grown, still)

    assert (claim.measured, claim.verdict) == ("unresolved", "")
    assert claim.detail.startswith("110 MB / below what can be resolved (1 MB); ")
    assert growth_claim(grown, grown).ratio == 1.0


@pytest.mark.slow
def test_the_memory_of_the_runner_is_not_counted_as_a_benchmark_s() -> None:
    """A child has its parent's peak from the start, which hides all growth below it."""
    code = (
        "from benchmarks.bench_labels import _measured\n"
        "ballast = bytearray(600_000_000)\n"
        "ballast[::4096] = b'x' * len(ballast[::4096])\n"
        "print(_measured('ours', 2_000)['peak'] < 400_000_000)\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.stdout == "True\n", done.stderr


def test_contenders_take_turns_and_the_fastest_call_of_each_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, calls = [0.0], list[str]()
    monkeypatch.setattr("benchmarks.timing.perf_counter", lambda: clock[0])

    def contender(name: str, *taken: float) -> Callable[[], None]:
        times = iter(taken)

        def call() -> None:
            calls.append(name)
            clock[0] += next(times)

        return call

    best = best_in_turn(2, contender("a", 4, 2, 8, 16), contender("b", 1, 4, 8, 16), calls=2)

    assert best == [2, 1]
    assert "".join(calls) == "aabbaabb"
