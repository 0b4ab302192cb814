"""Label Score@K of two modalities in four directions, against a full argsort in numpy.

Each side runs in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.claim import Claim
from benchmarks.memory import growth_ratio, growth_text, peak_resident
from benchmarks.process import measured

Arrays = tuple[Any, Any, Any]

ITEMS, DIMENSION, LABELS = 20_000, 384, 20
KS = (10, 50, 100)
DIRECTIONS = ("text2sensor", "sensor2text", "sensor2sensor", "text2text")


def run() -> Iterator[Claim]:
    ours, theirs = _measured("ours", ITEMS), _measured("argsort", ITEMS)
    setting = f"{ITEMS:,} × {DIMENSION}, four directions, K = {', '.join(map(str, KS))}"
    apart = max(
        abs(ours["scores"][name][str(k)] - theirs["scores"][name][str(k)])
        for name in DIRECTIONS
        for k in KS
    )
    yield Claim(
        "label scores: full argsort in numpy / ours",
        theirs["seconds"] / ours["seconds"],
        5.0,
        "at least",
        f"{setting}: {theirs['seconds']:.1f} s / {ours['seconds']:.1f} s, "
        f"means differ by {apart:.1e} at most (float32 sums)",
    )
    yield Claim(
        "peak memory of the process: ours / full argsort",
        ours["peak"] / theirs["peak"],
        0.25,
        "at most",
        f"{ours['peak'] / 2**20:.0f} MB / {theirs['peak'] / 2**20:.0f} MB",
    )
    half = _measured("ours", ITEMS // 2)
    yield growth_claim(ours, half)
    captions = _measured("ours", ITEMS, "captions")
    yield Claim(
        f"where texts are the {LABELS} labels' own (many copies): ours / ours, all different",
        captions["seconds"] / ours["seconds"],
        1.0,
        "at most",
        f"{captions['seconds']:.1f} s / {ours['seconds']:.1f} s",
    )


def growth_claim(whole: dict[str, Any], half: dict[str, Any]) -> Claim:
    beyond = [one["peak"] - one["before"] for one in (whole, half)]
    return Claim(
        "memory beyond the embeddings: N / half of N",
        growth_ratio(*beyond),
        2.2,
        "at most",
        f"{' / '.join(map(growth_text, beyond))}; N² would be 4×; time "
        f"{whole['seconds'] / half['seconds']:.1f}×",
    )


def _measured(side: str, items: int, kind: str = "different") -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.bench_labels", side, str(items), kind]
    found: dict[str, Any] = json.loads(measured(command).printed)
    return found


def _arrays(items: int, kind: str) -> Arrays:
    rng = np.random.default_rng(3)
    labels = rng.integers(0, LABELS, items)
    centres = rng.standard_normal((LABELS, DIMENSION)).astype(np.float32)

    def modality() -> Any:
        noise = rng.standard_normal((items, DIMENSION), dtype=np.float32)
        return 0.2 * centres[labels] + noise

    text = centres[labels] if kind == "captions" else modality()
    return modality(), text, labels


def _ours(sensor: Any, text: Any, labels: Any) -> dict[str, dict[int, float]]:
    from engine.labels import compute_label_recall_at_k

    return compute_label_recall_at_k(sensor, text, labels, KS, DIRECTIONS)


def _argsort(sensor: Any, text: Any, labels: Any) -> dict[str, dict[int, float]]:
    """As one would write it: all similarities, everything sorted."""
    unit = {
        name: rows / np.linalg.norm(rows, axis=1, keepdims=True)
        for name, rows in (("sensor", sensor), ("text", text))
    }
    results = {}
    for name in DIRECTIONS:
        asked, found = name.split("2")
        similarity = unit[asked] @ unit[found].T
        if asked == found:
            np.fill_diagonal(similarity, -np.inf)
        order = np.argsort(-similarity, axis=1)
        results[name] = {
            k: float((labels[order[:, :k]] == labels[:, None]).mean(axis=1).mean()) for k in KS
        }
    return results


def _main(side: str, items: int, kind: str) -> None:
    sensor, text, labels = _arrays(items, kind)
    work = {"ours": _ours, "argsort": _argsort}[side]
    work(sensor[:64], text[:64], labels[:64])  # imports are not what is measured
    before, begun = peak_resident(), time.perf_counter()
    scores = work(sensor, text, labels)
    seconds = time.perf_counter() - begun
    document = {"seconds": seconds, "before": before, "peak": peak_resident(), "scores": scores}
    print(json.dumps(document))


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
