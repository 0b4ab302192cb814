"""A small folder in which everything is sound: one file of each kind and format that is read.

Readers and commands are tried on it, with one file or one argument changed.
"""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.conftest import ROOT
from tests.engine.triage.triage_by_hand import write_triage

_SAVED = ROOT / "tests" / "data" / "saved"
_CHECKPOINTS = ROOT / "tests" / "data" / "checkpoints"
_CLIP_FOLDER = ROOT / "sample_data" / "clips"
_CLIPS = tuple(f"clip_{number}" for number in range(8))
_OBJECTS = ("bicyclist", "pedestrian", "small vehicle", "pedestrian", "bicyclist", "large vehicle")
_ACTIONS = ("entering ego path", "stationary", "straight crossing path")
_DIMENSION = 384
"""That of the embedded encoder, so that texts can be searched for."""


def make_sound_files() -> dict[str, bytes]:
    """All files by their names; the same every time."""
    rng = np.random.default_rng(7)
    return {
        **_make_dataset(rng),
        **_make_queries(rng),
        **_make_runs(rng),
        **_make_labels(rng),
        **_make_moments(),
        **_make_saved(),
        **_make_media(),
        **_make_checkpoints(),
    }


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _lines(values: Sequence[Any]) -> bytes:
    return b"".join(_json(value) + b"\n" for value in values)


def _npy(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, np.asarray(array), allow_pickle=False)
    return out.getvalue()


def _npz(**arrays: Any) -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()


def _parquet(**columns: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def _zip(members: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name)  # without the time, so that it is the same every time
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _make_dataset(rng: np.random.Generator) -> dict[str, bytes]:
    rows = [
        (clip, f"clips/{clip}.mp4", "", "0.0", "2.5", _OBJECTS[i % 6], f"{_ACTIONS[i % 3]}, other")
        for i, clip in enumerate(_CLIPS)
    ]
    head = "slice_id,video_path,gif_path,span_start,span_end,pv_object_type,pv_actor_behavior"
    table = "\n".join([head, *(f'{",".join(row[:6])},"{row[6]}"' for row in rows)]) + "\n"
    vectors = rng.standard_normal((len(_CLIPS), _DIMENSION)).astype(np.float32)
    small = vectors[:, :6]
    settings = (
        'schema = "tui-eval/dataset@1"\nname = "small"\ndescription = "eight clips"\n'
        'annotations = "ann.csv"\nqueries = "queries.csv"\ngroups = ["object_type"]\n'
        'default_model = "one"\nduplicates = "error"\n\n[models.one]\n'
        'embeddings = "emb.parquet"\nmetric = "cosine"\n\n[models."two"]\n'
        'embeddings = "emb.npz"\nmetric = "ip"\n\n[synonyms]\n"bicyclist" = ["cyclist", "bike"]\n\n'
        '[never_means]\n"pedestrian" = ["pedestrian bridge"]\n\n[mapper]\nthreshold = 0.3\n'
    )
    return {
        "dataset.toml": settings.encode(),
        "ann.csv": table.encode(),
        "ann.tsv": table.replace(",", "\t").encode(),
        "ann.parquet": _parquet(
            slice_id=[row[0] for row in rows],
            video_path=[row[1] for row in rows],
            pv_object_type=[row[5] for row in rows],
            pv_actor_behavior=[row[6].split(", ") for row in rows],
        ),
        "emb.parquet": _parquet(slice_id=list(_CLIPS), embedding=list(vectors)),
        "emb.npz": _npz(ids=np.array(_CLIPS), embeddings=vectors),
        "small.parquet": _parquet(
            slice_id=pa.array(_CLIPS).dictionary_encode(),
            embedding=[list(map(float, v)) for v in small],
        ),
        "small.npz": _npz(ids=np.array(_CLIPS), embeddings=small),
        "small.npy": _npy(small),
        "vector.npy": _npy(vectors[0]),
        "small.ids.txt": "\n".join(_CLIPS).encode(),
        "ids.npy": _npy(np.array(_CLIPS)),
        "ids.json": _json(_CLIPS),
        "ids.csv": b"slice_id,x\n" + b"".join(f"{clip},1\n".encode() for clip in _CLIPS),
        "learned.toml": b'[synonyms]\n"bus" = ["coach"]\n[never_means]\n"bus" = ["bus stop"]\n',
        "config.toml": b'theme = "light"\nk = [1, 5]\n[layout]\nzoom = "inspect:results"\n',
        "keys.toml": b'base = "default"\n[keys]\n"results.note" = ["a", "ctrl+b"]\n',
    }


def _make_queries(rng: np.random.Generator) -> dict[str, bytes]:
    texts = ("bicyclist entering ego path", "pedestrian stationary")
    vectors = rng.standard_normal((2, 6)).astype(np.float32)
    return {
        "queries.csv": b'query,keywords\nbike,"bicyclist"\n"pedestrian, far",pedestrian\n',
        "queries.jsonl": _lines([{"q": texts[0], "kw": ["bicyclist"], "groups": ["object_type"]}]),
        "queries.txt": "\n".join(texts).encode(),
        "query_vectors.npz": _npz(queries=np.array(texts), embeddings=vectors),
        "query_vectors.parquet": _parquet(query=list(texts), embedding=list(vectors)),
        "clip_list.txt": b"clip_1\nclip_3\n",
        "relevant.txt": b"clip_1=2\nclip_2\nclip_3=0\n",
        "vocabulary.json": _json(
            {"object_type": ["pedestrian", "bicyclist"], "pv_scene": ["rain"]}
        ),
        "clusters.csv": b"query,cluster\nq1,a\nq2,a\nq3,b\n",
    }


def _make_runs(rng: np.random.Generator) -> dict[str, bytes]:
    scores = rng.random((3, 5)).round(3)
    run = [(f"q{i}", f"d{j}", float(scores[i, j])) for i in range(3) for j in range(5)]
    trec = "".join(f"{q} Q0 {d} {n % 5 + 1} {s} tag\n" for n, (q, d, s) in enumerate(run)).encode()
    qrels = [(f"q{i}", f"d{j}", (i + j) % 3) for i in range(3) for j in range(4)]
    nested: dict[str, dict[str, float]] = {}
    for query, item, score in run:
        nested.setdefault(query, {})[item] = score
    columns = dict(zip(("q_id", "doc_id", "score"), map(list, zip(*run, strict=True)), strict=True))
    beir = "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t{g}\n" for q, d, g in qrels)
    return {
        "run.trec": trec,
        "run.trec.gz": gzip.compress(trec, 1, mtime=0),
        "ranked.json": _json(nested),
        "ranked.jsonl": _lines([{"query": q, "item": d, "score": s} for q, d, s in run]),
        "ranked.csv": (
            "query,item,score\n" + "".join(f"{q},{d},{s}\n" for q, d, s in run)
        ).encode(),
        "ranked.parquet": _parquet(**columns),
        "qrels.txt": "".join(f"{q} 0 {d} {g}\n" for q, d, g in qrels).encode(),
        "qrels.parquet": _parquet(q_id=["q0", "q1"], doc_id=["d0", "d1"], score=[1, 2]),
        "beir/qrels/test.tsv": beir.encode(),
        "beir/queries.jsonl": _lines([{"_id": f"q{i}", "text": f"query {i}"} for i in range(3)]),
        "scores.npy": _npy(scores),
        "relevance.npy": _npy((scores > 0.5).astype(np.int8)),
        "query_ids.txt": b"q0\nq1\nq2\n",
        "item_ids.txt": b"d0\nd1\nd2\nd3\nd4\n",
    }


def _make_labels(rng: np.random.Generator) -> dict[str, bytes]:
    names = np.array(["sleep", "cook", "sleep", "eat", "cook", "eat"])
    sensor, text = (rng.standard_normal((6, 4)).astype(np.float32) for _ in range(2))
    texts = {"sleep": ["asleep", "in bed"], "cook": "someone cooks", "eat": "a meal"}
    rows = "".join(f"i{n},{name},{name[:1]}\n" for n, name in enumerate(names))
    return {
        "sensor.npy": _npy(sensor),
        "text.npz": _npz(text=text, other=text),
        "labels.npy": _npy(names),
        "labels.npz": _npz(l1=names, l2=np.arange(6) % 2),
        "labels.csv": f"id,label,group\n{rows}".encode(),
        "labels.tsv": f"id,label,group\n{rows}".replace(",", "\t").encode(),
        "labels.txt": "\n".join(names).encode(),
        "metadata.json": _json({"home": {"label_to_text_plain": texts, "x": 1}}),
        "prototypes.npz": _npz(prototypes=text[:3], labels=np.array(["sleep", "cook", "eat"])),
    }


def _make_moments() -> dict[str, bytes]:
    truth = [
        {"desc_id": i, "desc": f"moment {i}", "vid_name": f"v{i % 2}", "ts": [i, i + 2.5],
         "duration": 20.0, "type": "vt"[i % 2]}
        for i in range(1, 4)
    ]  # fmt: skip
    rows = [[0, 1.0, 3.0, 0.9], [1, 2.0, 4.5, 0.5]]
    found = [{"desc_id": i, "desc": f"moment {i}", "predictions": rows} for i in range(1, 4)]
    tvr = {"video2idx": {"v0": 0, "v1": 1}, "VCMR": found, "SVMR": found, "VR": found}
    asked = [
        {"qid": i, "query": f"query {i}", "duration": 20, "vid": f"v{i}",
         "relevant_clip_ids": [1, 2],
         "saliency_scores": [[2, 4, 4], [4, 4, 4]], "relevant_windows": [[2, 6]]}
        for i in range(1, 4)
    ]  # fmt: skip
    answered = [
        {"qid": i, "query": f"query {i}", "vid": f"v{i}", "pred_saliency_scores": [0.5] * 10,
         "pred_relevant_windows": [[2.0, 6.0, 0.9], [0.0, 4.0, 0.2]]}
        for i in range(1, 4)
    ]  # fmt: skip
    submission, lines = _json(tvr), _lines(answered)
    return {
        "tvr_truth.jsonl": _lines(truth),
        "tvr.json": submission,
        "tvr.json.gz": gzip.compress(submission, 1, mtime=0),
        "tvr.zip": _zip(
            {"tvr_val_submission.json": submission, "tvr_test_public_submission.json": submission}
        ),
        "videos.json": _json({"val": {"v0": [20.0, 0], "v1": [20.0, 1]}}),
        "qvh_truth.jsonl": _lines(asked),
        "qvh.jsonl": lines,
        "qvh.zip": _zip({"hl_val_submission.jsonl": lines, "hl_test_submission.jsonl": lines}),
    }


def _make_saved() -> dict[str, bytes]:
    """What tui-eval wrote itself; long files as far as their first lines."""
    names = ("run.json", "score.json", "session.json", "triage.json")
    saved = {name: (_SAVED / name).read_bytes() for name in names}
    csv = (_SAVED / "run.csv").read_text().splitlines(keepends=True)[:6]
    rows = [
        {"mode": "text", "profile": "alfa", "query": f"q{i}", "keywords": ["a"], "relevant": i,
         "retrieved": ["x", "y"], "scores": [0.5, 0.25], "hits": [1, 0], "P@5": i / 4}
        for i in range(3)
    ]  # fmt: skip
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return {
        **saved,
        "compared_triage.json": _json(write_triage()),
        "sessions.db": (_SAVED / "sessions.db").read_bytes(),
        "vectors.sqlite": _make_vectors(),
        "per_query.csv": "".join(csv).encode(),
        "per_query.jsonl": _lines(rows),
        "per_query.parquet": _parquet(**columns),
    }


def _make_media() -> dict[str, bytes]:
    from PIL import Image

    shades = [Image.new("RGB", (16, 9), (40 * number, 90, 200)) for number in range(4)]

    def save(kind: str, **options: Any) -> bytes:
        out = io.BytesIO()
        shades[0].save(out, kind, **options)
        return out.getvalue()

    moving = {"save_all": True, "append_images": shades[1:], "duration": 100}
    return {
        "clip.mp4": (_CLIP_FOLDER / "lot_small_vehicle_0260.mp4").read_bytes(),
        "clip.webp": save("WEBP", **moving),
        "clip.gif": save("GIF", **moving),
        "clip.png": save("PNG"),
        "clip.jpg": save("JPEG"),
    }


def _make_checkpoints() -> dict[str, bytes]:
    """As torch.save has written it; and by hand, for torch takes seconds to import."""
    tensor = {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}
    head = _json({"layer.weight": tensor, "__metadata__": {"format": "pt"}})
    values = np.arange(4, dtype="<f4").tobytes()
    return {
        "weights.pt": (_CHECKPOINTS / "tiny.pt").read_bytes(),
        "weights.safetensors": len(head).to_bytes(8, "little") + head + values,
    }


def _make_vectors() -> bytes:
    """The cache of encoded texts, as `VectorCache` writes it."""
    vector = np.arange(4, dtype="<f4").tobytes()
    with closing(sqlite3.connect(":memory:")) as cache:
        cache.execute(
            "CREATE TABLE vectors (text TEXT PRIMARY KEY, vector BLOB, checksum INTEGER)"
            " WITHOUT ROWID"
        )
        cache.execute("INSERT INTO vectors VALUES (?, ?, ?)", ("a car", vector, zlib.crc32(vector)))
        cache.commit()
        return cache.serialize()
