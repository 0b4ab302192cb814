"""Files in which every name speaks to the terminal."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.keywords.judgement import Target
from engine.keywords.question import Question
from engine.sessions import SessionStore
from tests.engine.sessions.sessions_by_hand import HUB, SEEN, answer, ticking

STYLE = "\x1b[35;46;7m"
"""A style that nothing of ours has."""

SPEAKS = (
    f"{STYLE}\x1b[2J\x1b]0;title\x07\x1b]8;;http://e.vil\x1b\\\x1b]52;c;eA==\x07\x1bPq\x1b\\"
    "\x9b31m\x08\u202e\u2066\U000e0041\u200b\u200d\u3164\xad\x85\ufff9\u2800"
)
"""CSI, OSC 0, 8 and 52, DCS, C1, BEL, BS, bidi, a tag, and characters that are not seen."""

IDS = [f"clip{number}{SPEAKS}" for number in range(8)]
GROUP = f"g{SPEAKS}"
COLUMN = f"pv_{GROUP}"
WORDS = [f"car{SPEAKS}", f"bus{SPEAKS}"]
QUERY = f"a car{SPEAKS}"


def write_hostile_files(folder: Path, store: Path) -> None:
    """A dataset, rankings, labels, moments and a session."""
    _write_dataset(folder)
    _write_rankings(folder)
    _write_labels(folder)
    _write_moments(folder)
    question = Question("video", IDS[0], f"m1{SPEAKS}", (GROUP,))
    with SessionStore(store, ticking()) as opened:
        session = opened.create(f"set{SPEAKS}", str(folder), f"night{SPEAKS}")
        session.record(replace(answer(question), keywords=(), clips=(IDS[1],), scores=(0.9,)))
        seen = replace(SEEN, model=f"m1{SPEAKS}")
        session.judge(
            Target("video", IDS[0], IDS[1]), replace(HUB, note=f"a note{SPEAKS}", seen=seen)
        )


def _write_dataset(folder: Path) -> None:
    rng = np.random.default_rng(1)
    settings = [f"name = {_toml(f'set{SPEAKS}')}", 'annotations = "clips.csv"']
    settings += ['queries = "queries.csv"', 'schema = "tui-eval/dataset@1"']
    for number in (1, 2):
        vectors = rng.normal(size=(len(IDS), 384)).astype(np.float32)
        np.savez(folder / f"m{number}.npz", ids=np.array(IDS), embeddings=vectors)
        settings += [f"[models.{_toml(f'm{number}{SPEAKS}')}]", f'embeddings = "m{number}.npz"']
        settings += [f"description = {_toml(SPEAKS)}"]
    (folder / "dataset.toml").write_text("\n".join(settings) + "\n", encoding="utf-8")
    rows = [[one, WORDS[number % 2]] for number, one in enumerate(IDS)]
    _write_csv(folder / "clips.csv", [["slice_id", COLUMN], *rows])
    _write_csv(folder / "queries.csv", [["query", "keywords"], [QUERY, WORDS[0]]])


def _toml(text: str) -> str:
    """A string of TOML, which has the escapes of JSON but no pairs of surrogates."""
    return json.dumps(text, ensure_ascii=False)


def _write_csv(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def _write_rankings(folder: Path) -> None:
    judged = {QUERY: {IDS[0]: 1}, f"q2{SPEAKS}": {IDS[1]: 1}}
    found = {query: {one: 1 - n / 10 for n, one in enumerate(IDS)} for query in judged}
    (folder / "qrels.json").write_text(json.dumps(judged))
    (folder / "run.json").write_text(json.dumps(found))


def _write_labels(folder: Path) -> None:
    rng = np.random.default_rng(2)
    for side in ("sensor", "text"):
        np.save(folder / f"{side}.npy", rng.normal(size=(len(IDS), 4)).astype(np.float32))
    rows = [[one, WORDS[number % 2]] for number, one in enumerate(IDS)]
    _write_csv(folder / "labels.csv", [["id", "label"], *rows])


def _write_moments(folder: Path) -> None:
    video = f"drive{SPEAKS}"
    truth = {"desc_id": 1, "desc": QUERY, "vid_name": video, "ts": [8.0, 15.5], "duration": 22.0}
    (folder / "truth.jsonl").write_text(json.dumps({**truth, "type": "v"}) + "\n")
    entry = {"desc_id": 1, "desc": QUERY, "predictions": [[0, 10.0, 12.0, 0.7]]}
    (folder / "moments.json").write_text(json.dumps({"video2idx": {video: 0}, "VCMR": [entry]}))
