"""`tui-eval search` with a text and a clip together, and with a vector from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tui.cli.app import run_command_line
from tui.opening.starts import InspectorStart

CLIP = "urban_bicyclist_0002"
JOINT = ("search", "at night", "--video", CLIP)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path))
    np.save("probe.npy", np.random.default_rng(0).normal(size=384))


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: str) -> dict[str, Any]:
        code = run_command_line([*arguments, "--json"])
        done = capsys.readouterr()
        assert code == 0, done.err
        return json.loads(done.out)  # type: ignore[no-any-return]

    return run


def test_a_text_and_a_clip_are_one_query_of_both(ask: Any) -> None:
    found = ask(*JOINT, "--alpha", "0.25", "--groups", "all")

    assert found["mode"] == "joint"
    assert found["query"] == f'"at night" + "{CLIP}", alpha 0.25'
    assert found["joint"] == {"text": "at night", "clip": CLIP, "alpha": 0.25}
    assert {"scene_type:nighttime", "object_type:bicyclist"} <= set(found["keywords"])
    assert found["mapping"][0]["keyword"] == "nighttime"
    assert "encoder" in found["inputs"]
    assert CLIP not in [result["slice_id"] for result in found["results"]]


def test_keywords_threshold_depth_and_a_second_model_work_as_ever(ask: Any) -> None:
    found = ask(
        *JOINT, "-k", "3", "--keywords", "bicyclist", "--against", "alfa-0.2",
        "--min-similarity", "0.7",
    )  # fmt: skip

    assert found["joint"]["alpha"] == 0.5
    assert found["keywords"] == ["object_type:bicyclist"]
    assert [result["rank"] for result in found["results"]] == [1, 2, 3]
    assert all(result["rank_in"]["alfa-0.2"] >= 1 for result in found["results"])
    assert [r["retrieved"] for r in found["results"]] == [
        r["score"] >= 0.7 for r in found["results"]
    ]
    typed = ask(*JOINT, "--relevant", f"{CLIP},urban_bicyclist_0034")
    assert typed["relevant"] == 1


def test_the_table_says_which_keywords_are_the_clips(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line([*JOINT, "--groups", "all"]) == 0

    said = " ".join(capsys.readouterr().out.split())
    assert 'nighttime ("at night"' in said and "bicyclist (the clip's)" in said


def test_a_vector_is_judged_by_the_keywords_that_are_named(ask: Any) -> None:
    alone = ask("search", "--vector", "probe.npy")
    judged = ask("search", "--vector", "probe.npy", "--keywords", "nighttime,bicyclist")

    assert alone["mode"] == "vector" and alone["relevance"] == "none" and alone["keywords"] == []
    assert alone["query"].startswith("probe.npy ") and alone["joint"] is None
    assert alone["inputs"]["vector"]["path"].endswith("probe.npy")
    assert "encoder" not in alone["inputs"]
    assert set(judged["keywords"]) == {"object_type:bicyclist", "scene_type:nighttime"}
    assert [r["slice_id"] for r in judged["results"]] == [r["slice_id"] for r in alone["results"]]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--video", CLIP, "--alpha", "0.5"), "--alpha weighs a text against a clip"),
        (("x", "--alpha", "0.5"), "--alpha weighs a text against a clip"),
        (("x", "--video", CLIP, "--alpha", "1.5"), "alpha is 1.5; give a number from 0"),
        (("x", "--video", CLIP, "--alpha", "nan"), "alpha is nan"),
        ((" ", "--video", CLIP), "the query text is empty"),
        (("x", "--video", "nobody"), 'no clip "nobody" in the annotations'),
        (("x", "--vector", "probe.npy"), "--vector and a text were given"),
        (("--video", CLIP, "--vector", "probe.npy"), "--vector and --video were given"),
        (("--vector", "probe.npy", "--alpha", "0.5"), "--alpha weighs"),
        (("--vector", "nothing.npy"), "nothing.npy: no such file"),
        (("--vector", "short.npy"), "has 2 dimensions, the embeddings of alfa-0.1 have 384"),
        (("--vector", "two.npy"), "two.npy: has 2 vectors, and a search asks with one"),
        (("--vector", "probe.npy", "--out", "probe.npy"), "probe.npy"),
        ((), "search needs a text or --video ID (or both), or --vector FILE"),
    ],
)
def test_what_makes_no_sense_is_one_clear_line(
    given: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save("short.npy", np.ones(2))
    np.save("two.npy", np.ones((2, 384)))

    assert run_command_line(["search", *given]) == 2

    done = capsys.readouterr()
    assert done.out == "" and done.err.count("\n") == 1
    assert done.err.startswith("error: ") and said in done.err


def test_the_inspector_opens_on_the_same(started: list[InspectorStart]) -> None:
    assert run_command_line([*JOINT, "--inspect"]) == 0
    assert run_command_line(["search", "--vector", "probe.npy", "--keywords", "car", "-i"]) == 2
    assert (
        run_command_line(["search", "--vector", "probe.npy", "--keywords", "nighttime", "-i"]) == 0
    )

    joint, vector = started
    assert joint.query == ("joint", f'"at night" + "{CLIP}", alpha 0.5', None)
    assert joint.keywords is None
    assert vector.query is not None and vector.query[0] == "vector" and vector.query[2]  # type: ignore[misc]
    assert vector.keywords == ("scene_type:nighttime",)
