"""Many models in one dataset: what they share is read once, and few files are open at a time."""

from __future__ import annotations

import io
import itertools
import re
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.base.progress import Step
from engine.dataset import collection
from engine.keywords.workbench import Workbench
from engine.text.mapping.mapper import Mapper
from tests.tui.cli.command_lines import printed_by
from tui.cli.shared.console import make_progress_bars

CLIPS = 6


def write_dataset(folder: Path, files: dict[str, str]) -> str:
    """A dataset of these models, each with the name of its file; texts ask without keywords."""
    rng = np.random.default_rng(5)
    kinds = ["car", "bus", "tram"]
    lines = [f"c{n},{kinds[n % 3]}" for n in range(CLIPS)]
    (folder / "clips.csv").write_text("\n".join(["slice_id,keywords", *lines]) + "\n")
    (folder / "ids.txt").write_text("".join(f"c{n}\n" for n in range(CLIPS)))
    (folder / "queries.txt").write_text("a car\nsome bus\n")
    for file in dict.fromkeys(files.values()):
        np.save(folder / file, rng.standard_normal((CLIPS, 384)).astype(np.float32))
    settings = ['annotations = "clips.csv"', 'queries = "queries.txt"']
    for name, file in files.items():
        settings += [f"[models.{name}]", f'embeddings = "{file}"', 'ids = "ids.txt"']
    (folder / "dataset.toml").write_text("\n".join(settings) + "\n")
    return str(folder)


def test_a_summary_maps_texts_once_reads_a_shared_file_once_and_keeps_no_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mapped, read, held = [], [], []
    map_batch, read_embeddings, opens = (
        Mapper.map_batch,
        collection.read_embeddings,
        Workbench._open_collection,
    )

    def counted_map(self: Mapper, texts: Any, *more: Any) -> Any:
        mapped.append(len(texts))
        return map_batch(self, texts, *more)

    def counted_read(path: Path, **more: Any) -> Any:
        read.append(path.name)
        return read_embeddings(path, **more)

    def counted_open(self: Workbench, model: str) -> Any:
        held.append(len(self.opened))
        return opens(self, model)

    monkeypatch.setattr(Mapper, "map_batch", counted_map)
    monkeypatch.setattr(collection, "read_embeddings", counted_read)
    monkeypatch.setattr(Workbench, "_open_collection", counted_open)
    files = {"one": "a.npy", "two": "b.npy", "three": "a.npy", "four": "c.npy"}

    table = printed_by("summary", capsys)(write_dataset(tmp_path, files))

    assert mapped == [2]
    assert sorted(read) == ["a.npy", "b.npy", "c.npy"]
    assert max(held) == 1  # what the third shares with the first
    rows = [line.split() for line in table.splitlines() if " to video " in line]
    assert [row[0] for row in rows if row[1] == "text"] == list(files)
    of_model = {(row[0], row[1]): row[4:] for row in rows}
    assert of_model["one", "video"] == of_model["three", "video"]


@pytest.fixture
def few_descriptors() -> Iterator[None]:
    """Room for thirty more files than are open now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = {int(entry.name) for entry in Path("/dev/fd").iterdir()}
    free = (number for number in itertools.count() if number not in taken)
    resource.setrlimit(resource.RLIMIT_NOFILE, (next(itertools.islice(free, 30, None)), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("few_descriptors")
@pytest.mark.parametrize("format", ["table", "json"])
def test_more_models_can_be_checked_than_files_be_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], format: str
) -> None:
    folder = write_dataset(tmp_path, {f"m{n}": f"m{n}.npy" for n in range(60)})

    found = printed_by("validate", capsys)(folder, "--format", format)

    assert "model m59" in found
    assert ("embeddings of m59" in found) == (format == "json")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bars_of_many_models_are_as_many_as_those_of_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def count_lines(models: int) -> int:
        screen = Terminal()
        monkeypatch.setattr(sys, "stderr", screen)
        with make_progress_bars() as report:
            for model in range(models):
                report(Step("video", "evaluating", 10, 10))
                report(Step("", "models", model + 1, models))
                report(Step("video", "evaluating", 5, 10))
        # What is drawn is gone over line by line before it is drawn anew.
        erased = re.findall(r"(?:\x1b\[1A\x1b\[2K)+", screen.getvalue())
        return max(run.count("A") for run in erased)

    monkeypatch.setenv("TERM", "xterm")

    assert 0 < count_lines(40) <= count_lines(1)


def test_nothing_is_drawn_where_stderr_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with make_progress_bars() as report:
        report(Step("", "models", 1, 2))

    assert capsys.readouterr().err == ""
