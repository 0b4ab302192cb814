"""`tui-eval compare` on saved runs: what it prints, writes and refuses."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest

from tests.conftest import CommandLine

pytestmark = pytest.mark.slow

FAST = ("--resamples", "500")


@pytest.fixture(scope="module")
def runs(tui_eval: CommandLine, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Video runs of both sample models, saved."""
    folder = tmp_path_factory.mktemp("runs")
    files = folder / "old.json", folder / "new.json"
    for model, file in zip(("alfa-0.1", "alfa-0.2"), files, strict=True):
        done = tui_eval("run", "--mode", "video", "--model", model, "--out", file)
        assert done.returncode == 0, done.stderr
    return files


def test_the_table_names_systems_differences_slices_and_regressions(
    tui_eval: CommandLine, runs: tuple[Path, Path]
) -> None:
    done = tui_eval("compare", *runs, *FAST, "--worst", "2", "--tests")

    assert done.returncode == 0, done.stderr
    for words in (
        "video queries: alfa-0.2 against alfa-0.1  271 of 284 common queries count",
        "Recall@5",
        "better",
        "Wilcoxon",
        "Recall@5 by slice, worst 2 of",
        "Worst regressions: 2 of",
        "Recall@5 = hits@5 / 5",
        "Primary metric: Recall@5; its p is not corrected.",
        "(500 resamples, seed 0)",
        "95 % bootstrap (bca)",
    ):
        assert words in done.stdout


@pytest.mark.parametrize("columns", ["80", "120"])
def test_the_table_keeps_to_the_width_and_cuts_no_number(
    tui_eval: CommandLine, runs: tuple[Path, Path], columns: str
) -> None:
    done = tui_eval(
        "compare", *runs, *FAST, "--metrics", "Recall@5", env=os.environ | {"COLUMNS": columns}
    )

    assert max(map(len, done.stdout.splitlines())) <= int(columns)
    assert "+0.167" in done.stdout and "153/100/18" in done.stdout


def test_json_holds_every_number_and_how_it_came_about(
    tui_eval: CommandLine, runs: tuple[Path, Path]
) -> None:
    done = tui_eval("compare", *runs, *FAST, "--metrics", "Recall@5,MRR@5", "--json")

    document = json.loads(done.stdout)
    assert document["schema"] == "tui-eval/compare@3"
    assert document["systems"] == ["alfa-0.1", "alfa-0.2"]
    assert document["metrics"][0] == {
        "id": "P@5",
        "label": "Recall@5",
        "formula": "hits@5 / 5",
        "lower_is_better": False,
    }
    assert document["statistics"]["resamples"] == 500
    mode = document["modes"]["video"]
    means = {level["system"]: level["mean"] for level in mode["levels"] if level["id"] == "P@5"}
    for name, file in zip(document["systems"], runs, strict=True):
        saved = json.loads(file.read_text())["metrics"]
        assert means[name] == pytest.approx(next(r["mean"] for r in saved if r["id"] == "P@5"))
    first = mode["differences"][0]
    assert first["difference"] == pytest.approx(means["alfa-0.2"] - means["alfa-0.1"])
    assert first["low"] < first["difference"] < first["high"]
    assert set(first["p"]) == {"t", "wilcoxon", "permutation", "holm", "bh"}
    worst = mode["regressions"][0]["queries"][0]
    assert worst["after"] < worst["before"]
    assert {"id", "hit", "rank_before", "rank_after"} == set(worst["flips"][0])


def test_csv_has_a_row_per_system_metric_and_slice(
    tui_eval: CommandLine, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "plot.csv"
    tui_eval("compare", *runs, *FAST, "--metrics", "Recall@5", "--out", out)

    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    whole = [row for row in rows if row["scope"] == "all"]
    assert [(row["system"], row["baseline"]) for row in whole] == [
        ("alfa-0.1", ""),
        ("alfa-0.2", "alfa-0.1"),
    ]
    assert float(whole[1]["difference"]) == pytest.approx(
        float(whole[1]["mean"]) - float(whole[0]["mean"])
    )
    assert {row["scope"] for row in rows} == {"all", "group", "keyword"}


def test_per_query_files_compare_as_their_runs_do(
    tui_eval: CommandLine, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    files = tmp_path / "a.csv", tmp_path / "b.parquet"
    for model, file in zip(("alfa-0.1", "alfa-0.2"), files, strict=True):
        tui_eval("run", "--mode", "video", "--model", model, "--per-query", file)

    own = json.loads(tui_eval("compare", *files, *FAST, "--json").stdout)
    saved = json.loads(tui_eval("compare", *runs, *FAST, "--json").stdout)

    assert own["systems"] == ["a", "b"]
    ours, theirs = (d["modes"]["video"]["differences"] for d in (own, saved))
    assert [d["difference"] for d in ours] == [d["difference"] for d in theirs]
    assert [d["p"] for d in ours] == [d["p"] for d in theirs]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--metrics", "Recall@7"), "alfa-0.1 has no P@7; it has P@1"),
        (("--metrics", "Recal@5"), "unknown metric 'Recal@5'; did you mean Recall@5?"),
        (("--names", "one"), "1 names for 2 files"),
        (("--level", "95"), "the level is 95; give 0.5 to"),
        (
            ("--clusters", "videos"),
            "'videos' is neither none, keywords, video nor a file",
        ),
        (("--json", "--format", "csv"), "--json and --format csv were given"),
    ],
)
def test_bad_options_are_one_line_with_the_remedy(
    tui_eval: CommandLine, runs: tuple[Path, Path], options: tuple[str, ...], said: str
) -> None:
    done = tui_eval("compare", *runs, *options)

    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr and done.stderr.count("\n") == 1


def test_an_input_is_never_written_over(tui_eval: CommandLine, runs: tuple[Path, Path]) -> None:
    before = runs[0].read_bytes()

    done = tui_eval("compare", *runs, "--out", runs[0])

    assert done.returncode == 2
    assert runs[0].read_bytes() == before


def test_run_files_of_any_tool_compare_with_their_judgements(
    tui_eval: CommandLine, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    """The same systems, once saved here and once as TREC files, give the same differences."""
    for model in ("alfa-0.1", "alfa-0.2"):
        options = "--mode", "video", "--model", model, "--export-trec", tmp_path / model
        assert tui_eval("run", *options).returncode == 0
    files = tmp_path / "alfa-0.1" / "video.run", tmp_path / "alfa-0.2" / "video.run"
    judged = "--qrels", tmp_path / "alfa-0.1" / "video.qrels", "--metrics", "P@5,nDCG@5"
    judged += "--main", "P@5"

    theirs = tui_eval("compare", *files, *judged, *FAST, "--json")
    ours = tui_eval("compare", *runs, *FAST, "--metrics", "Recall@5,NDCG@5", "--json")

    assert theirs.returncode == 0, theirs.stderr
    first, second = (json.loads(done.stdout)["modes"] for done in (theirs, ours))
    assert [d["difference"] for d in first["ranked"]["differences"]] == pytest.approx(
        [d["difference"] for d in second["video"]["differences"]]
    )


def test_a_file_of_clusters_is_never_written_over(
    tui_eval: CommandLine, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    clusters = tmp_path / "clusters.csv"
    clusters.write_text("query,cluster\na,1\n")

    for command in (("compare", *runs), ("gate", runs[1], "--baseline", runs[0])):
        done = tui_eval(*command, "--clusters", clusters, "--out", clusters)

        assert done.returncode == 2
        assert "is an input of this command" in done.stderr
    assert clusters.read_text() == "query,cluster\na,1\n"


def test_a_file_that_is_not_there_is_reported_as_that(
    tui_eval: CommandLine, runs: tuple[Path, Path]
) -> None:
    done = tui_eval("compare", runs[0], "nowhere")

    assert done.stderr == "error: nowhere: no such file; check the path\n"
