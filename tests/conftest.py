"""Shared fixtures: a vocabulary of the field, and the embedded encoder for the whole session."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from engine.base.keyword import Keyword
from engine.text.encoder import SentenceEncoder
from engine.text.opening import open_encoder
from tests.examples import choose_profile

# ranx as plain Python: the same code without a minute of compilation in every process.
os.environ["NUMBA_DISABLE_JIT"] = "1"

ROOT = Path(__file__).resolve().parent.parent

# A shell starts what runs in the background deaf to these, and so is all that it starts in turn:
# no test of a signal would mean anything.
for _number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.SIG_DFL)

# Apps are made of many objects that live as long as they do: look through them less often.
gc.set_threshold(10_000, 10, 10)

VOCABULARY = {
    "object_type": (
        "small vehicle, large vehicle, bollard, stationary object, pedestrian, motorcyclist, "
        "bicyclist, other, unknown"
    ),
    "actor_behavior": (
        "entering ego path, stationary, traveling in same direction, "
        "traveling in opposite direction, straight crossing path, oncoming turn across path"
    ),
    "spatial_relation": (
        "corridor front, corridor behind, left adjacent, right adjacent, left adjacent front, "
        "left adjacent behind, right adjacent front, right adjacent behind, left split, "
        "right split, left split front, left split behind, right split front, right split behind"
    ),
    "ego_behavior": "ego turning, proceeding straight, ego lane change",
    "scene_type": (
        "test track, parking lot/depot, intersection, non-intersection, crosswalk, highway, "
        "urban, bridge/tunnel, curved road, positive road grade, negative road grade, "
        "street parked vehicle, vulnerable road user present, nighttime, daytime, rainy, sunny, "
        "overcast, other"
    ),
}


SLOW_FIXTURES = {"tui_eval", "snap_compare"}
"""Who asks for one of these starts a process, or the whole app."""

LONGEST = {
    "test_kill.py",
    "test_embedded.py",
    "test_encoder_process.py",
    "test_light.py",
    "test_fit.py",
    "test_gate_simulated.py",
    "test_fuzz_harness.py",
}
"""Files with tests that take many seconds; they come first."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick", action="store_true", help="leave out what is slow; try laws on few examples"
    )


def pytest_configure(config: pytest.Config) -> None:
    quick = config.getoption("quick")
    choose_profile(quick=quick)
    if quick:
        marks = config.option.markexpr
        config.option.markexpr = f"({marks}) and not slow" if marks else "not slow"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        # Of the tests of screens, who asks for the encoder asks it through the app.
        asks = not SLOW_FIXTURES.isdisjoint(fixtures)
        asks |= "/tui/" in item.nodeid and "encoder" in fixtures
        # Who starts an app runs a loop for it; a command is run as a whole, files and all.
        runs = hasattr(getattr(item, "module", None), "asyncio") or "/tui/cli/" in item.nodeid
        if asks or runs:
            item.add_marker("slow")
    # Whoever came last with one of these would be waited for by all other workers.
    items.sort(key=lambda item: item.path.name not in LONGEST)


def pytest_collection_finish() -> None:
    """What is imported stays until the end: no collection need look at all of it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def field_keywords() -> tuple[Keyword, ...]:
    """The keywords of the five groups as they are used in the field."""
    return tuple(
        Keyword(group, name) for group, names in VOCABULARY.items() for name in names.split(", ")
    )


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes the cache of the person who runs it.

    All workers share one: a text that one of them has encoded, no other need encode.
    """
    before = os.environ.get("TUI_EVAL_CACHE")
    run = tmp_path_factory.getbasetemp()
    whole_run = run.parent if "PYTEST_XDIST_WORKER" in os.environ else run
    os.environ["TUI_EVAL_CACHE"] = str(whole_run / "cache")
    yield
    if before is None:
        del os.environ["TUI_EVAL_CACHE"]
    else:
        os.environ["TUI_EVAL_CACHE"] = before


@pytest.fixture(scope="session", autouse=True)
def own_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes the sessions of the person who runs it, nor what they have taught."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TUI_EVAL_DATA", str(tmp_path_factory.mktemp("data")))
        patch.setenv("TUI_EVAL_CONFIG", str(tmp_path_factory.mktemp("config") / "config.toml"))
        yield


@pytest.fixture(scope="session")
def encoder(own_cache: None) -> Iterator[SentenceEncoder]:
    """The embedded model, loaded once."""
    with open_encoder() as shared:
        yield shared


PATIENCE = 300.0
"""Seconds after which a command will not end."""

CommandLine = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def tui_eval(own_cache: None, own_data: None) -> Iterator[CommandLine]:
    """Run `tui-eval` in a process of its own, without a terminal: forked from one that has imported
    it, or, with an environment of its own, which Python reads as it starts, as it is installed."""
    from tests.tui.forked import Host

    def run(
        *arguments: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        given = [str(argument) for argument in arguments]
        if env is None:
            return host.run(given, os.environ, cwd or Path.cwd(), PATIENCE)
        command = [str(Path(sys.executable).parent / "tui-eval"), *given]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=cwd, env=env
        )

    with Host(os.environ) as host:
        yield run
