"""The built wheel carries everything: installed on its own it runs the sample dataset."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "build",
            "--wheel",
            "--no-isolation",
            "--outdir",
            str(out),
            str(ROOT),
        ],
        check=True,
        capture_output=True,
    )
    return next(out.glob("*.whl"))


def test_the_wheel_holds_code_synonyms_and_sample_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())

    assert {
        "engine/text/mapping/synonyms.toml",
        "sample_data/dataset.toml",
        "sample_data/unified_annotation.csv",
        "sample_data/embeddings/alfa-0.1.parquet",
        "sample_data/labels/labels.csv",
        "sample_data/labels/metadata.json",
        "sample_data/labels/text_emb.npy",
        "sample_data/labels/video_emb.npy",
        "sample_data/moments/drives.csv",
        "sample_data/moments/ground_truth.jsonl",
        "sample_data/moments/highlights_predictions.jsonl",
        "sample_data/moments/highlights_truth.jsonl",
        "sample_data/moments/query_emb.npy",
        "sample_data/moments/submission.json",
        "tui/cli/app.py",
    } <= names
    assert sum(name.endswith(".mp4") for name in names) >= 200
    assert {name.split("/")[0].split("-")[0] for name in names} == {
        "engine",
        "tui",
        "sample_data",
        "tui_eval",
    }


def test_an_installed_wheel_runs_the_sample_dataset(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    install = ["install", "--quiet", "--no-deps", "--no-index", "--target", str(target), str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True, capture_output=True)

    done = subprocess.run(
        [sys.executable, str(target / "bin" / "tui-eval"), "run", "--mode", "video", "--json"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(target)},
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["dataset"] == {
        "name": "sample",
        "clips": 284,
        "source": "sample",
    }
