"""A child gets little, says nothing to the terminal, and never outlives its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine
from engine.base.channel import Patience
from engine.base.child_process import ChildProcess, make_environment

MODULE = "tests.engine.base.children_by_hand"


@pytest.fixture
def child() -> Iterator[ChildProcess]:
    started = ChildProcess(MODULE)
    yield started
    started.close()


def ask(child: ChildProcess, **request: object) -> object:
    child.channel.send(request)
    answer = child.channel.receive(most_payload=100)
    return None if answer is None else answer.header


def lives(pid: int) -> bool:
    """Whether there is such a process, and it is no zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def assert_ends(pid: int, within: float = 1.0) -> None:
    end = time.monotonic() + within
    while lives(pid):
        assert time.monotonic() < end, "the child outlives its parent"
        time.sleep(0.005)


def test_the_child_looks_for_the_package_where_its_parent_found_it() -> None:
    root = make_environment({"PYTHONPATH": "/else"}, ["PYTHONPATH"])["PYTHONPATH"]

    first, second = root.split(os.pathsep)
    assert Path(first) / "engine" / "__init__.py" == Path(engine.__file__)
    assert second == "/else"


def test_a_child_gets_no_open_file_and_few_variables(
    child: ChildProcess, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    with (tmp_path / "a").open("w") as opened:
        os.set_inheritable(opened.fileno(), True)
        second = ChildProcess(MODULE, variables={"MORE": "1"}, passed_on=["SECRET_NOTHING"])
    try:
        found = ask(second, do="describe")
    finally:
        second.close()

    assert isinstance(found, dict)
    assert "SECRET_TOKEN" not in found["variables"] and "MORE" in found["variables"]
    assert len(found["files"]) <= 5, "stdin, stdout, stderr, the channel, and the folder listed"


def test_a_child_reads_the_file_that_it_is_handed(child: ChildProcess, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("text")
    with (tmp_path / "a").open() as opened:
        child.channel.send({"do": "read"}, file=opened.fileno())

    answer = child.channel.receive(most_payload=4)
    assert answer is not None and answer.payload == b"text"


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("SIGSEGV", "segmentation fault"),
        ("SIGKILL", "killed"),
        ("SIGXCPU", "cpu time limit exceeded"),
    ],
)
def test_why_a_child_ended_is_said_in_words(child: ChildProcess, what: str, why: str) -> None:
    assert ask(child, do=what) is None
    assert child.describe_end() == why


def test_the_last_word_of_a_child_is_quoted_and_can_do_no_harm(
    child: ChildProcess, capfd: pytest.CaptureFixture[str]
) -> None:
    assert ask(child, do="say", times=100_000) is None, "a megabyte of warnings stops nobody"

    assert child.describe_end() == "the \\x1b[31mlast\\x07 word"
    assert capfd.readouterr() == ("", "")


def test_a_child_that_hangs_is_given_up_and_leaves_no_zombie(child: ChildProcess) -> None:
    child.channel.send({"do": "hang"})
    with pytest.raises(TimeoutError):
        child.channel.receive(patience=Patience.of(0.05))
    child.close()

    assert not Path(f"/proc/{child.pid}").exists()


def test_a_child_outlives_the_thread_that_asked_for_it() -> None:
    """Linux would kill it with the thread that has started it."""
    made: list[ChildProcess] = []
    thread = threading.Thread(target=lambda: made.append(ChildProcess(MODULE)))
    thread.start()
    thread.join()

    assert ask(made[0], do="echo") == {"do": "echo"}
    made[0].close()


PARENT = """
import sys, time
from engine.base import child_main, child_process
child = child_process.ChildProcess({module!r}, {arguments!r})
if {answered}:
    child.channel.send({{"do": "echo"}})
    child.channel.receive()
print(child.pid, flush=True)
{then}
"""


def start_parent(
    *arguments: str, answered: bool = False, then: str = "time.sleep(60)"
) -> tuple[subprocess.Popen[str], int]:
    """A process with a child, and the child's id."""
    code = PARENT.format(module=MODULE, arguments=arguments, answered=answered, then=then)
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    return parent, int(parent.stdout.readline())


@pytest.mark.parametrize("after", [0, 0.01, 0.03, 0.1, 0.3, 1.0])
def test_a_child_whose_parent_is_killed_ends_at_once_also_while_it_starts(after: float) -> None:
    parent, child = start_parent("import forever")
    time.sleep(after)  # the moment at which the parent dies
    parent.kill()
    parent.wait()

    assert_ends(child)


def test_a_child_at_work_ends_with_its_parent() -> None:
    parent, child = start_parent(answered=True)
    parent.kill()
    parent.wait()

    assert_ends(child)


@pytest.mark.parametrize(
    "then", ["", "1 / 0", "import os; os._exit(0)", "import os, signal; os.abort()"]
)
def test_a_child_ends_with_its_parent_however_that_ends(then: str) -> None:
    parent, child = start_parent(answered=True, then=f"sys.stderr.close()\n{then}")
    parent.wait()

    assert_ends(child)


def test_a_forked_process_leaves_the_child_alone() -> None:
    then = (
        "import os\n"
        "if os.fork() == 0:\n    sys.exit()\n"
        "os.wait()\n"
        "child.channel.send({'do': 'echo'})\n"
        "print(child.channel.receive().header, flush=True)"
    )
    parent, _ = start_parent(answered=True, then=then)

    assert parent.communicate()[0] == "{'do': 'echo'}\n"


ELSEWHERE = """
import sys
from engine.base import child_main
child_main._is_killed_with_parent = lambda: False
child_main.main()
"""


def test_where_the_system_does_not_kill_it_a_child_sees_its_parent_go(tmp_path: Path) -> None:
    """As on macOS; here the child is started by hand."""
    then = (
        "import os, socket, subprocess\n"
        "ours, theirs = socket.socketpair()\n"
        f"arguments = [str(os.getpid()), {MODULE!r}, 'import forever']\n"
        f"other = subprocess.Popen([sys.executable, '-c', {ELSEWHERE!r}, *arguments], "
        "stdin=theirs)\n"
        "theirs.close()\n"
        "print(other.pid, flush=True)\n"
        "time.sleep(60)"
    )
    parent, _ = start_parent(then=then)
    assert parent.stdout is not None
    other = int(parent.stdout.readline())
    time.sleep(0.3)  # until it is in the middle of its import
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()

    assert_ends(other)
