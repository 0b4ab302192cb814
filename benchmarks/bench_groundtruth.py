"""Ground truth of a million clips: loading against pandas, and finding relevant clips."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.claim import Claim
from benchmarks.timing import best_in_turn, seconds

CLIPS = 1_000_000
GROUPS = ("object_type", "actor_behavior", "spatial_relation", "ego_behavior", "scene_type")
PER_GROUP = 12
ROUNDS, CALLS = 5, 40


def run() -> Iterator[Claim]:
    with tempfile.TemporaryDirectory() as folder:
        usual, varied = Path(folder, "usual.csv"), Path(folder, "varied.csv")
        write_usual(usual)
        write_varied(varied)
        yield _load("load 1,000,000 clips × 60 keywords in five groups", usual, 3.0)
        yield _load("load 1,000,000 clips, nearly every cell different", varied, 8.0)
        yield from _relevant(usual)


def write_usual(path: Path) -> None:
    """Five groups of twelve keywords, one to three of each group per clip, ids in no order."""
    random = np.random.default_rng(7)
    columns = [_random_cells(random, group) for group in GROUPS]
    ids = random.permutation(CLIPS).tolist()
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(["slice_id", *(f"pv_{group}" for group in GROUPS)]) + "\n")
        for number, *cells in zip(ids, *columns, strict=True):
            file.write(f"clip_{number:07d},{','.join(cells)}\n")


def _random_cells(random: np.random.Generator, group: str) -> list[str]:
    names = [f"{group.replace('_', ' ')} {number}" for number in range(PER_GROUP)]
    triples = [
        (a, b, c) for a in names for b in names for c in names if a != b and b != c and a != c
    ]
    cells = [f'"{", ".join(triple[:size])}"' for triple in triples for size in (1, 2, 3)]
    return np.array(cells, object)[random.integers(0, len(cells), CLIPS)].tolist()


def write_varied(path: Path) -> None:
    """One column of sixty keywords, eight per clip in random order."""
    random = np.random.default_rng(8)
    names = np.array([f"keyword number {number}" for number in range(60)], object)
    with path.open("w", encoding="utf-8") as file:
        file.write("slice_id,keywords\n")
        for start in range(0, CLIPS, 100_000):
            chosen = np.argsort(random.random((100_000, 60)), axis=1)[:, :8]
            for number, cell in enumerate(names[chosen].tolist(), start):
                file.write(f'clip_{number:07d},"{", ".join(cell)}"\n')


def _load(claim: str, path: Path, goal: float) -> Claim:
    import pandas as pd

    from engine.dataset.ground_truth import GroundTruth

    theirs, ours = best_in_turn(
        ROUNDS, lambda: pd.read_csv(path, engine="pyarrow"), lambda: GroundTruth.read(path)
    )
    detail = f"pandas.read_csv(engine=pyarrow) {theirs:.3f} s, GroundTruth.read {ours:.3f} s"
    return Claim(claim, ours / theirs, goal, "at most", detail)


def _relevant(path: Path) -> Iterator[Claim]:
    import pandas as pd

    from engine.dataset.clip_set import unpack_bits
    from engine.dataset.ground_truth import GroundTruth

    truth = GroundTruth.read(path)
    keywords = truth.words.keywords
    has = unpack_bits(truth.bits)[:, : len(keywords)]
    frame = pd.DataFrame({str(keyword): has[:, i].copy() for i, keyword in enumerate(keywords)})
    three = [keywords[0], keywords[PER_GROUP + 1], keywords[2 * PER_GROUP + 2]]
    a, b, c = map(str, three)
    first = seconds(lambda: truth.relevant(three).count)

    def pandas_rows() -> Any:
        return frame[frame[a] & frame[b] & frame[c]]

    def pandas_index() -> Any:
        return frame.index[frame[a] & frame[b] & frame[c]]

    ours = truth.relevant(three)
    if not len(pandas_rows()) == ours.count == len(ours.indices()):
        raise AssertionError("pandas and the engine disagree")
    in_turn = partial(best_in_turn, ROUNDS, calls=CALLS)
    once = f"bit columns built once in {first * 1e3:.0f} ms"
    rows, found = in_turn(pandas_rows, lambda: truth.relevant(three))
    yield _faster("relevant() of three keywords, against df[a & b & c]", rows, found, 50.0, once)
    rows, counted = in_turn(pandas_rows, lambda: truth.relevant(three).count)
    yield _faster("relevant().count, against df[a & b & c]", rows, counted, 25.0, "")
    index, listed = in_turn(pandas_index, lambda: truth.relevant(three).indices())
    yield _faster("relevant().indices(), against df[a & b & c]", rows, listed, 5.0, "")
    yield _faster("relevant().indices(), against df.index[a & b & c]", index, listed, 1.0, "")


def _faster(claim: str, theirs: float, ours: float, goal: float, note: str) -> Claim:
    detail = f"pandas {theirs * 1e6:.0f} µs, engine {ours * 1e6:.0f} µs"
    text = f"{detail}; {note}" if note else detail
    return Claim(claim, theirs / ours, goal, "at least", text)
