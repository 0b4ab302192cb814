"""An encoder whose process is stopped while it loads, for as long as a test wants it to."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.base.child_process import ChildProcess
from engine.dataset.dataset import Dataset
from engine.text.encoder_process import EncoderProcess
from engine.text.model_files import find_model_path
from tests.tui.inspector import sample

NAME = "all-MiniLM-L6-v2"


class HeldLoads:
    """The processes that were started to load an encoder; all of them stand still."""

    def __init__(self) -> None:
        self.started: list[ChildProcess] = []

    def kill(self) -> None:
        """The newest dies while it loads, as where memory runs out."""
        self.started[-1].kill()

    def is_loading(self) -> bool:
        """Whether the newest is there still, stopped as it was."""
        stat = Path(f"/proc/{self.started[-1].pid}/stat").read_text()
        return stat.rpartition(")")[2].split()[0] == "T"


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[HeldLoads]:
    """Every encoder process is stopped before it can have loaded anything."""
    loads, start = HeldLoads(), EncoderProcess._start

    def start_and_stop(encoder: EncoderProcess) -> None:
        start(encoder)
        assert encoder._child is not None
        os.kill(encoder._child.pid, signal.SIGSTOP)
        loads.started.append(encoder._child)

    monkeypatch.setattr(EncoderProcess, "_start", start_and_stop)
    yield loads
    for child in loads.started:  # of a test that failed: it could not end by itself
        child.kill()


@pytest.fixture
def own_encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Dataset:
    """The sample, whose first model names an encoder of its own; nothing is encoded yet."""
    monkeypatch.setenv("TUI_EVAL_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / NAME
    folder.symlink_to(find_model_path("embedded"))
    opened = sample()
    first = replace(opened.model("alfa-0.1"), encoder=str(folder))
    return replace(opened, models={**opened.models, "alfa-0.1": first})
