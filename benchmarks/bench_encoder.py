"""The embedded encoder against sentence-transformers with the same weights: a first text, many
texts, memory, and the first answer on the screen.

Each side runs in processes of its own, in turn with the other.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import sample_data
from benchmarks.claim import Claim
from benchmarks.process import Measured, measured
from benchmarks.terminal import ENTER, TUI_EVAL, Terminal, environment
from benchmarks.timing import best_of
from engine.dataset.settings_file import open_dataset
from engine.text.model_files import find_model_path

TEXT = "wayfarer with a velocipede"
"""No word of it is in the synonym table: it is encoded for the mapping and for the search."""

CLIP = "urban_bicyclist_0002"
SEARCHES, ROUNDS, STARTS = 5, 3, 7
MOST_MEGABYTES = 300

WHO = ["a small red car", "an old lorry", "the cyclist in front", "two pedestrians", "a parked bus"]
WHAT = ["crossing", "turning left", "waiting", "entering the ego lane", "driving straight on"]
WHERE = ["at night", "in heavy rain", "downtown", "on a curved road near a tunnel", "on a bridge"]
HOW = ["slowly", "again", "while a tram passes", "near the school", "with the sun behind it"]
WHEN = ["", "at noon", "in winter", "before it stops", "and then leaving", "for a second time"]


def thousand_texts() -> list[str]:
    combined = itertools.product(WHO, WHAT, WHERE, HOW, WHEN)
    return [" ".join(part for part in parts if part) for parts in combined][::3][:1000]


def run() -> Iterator[Claim]:
    yield from _first_text()
    yield _many_texts()
    yield _pauses()
    yield _first_answer()


# One text, nothing known beforehand


def _first_text() -> Iterator[Claim]:
    ours: list[Measured] = []
    theirs: list[Measured] = []
    _search()  # whatever is made once, such as bytecode
    for _ in range(SEARCHES):
        ours.append(_search())
        theirs.append(_search("--encoder", find_model_path("embedded")))
    mine = statistics.median(one.seconds for one in ours)
    peer = statistics.median(one.seconds for one in theirs)
    yield Claim(
        "tui-eval search TEXT: through sentence-transformers / embedded",
        peer / mine,
        6.0,
        "at least",
        f"the same weights, empty cache, median of {SEARCHES}: {peer:.2f} s / {mine:.2f} s",
    )
    most = max(one.megabytes for one in ours)
    yield Claim(
        f"peak memory of tui-eval search TEXT / {MOST_MEGABYTES} MB",
        most / MOST_MEGABYTES,
        1.0,
        "at most",
        f"empty cache, the largest of {SEARCHES}: {most:.0f} MB",
    )


def _search(*options: str) -> Measured:
    sample = open_dataset(sample_data.folder())
    files = ["--annotations", str(sample.annotations_file)]
    files += ["--embeddings", str(sample.model().embeddings)]
    with tempfile.TemporaryDirectory() as cache:
        known = ["env", f"TUI_EVAL_CACHE={cache}"]
        return measured([*known, TUI_EVAL, "search", TEXT, *files, *options, "--json"])


# Many texts


def _many_texts() -> Claim:
    ours = theirs = 0.0
    for _ in range(ROUNDS):
        ours = max(ours, _rate("ours"))
        theirs = max(theirs, _rate("theirs"))
    return Claim(
        "1,000 texts: texts per second, ours / sentence-transformers",
        ours / theirs,
        1.0,
        "at least",
        f"{ours:.0f} / {theirs:.0f} texts per second, as many threads, best of {ROUNDS}",
    )


def _rate(side: str) -> float:
    return float(json.loads(measured([sys.executable, "-m", __name__, side]).printed))


def _measure_ours() -> float:
    from engine.text.opening import open_encoder
    from engine.text.vector_cache import VectorCache

    texts = thousand_texts()
    with open_encoder(cache=VectorCache(None)) as encoder:
        encoder.encode(texts[:100])

    def encode() -> None:
        with open_encoder(cache=VectorCache(None)) as encoder:
            encoder.encode(texts)

    return len(texts) / best_of(2, encode)


def _measure_theirs() -> float:
    import torch
    from sentence_transformers import SentenceTransformer

    from engine.text.embedded.model import count_workers

    torch.set_num_threads(count_workers())
    texts = thousand_texts()
    model = SentenceTransformer(find_model_path("embedded"), device="cpu")
    model.encode(texts[:100], show_progress_bar=False)

    return len(texts) / best_of(2, lambda: model.encode(texts, show_progress_bar=False))


# What else runs in the process meanwhile


def _pauses() -> Claim:
    frame = 1000 / 60
    often, longest = json.loads(measured([sys.executable, "-m", __name__, "pauses"]).printed)
    return Claim(
        "pauses of an event loop while a thread encodes 1,000 texts / one frame of 60 in a second",
        often / frame,
        1.0,
        "at most",
        f"99 of 100 are below {often:.1f} ms, the longest is {longest:.1f} ms",
    )


def _measure_pauses() -> tuple[float, float]:
    """The 99th percentile and the longest, in milliseconds."""
    from engine.text.opening import open_encoder
    from engine.text.vector_cache import VectorCache

    step = 0.002
    late: list[float] = []
    with open_encoder(cache=VectorCache(None)) as encoder:
        encoder.wait_until_ready()
        thread = threading.Thread(target=encoder.encode, args=(thousand_texts(),))

        async def beat() -> None:
            thread.start()
            while thread.is_alive():
                begun = time.perf_counter()
                await asyncio.sleep(step)
                late.append((time.perf_counter() - begun - step) * 1e3)

        asyncio.run(beat())
    return statistics.quantiles(late, n=100)[-1], max(late)


# The first answer in the inspector


def _first_answer() -> Claim:
    texts, clips = [], []
    for _ in range(STARTS):
        texts.append(_time_to_answer("/", TEXT))
        clips.append(_time_to_answer("c", CLIP))
    text, clip = statistics.median(texts), statistics.median(clips)
    return Claim(
        "first answer in the inspector: a text / a clip",
        text / clip,
        2.0,
        "at most",
        "from Enter to the first result's detail, typed as soon as the screen is painted, empty "
        f"cache, median of {STARTS}: {text * 1e3:.0f} ms / {clip * 1e3:.0f} ms",
    )


def _time_to_answer(key: str, query: str) -> float:
    with tempfile.TemporaryDirectory() as name:
        command = [TUI_EVAL, "inspect", "--images", "off"]
        with Terminal(command, environment(Path(name))) as terminal:
            terminal.wait_for("Nothing is asked")
            terminal.send(key)
            terminal.wait_for("enter Search")
            terminal.send(query)
            terminal.wait_for(query)
            asked = time.perf_counter()
            terminal.send(ENTER)
            terminal.wait_for(lambda: "#1 " in terminal.pane("Detail"))
            return time.perf_counter() - asked


if __name__ == "__main__":
    sides = {"ours": _measure_ours, "theirs": _measure_theirs, "pauses": _measure_pauses}
    print(json.dumps(sides[sys.argv[1]]()))
