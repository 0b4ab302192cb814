"""Every command, and the inspector, where nothing may open a socket of the internet."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.terminal import ENTER, environment
from engine.base.child_process import PASSED_ON as CHILDREN_GET
from engine.base.child_process import make_environment as make_child_environment
from engine.sessions import SessionStore
from tests.conftest import PATIENCE
from tests.faults.inject import prepare_outputs
from tests.faults.recipes import list_recipes
from tests.faults.world import build_world
from tests.offline.forbidden_sockets import make_environment, read_attempts
from tests.tui.forked import Host

pytestmark = pytest.mark.slow

CLIP = "urban_bicyclist_0002"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("offline").resolve()


@pytest.fixture(scope="module")
def variables(folder: Path) -> dict[str, str]:
    return environment(folder, **make_environment(folder))


@pytest.fixture(scope="module")
def host(variables: dict[str, str]) -> Iterator[Host]:
    with Host(variables) as host:
        yield host


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
    assert len(read_attempts(tmp_path).splitlines()) >= len(attempts)


def test_an_attempt_of_a_child_with_few_variables_is_written_down_too(tmp_path: Path) -> None:
    variables = make_child_environment(make_environment(tmp_path), CHILDREN_GET)
    code = "import socket; socket.socket(socket.AF_INET)"

    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, check=False, env=variables
    )

    assert done.returncode != 0
    assert "socket.__new__" in read_attempts(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel is asked there only")
def test_a_library_that_asks_the_kernel_is_ended(tmp_path: Path) -> None:
    variables = environment(tmp_path, **make_environment(tmp_path))
    code = "import ctypes; ctypes.CDLL(None).socket(2, 1, 0)"

    done = subprocess.run([sys.executable, "-c", code], check=False, env=variables)

    assert done.returncode == -signal.SIGSYS


def test_every_command_does_without(
    host: Host, folder: Path, variables: dict[str, str], tmp_path: Path
) -> None:
    world = build_world(tmp_path.resolve())
    for recipe in list_recipes(world):
        if recipe.writer is None:
            outputs = prepare_outputs(recipe, world)
            given = [*recipe.command.split(), *recipe.arguments, *outputs]
            done = host.run(given, {**variables, **world.variables}, world.out, PATIENCE)
            assert done.returncode == 0, (recipe.name, done.stderr)

    assert read_attempts(folder) == ""


def test_the_inspector_does_without(host: Host, folder: Path, variables: dict[str, str]) -> None:
    with host.start(["inspect", "--video", CLIP], variables) as terminal:
        terminal.wait_for(CLIP)
        terminal.wait_for(lambda: "urban" in terminal.pane("Results"))
        terminal.send("+")
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
    assert read_attempts(folder) == ""
