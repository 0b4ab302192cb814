"""Ground truth of a million clips: loading against pandas, and finding relevant clips."""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

CLIPS = 1_000_000
GROUPS = ("object_type", "actor_behavior", "spatial_relation", "ego_behavior", "scene_type")
PER_GROUP = 12
ROUNDS = 5

Claim = tuple[str, float, float, str, str]


def run() -> list[Claim]:
    """Each claim as (what, ratio, goal, "at least" or "at most", the measured times)."""
    with tempfile.TemporaryDirectory() as folder:
        usual, varied = Path(folder, "usual.csv"), Path(folder, "varied.csv")
        write_usual(usual)
        write_varied(varied)
        return [
            _load("load 1,000,000 clips × 60 keywords in five groups", usual, 3.0),
            _load("load 1,000,000 clips, nearly every cell different", varied, 8.0),
            *_relevant(usual),
        ]


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

    theirs, ours = _best_in_turn(
        lambda: pd.read_csv(path, engine="pyarrow"), lambda: GroundTruth.read(path)
    )
    detail = f"pandas.read_csv(engine=pyarrow) {theirs:.3f} s, GroundTruth.read {ours:.3f} s"
    return claim, ours / theirs, goal, "at most", detail


def _relevant(path: Path) -> list[Claim]:
    import pandas as pd

    from engine.dataset.clip_set import unpack
    from engine.dataset.ground_truth import GroundTruth

    truth = GroundTruth.read(path)
    keywords = truth.vocabulary()
    has = unpack(truth.bits)[:, : len(keywords)]
    frame = pd.DataFrame({str(keyword): has[:, i].copy() for i, keyword in enumerate(keywords)})
    three = [keywords[0], keywords[PER_GROUP + 1], keywords[2 * PER_GROUP + 2]]
    a, b, c = map(str, three)
    first = time.perf_counter()
    expected = truth.relevant(three).count
    first = time.perf_counter() - first

    def pandas_rows() -> Any:
        return frame[frame[a] & frame[b] & frame[c]]

    def pandas_index() -> Any:
        return frame.index[frame[a] & frame[b] & frame[c]]

    if not len(pandas_rows()) == expected == len(truth.relevant(three).indices()):
        raise AssertionError("pandas and the engine disagree")
    rows, found = _best_in_turn(pandas_rows, lambda: truth.relevant(three), 40)
    rows, counted = _best_in_turn(pandas_rows, lambda: truth.relevant(three).count, 40)
    index, listed = _best_in_turn(pandas_index, lambda: truth.relevant(three).indices(), 40)
    once = f"bit columns built once in {first * 1e3:.0f} ms"
    return [
        _faster("relevant() of three keywords, against df[a & b & c]", rows, found, 50.0, once),
        _faster("relevant().count, against df[a & b & c]", rows, counted, 25.0, ""),
        _faster("relevant().indices(), against df[a & b & c]", rows, listed, 5.0, ""),
        _faster("relevant().indices(), against df.index[a & b & c]", index, listed, 1.0, ""),
    ]


def _faster(claim: str, theirs: float, ours: float, goal: float, note: str) -> Claim:
    detail = f"pandas {theirs * 1e6:.0f} µs, engine {ours * 1e6:.0f} µs"
    return claim, theirs / ours, goal, "at least", f"{detail}; {note}" if note else detail


def _best_in_turn(
    theirs: Callable[[], object], ours: Callable[[], object], calls: int = 1
) -> tuple[float, float]:
    """Best time of each, in alternating rounds of calls so that a busy machine slows both."""
    gc.collect()
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for which, call in enumerate((theirs, ours)):
            for _ in range(calls):
                start = time.perf_counter()
                result = call()
                best[which] = min(best[which], time.perf_counter() - start)
                del result
    return best[0], best[1]


if __name__ == "__main__":
    for claim, ratio, goal, direction, detail in run():
        print(f"{claim}: {ratio:.2f}× ({direction} {goal:g}×) — {detail}")
