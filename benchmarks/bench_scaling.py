"""Commands on datasets of many keywords, models, groups and phrases: four times as many against a
quarter of them, both without what an empty dataset takes; and against a plain pass over the same
annotations. What grows as the data does is near 4; with its square it would be 16."""

from __future__ import annotations

import contextlib
import csv
import io
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.claim import Claim
from benchmarks.timing import best_in_turn

ROUNDS = 3
DIMENSION = 8


@dataclass(frozen=True)
class Shape:
    """A dataset by its numbers; every clip has two keywords of one group."""

    clips: int = 50
    keywords: int = 20
    groups: int = 1
    models: int = 1
    phrases: int = 0


SMALLEST = Shape()


@dataclass(frozen=True)
class Growth:
    """A command, and a dataset that grows to four times of something."""

    command: str
    what: str
    make: Callable[[int], Shape]
    quarter: int


GROWTHS = (
    Growth("summary", "keywords", lambda n: Shape(20_000, n), 5_000),
    Growth("summary", "keywords in 500 groups", lambda n: Shape(20_000, n, 500), 5_000),
    Growth("summary", "models", lambda n: Shape(models=n), 250),
    Growth("validate", "keywords", lambda n: Shape(20_000, n), 5_000),
    Growth("validate", "models", lambda n: Shape(models=n), 250),
    Growth("validate", "groups", lambda n: Shape(2_000, 2 * n, n), 250),
    Growth("validate", "phrases of 2,000 keywords", lambda n: Shape(2_000, 2_000, 5, 1, n), 10_000),
)


def run() -> Iterator[Claim]:
    for growth in GROWTHS:
        with tempfile.TemporaryDirectory() as folder:
            yield _measure(growth, Path(folder))


def _measure(growth: Growth, folder: Path) -> Claim:
    least, quarter, whole = (
        write_dataset(folder / name, shape)
        for name, shape in (
            ("least", SMALLEST),
            ("quarter", growth.make(growth.quarter)),
            ("whole", growth.make(4 * growth.quarter)),
        )
    )
    nothing, few, many, plain = best_in_turn(
        ROUNDS,
        lambda: _run(growth.command, least),
        lambda: _run(growth.command, quarter),
        lambda: _run(growth.command, whole),
        lambda: _pass_over(whole),
    )
    grown = max(many - nothing, 0.0) / max(few - nothing, 1e-9)
    return Claim(
        f"{growth.command}: {4 * growth.quarter:,} {growth.what} / {growth.quarter:,}",
        grown,
        6.0,
        "at most",
        f"{many:.2f} s / {few:.2f} s, {nothing:.2f} s of each for an empty dataset; a plain pass "
        f"over the larger annotations {plain:.3f} s",
    )


def write_dataset(folder: Path, shape: Shape) -> Path:
    """The dataset of a shape; keyword n is in group n % groups, and clips have them in turn."""
    folder.mkdir()
    rng = np.random.default_rng(9)
    groups = [f"g{n}" for n in range(shape.groups)]
    with (folder / "clips.csv").open("w", encoding="utf-8") as file:
        file.write(",".join(["slice_id", *groups]) + "\n")
        for clip in range(shape.clips):
            one, cells = clip % shape.keywords, [""] * shape.groups
            other = (one + shape.groups) % shape.keywords
            cells[one % shape.groups] = f'"word{one}x, word{other}x"'
            file.write(f"c{clip},{','.join(cells)}\n")
    (folder / "ids.txt").write_text("".join(f"c{n}\n" for n in range(shape.clips)))
    settings = ['annotations = "clips.csv"', f"group_columns = {groups}", 'groups = ["g0"]']
    for model in range(shape.models):
        vectors = rng.standard_normal((shape.clips, DIMENSION)).astype(np.float32)
        np.save(folder / f"m{model}.npy", vectors)
        settings += [f"[models.m{model}]", f'embeddings = "m{model}.npy"', 'ids = "ids.txt"']
    if shape.phrases:
        settings += ["[synonyms]", *_phrases(shape)]
    (folder / "dataset.toml").write_text("\n".join(settings) + "\n", encoding="utf-8")
    return folder


def _phrases(shape: Shape) -> Iterator[str]:
    for keyword in range(shape.keywords):
        own = [f"phrase{n}x" for n in range(keyword, shape.phrases, shape.keywords)]
        yield f"word{keyword}x = {own}"


def _run(command: str, folder: Path) -> None:
    from tui.cli.app import run_command_line

    with contextlib.redirect_stdout(io.StringIO()):
        if run_command_line([command, str(folder)]) != 0:
            raise AssertionError(f"{command} failed")


def _pass_over(folder: Path) -> int:
    with (folder / "clips.csv").open(encoding="utf-8", newline="") as file:
        return sum(len(row) for row in csv.reader(file))
