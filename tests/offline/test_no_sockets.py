"""The whole flow on the sample dataset, where nothing may open a socket of the internet."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.terminal import ENTER, environment
from engine.sessions import SessionStore
from tests.conftest import PATIENCE, ROOT
from tests.offline.forbidden_sockets import make_environment, read_attempts
from tests.tui.forked import Host

pytestmark = pytest.mark.slow

SAMPLE = ROOT / "sample_data"
CLIP = "urban_bicyclist_0002"

Run = Callable[..., str]


@pytest.fixture(scope="module")
def variables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("offline")
    return environment(folder, **make_environment(folder))


@pytest.fixture(scope="module")
def host(variables: dict[str, str]) -> Iterator[Host]:
    with Host(variables) as host:
        yield host


@pytest.fixture
def run(host: Host, variables: dict[str, str], tmp_path: Path) -> Run:
    """A command in an empty folder; it must succeed."""

    def run(*arguments: str | Path) -> str:
        given = [str(argument) for argument in arguments]
        done = host.run(given, variables, tmp_path, PATIENCE)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


ATTEMPTS = """
socket.socket(socket.AF_INET)
socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
socket.create_connection(("127.0.0.1", 9))
socket.getaddrinfo("example.org", 443)
socket.gethostbyname("example.org")
urllib.request.urlopen("https://example.org")
"""


def test_an_attempt_of_a_child_is_refused_and_written_down(tmp_path: Path) -> None:
    variables = environment(tmp_path, **make_environment(tmp_path))
    attempts = ATTEMPTS.strip().splitlines()
    code = "import asyncio, json, socket, subprocess, sys, urllib.request\n"
    code += "asyncio.run(asyncio.sleep(0))\n"  # a loop has a pair of sockets within the machine
    tried = "".join(f"try: {one}\nexcept OSError: print('refused')\n" for one in attempts)
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code + tried!r}])"

    done = subprocess.run(
        [sys.executable, "-c", outer], capture_output=True, text=True, check=True, env=variables
    )

    assert done.stdout.split() == ["refused"] * len(attempts), done.stderr
    assert len(read_attempts(variables).splitlines()) >= len(attempts)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel is asked there only")
def test_a_library_that_asks_the_kernel_is_ended(tmp_path: Path) -> None:
    variables = environment(tmp_path, **make_environment(tmp_path))
    code = "import ctypes; ctypes.CDLL(None).socket(2, 1, 0)"

    done = subprocess.run([sys.executable, "-c", code], check=False, env=variables)

    assert done.returncode == -signal.SIGSYS


def test_every_command_does_without(run: Run, variables: dict[str, str], tmp_path: Path) -> None:
    labels, moments = SAMPLE / "labels", SAMPLE / "moments"
    vectors = labels / "video_emb.npy"

    assert json.loads(run("search", "a person crossing the street", "--json"))["results"]
    run("search", "--video", CLIP)
    run("map", "a biker cutting into our lane")
    for name, model in (("a", "alfa-0.1"), ("b", "alfa-0.2")):
        run("run", "--mode", "video", "--model", model, "--out", f"{name}.json")
    run("report", "a.json", "--out", "report.html")
    run("compare", "a.json", "b.json", "--resamples", "100")
    run("gate", "a.json", "--baseline", "a.json")
    run("score", "--query-embeddings", vectors, "--item-embeddings", vectors, "--diagonal")
    run("labels")
    run("moments", moments / "submission.json", "--gt", moments / "ground_truth.jsonl")
    run("validate", SAMPLE)
    run("summary")
    run("sessions", "list")
    run("keys")

    assert {file.name for file in tmp_path.iterdir()} == {"a.json", "b.json", "report.html"}
    assert read_attempts(variables) == ""


def test_the_inspector_does_without(host: Host, variables: dict[str, str], run: Run) -> None:
    with host.start(["inspect", "--video", CLIP], variables) as terminal:
        terminal.wait_for(CLIP)
        terminal.wait_for(lambda: "urban" in terminal.pane("Results"))
        terminal.send("r")
        terminal.wait_for("✓")
        terminal.send("/")
        terminal.wait_for("enter Search")
        terminal.send("a person crossing the street" + ENTER)
        terminal.wait_for("straight crossing path")
        terminal.send("q")
        terminal.wait_for(lambda: terminal.process.poll() is not None)

    with SessionStore(Path(variables["TUI_EVAL_DATA"]) / "sessions.db") as store:
        [summary] = store.summaries()
    assert summary.last_query == "a person crossing the street"
    assert "a person crossing the street" in run("sessions", "list")
    assert read_attempts(variables) == ""
