"""Triage of 100,000 clips of 384 dimensions with 5,000 queries, texts and clips, all analyses:
against the exact search of those queries alone, in the same process, and its peak memory."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.claim import Claim
from benchmarks.memory import peak_resident
from benchmarks.process import measured
from engine.base.arrays import AnyFloats
from engine.base.progress import Step

CLIPS = 100_000
DIMENSION = 384
QUERIES = 5_000
PER_SOURCE = 4
GROUPS = {"object_type": 8, "actor_behavior": 12, "scene_type": 10}
DEPTH = 50
MEMORY = 3_000


def run() -> Iterator[Claim]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_clips(folder)
        done = measured([sys.executable, "-m", "benchmarks.bench_triage", str(folder)])
        took = json.loads(done.printed)
    slowest = ", ".join(
        f"{analysis} {seconds:.1f} s"
        for analysis, seconds in sorted(took["analyses"].items(), key=lambda one: -one[1])[:5]
    )
    yield Claim(
        "triage, all analyses / the search alone",
        took["triage"] / took["search"],
        10,
        "at most",
        f"{took['triage']:.1f} s / {took['search']:.1f} s; {CLIPS:,} × {DIMENSION}, {QUERIES:,} "
        f"queries; slowest: {slowest}",
    )
    yield Claim(
        "triage: peak memory / 3 GB",
        done.megabytes / MEMORY,
        1,
        "at most",
        f"{done.megabytes:,.0f} MB, the files' {CLIPS * DIMENSION * 4 / 1e6:.0f} MB of vectors and "
        "those of the second model included",
    )


def write_clips(folder: Path) -> None:
    """Clips of sources, with a keyword of each group; two models, of which one is blind to
    behavior; texts, half of the queries, with vectors of their own."""
    rng = np.random.default_rng(11)
    numbers = {group: rng.integers(0, size, CLIPS) for group, size in GROUPS.items()}
    directions = {group: _units(rng, size) for group, size in GROUPS.items()}
    look = _units(rng, 40)[rng.integers(0, 40, CLIPS // PER_SOURCE)].repeat(PER_SOURCE, axis=0)
    ids = [f"c{row:06d}" for row in range(CLIPS)]
    lines = ["slice_id,video_path," + ",".join(f"pv_{group}" for group in GROUPS)]
    for row, clip in enumerate(ids):
        cells = ",".join(f"{group} {numbers[group][row]}" for group in GROUPS)
        lines.append(f"{clip},v{row // PER_SOURCE}.mp4,{cells}")
    (folder / "clips.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "ids.txt").write_text("\n".join(ids) + "\n", encoding="utf-8")
    for model, weight in (("blind", 0.2), ("seeing", 1.0)):
        vectors = 1.2 * look + 1.2 * _units(rng, CLIPS)
        for group, which in numbers.items():
            scale = weight if group == "actor_behavior" else 1.0
            vectors += scale * directions[group][which]
        np.save(folder / f"{model}.npy", vectors.astype(np.float32))
    texts: list[str] = []
    asked: list[AnyFloats] = []
    for number in range(QUERIES // 2):
        chosen = {group: int(rng.integers(size)) for group, size in GROUPS.items()}
        words = ", ".join(f"{group} {which}" for group, which in chosen.items())
        texts.append(f'"query {number}: {words}","{words}"')
        parts = [directions[group][which] for group, which in chosen.items()]
        asked.append(np.stack(parts).sum(axis=0) + 0.3 * _units(rng, 1)[0])
    (folder / "queries.csv").write_text("query,keywords\n" + "\n".join(texts) + "\n")
    names = [text.split('","')[0].removeprefix('"') for text in texts]
    vectors_of_texts = np.stack(asked).astype(np.float32)
    np.savez(folder / "texts.npz", queries=np.array(names), embeddings=vectors_of_texts)
    settings = [
        'annotations = "clips.csv"',
        'queries = "queries.csv"',
        *(
            line
            for model in ("blind", "seeing")
            for line in (
                f"[models.{model}]",
                f'embeddings = "{model}.npy"',
                'ids = "ids.txt"',
                'query_vectors = "texts.npz"',
            )
        ),
    ]
    (folder / "dataset.toml").write_text("\n".join(settings) + "\n", encoding="utf-8")


def _units(
    rng: np.random.Generator, rows: int
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    found = rng.standard_normal((rows, DIMENSION), np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def _carry_out(folder: Path) -> None:
    """The search alone, then the whole triage, and how long each analysis took."""
    from engine.dataset.settings_file import open_dataset
    from engine.keywords.run import RunRequest
    from engine.keywords.workbench import Workbench
    from engine.search import search_in_chunks
    from engine.text.opening import open_encoder
    from engine.triage.build_study import TriageRequest, open_study
    from engine.triage.registry import ANALYSES
    from engine.triage.triage import triage

    with open_encoder() as encoder, Workbench(open_dataset(folder), encoder) as bench:
        index = bench.collection("blind").index
        request = TriageRequest(
            RunRequest(modes="both", model="blind", sample=QUERIES // 2), visual="seeing"
        )
        begun = time.perf_counter()
        opened = open_study(request, bench)
        opening = time.perf_counter() - begun
        search = 0.0
        for asked in opened.study.asked:
            begun = time.perf_counter()
            for _ in search_in_chunks(index, asked.vectors, DEPTH):
                pass
            search += time.perf_counter() - begun
        before = time.perf_counter()
        begun_at: dict[int, float] = {}  # steps are told again with every beat in between

        def note(step: Step) -> None:
            begun_at.setdefault(step.done, time.perf_counter())

        triage(opened.study, ANALYSES, note)
        whole = time.perf_counter() - before
    took = {one.name: begun_at[n + 1] - begun_at[n] for n, one in enumerate(ANALYSES)}
    print(
        json.dumps(
            {
                "search": search,
                "opening": opening,
                "triage": opening + whole,
                "analyses": took,
                "peak": peak_resident(),
            }
        )
    )


if __name__ == "__main__":
    _carry_out(Path(sys.argv[1]))
