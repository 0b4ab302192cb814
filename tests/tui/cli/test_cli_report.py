"""`tui-eval report`: what it writes, where, and how it tells what is missing."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.report.html_reader import Page
from tests.engine.report.report_by_hand import hostile_document, sample_document, saved
from tui.cli.app import run_command_line

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def documents() -> tuple[dict[str, Any], dict[str, Any]]:
    return sample_document("alfa-0.1"), sample_document("alfa-0.2")


@pytest.fixture
def old(documents: tuple[dict[str, Any], dict[str, Any]], tmp_path: Path) -> Path:
    return saved(documents[0], tmp_path / "old.json")


@pytest.fixture
def new(documents: tuple[dict[str, Any], dict[str, Any]], tmp_path: Path) -> Path:
    return saved(documents[1], tmp_path / "new.json")


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*arguments: str | Path) -> tuple[int, str, str]:
        code = run_command_line(["report", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


def test_a_run_becomes_a_page_with_the_worst_queries_and_their_frames(
    report: Run, old: Path, tmp_path: Path
) -> None:
    out = tmp_path / "report.html"

    code, shown, said = report(old, "--out", out, "--worst", 3)

    assert (code, shown, said) == (0, "", f"wrote {out}\n")
    page = Page.of(out.read_text(encoding="utf-8"))
    assert len(page.all("article")) == 3
    assert len(page.all("img")) == 3 * 6


def test_with_a_baseline_the_page_compares_the_run_with_it(
    report: Run, old: Path, new: Path, tmp_path: Path
) -> None:
    out = tmp_path / "report.html"

    code, _, _ = report(new, "--compare", old, "--out", out, "--no-frames", "--worst", 1)

    page = Page.of(out.read_text(encoding="utf-8"))
    assert code == 0
    assert "against alfa-0.1 (0.372): better" in page.text and "Worst regressions" in page.text
    assert not page.all("img")


@pytest.mark.parametrize(
    ("name", "start"), [("t.md", "# Evaluation of alfa-0.2"), ("t.tex", "% preamble")]
)
def test_the_name_of_the_file_says_the_format(
    name: str, start: str, report: Run, old: Path, new: Path, tmp_path: Path
) -> None:
    code, shown, said = report(new, "--compare", old, "--out", tmp_path / name)

    assert (code, shown, said) == (0, "", f"wrote {tmp_path / name}\n")
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_without_a_file_tables_go_to_stdout(report: Run, old: Path) -> None:
    code, shown, said = report(old, "--format", "markdown")

    assert (code, said) == (0, "")
    row = json.loads(old.read_text())["metrics"][2]
    assert f"| {row['label']} | {row['mean']:.3f} ± {row['std']:.3f} |" in shown


def test_the_main_metric_can_be_chosen_by_its_label(report: Run, old: Path) -> None:
    code, shown, _ = report(old, "--format", "markdown", "--main", "MRR@5")

    assert code == 0 and "MRR@5 (RR@5) of video queries by keyword" in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "neither --out nor --format is given"),
        (("--out", "report.pdf"), "this command writes no .pdf"),
        (("--out", "report.txt"), "this command writes no .txt"),
        (("--out", "report"), "cannot tell a format from a file without an extension"),
        (("--format", "markdown", "--main", "AP"), "alfa-0.1 has no AP"),
        (("--format", "markdown", "--main", "nonsense"), "unknown metric"),
        (("--format", "markdown", "--compare", "none.json"), "no such file"),
        (("--out", "nowhere/report.html"), "the folder does not exist"),
    ],
)
def test_what_is_wrong_is_reported_in_one_line(
    options: tuple[str, ...], message: str, report: Run, old: Path
) -> None:
    code, shown, said = report(old, *options)

    assert (code, shown) == (2, "")
    assert message in said and said.count("\n") == 1


def test_no_input_is_written_over(report: Run, old: Path, new: Path) -> None:
    before = new.read_bytes()

    for out in (old, new):
        code, _, said = report(old, "--compare", new, "--out", out, "--format", "html")
        assert code == 2 and "is an input of this command" in said

    assert new.read_bytes() == before


def test_a_dataset_that_is_gone_is_reported_and_the_report_is_made(
    report: Run, documents: tuple[dict[str, Any], dict[str, Any]], tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    document = {**documents[0], "dataset": {"name": "d", "source": str(gone)}}
    run = saved(document, tmp_path / "run.json")

    code, _, said = report(run, "--out", tmp_path / "r.html", "--worst", 1)

    assert code == 0
    assert str(gone) in said and "no frames and no keyword marks" in said
    page = Page.of((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "No frames and no keyword marks: the dataset cannot be opened" in page.text
    assert str(gone) not in page.text, "a report is passed on; where files lay is not"


@pytest.mark.parametrize("source", ["\0", "--annotations '", "x" * 5000, "https://x.example/d"])
def test_a_source_that_is_no_dataset_is_reported_and_the_report_is_made(
    source: str, report: Run, documents: tuple[dict[str, Any], dict[str, Any]], tmp_path: Path
) -> None:
    document = {**documents[0], "dataset": {"name": "d", "source": source}}
    run = saved(document, tmp_path / "run.json")

    code, _, said = report(run, "--out", tmp_path / "r.html", "--worst", 1)

    assert code == 0 and "no frames and no keyword marks" in said


def test_annotations_that_changed_since_the_run_are_reported(
    report: Run, documents: tuple[dict[str, Any], dict[str, Any]], tmp_path: Path
) -> None:
    inputs = {**documents[0]["inputs"], "annotations": {"sha256": "0" * 64}}
    run = saved({**documents[0], "inputs": inputs}, tmp_path / "run.json")

    code, _, said = report(run, "--out", tmp_path / "r.html", "--worst", 1)

    assert code == 0 and "the annotations are not those of the run" in said


def test_annotations_that_cannot_be_read_are_named_but_not_where_they_lie(
    report: Run, documents: tuple[dict[str, Any], dict[str, Any]], tmp_path: Path
) -> None:
    run = saved(documents[0], tmp_path / "run.json")
    settings = 'annotations = "clips.csv"\n[models.one]\nembeddings = "one.npz"\n'
    (tmp_path / "dataset.toml").write_text(settings)

    code, _, said = report(run, "--dataset", tmp_path, "--out", tmp_path / "r.html", "--worst", 1)

    page = Page.of((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert code == 0
    for text in (said, page.text):
        assert "keyword marks: clips.csv: cannot be read" in text
        assert f"{tmp_path}/clips.csv" not in text


def test_hostile_texts_reach_neither_the_terminal_nor_the_page(report: Run, tmp_path: Path) -> None:
    run = saved(hostile_document(), tmp_path / "run.json")

    code, _, said = report(run, "--compare", run, "--out", tmp_path / "r.html")
    _, markdown, _ = report(run, "--format", "markdown")
    _, latex, _ = report(run, "--format", "latex")

    assert code == 0
    for text in (said, markdown, latex):
        assert "\x1b" not in text and "\x07" not in text
    assert not Page.of((tmp_path / "r.html").read_text(encoding="utf-8")).all("script")


def test_a_file_is_replaced_whole_and_keeps_its_permissions_and_links(
    report: Run, old: Path, tmp_path: Path
) -> None:
    out, link = tmp_path / "t.md", tmp_path / "latest.md"
    out.write_text("before")
    out.chmod(0o640)
    link.symlink_to(out)

    report(old, "--out", link)

    assert link.is_symlink() and out.read_text(encoding="utf-8").startswith("# Evaluation")
    assert stat.S_IMODE(out.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest.md", "old.json", "t.md"]


def test_a_failed_write_leaves_what_was_there(
    report: Run, old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "t.md"
    out.write_text("before")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    code, _, said = report(old, "--out", out)

    assert code == 2 and "No space left on device" in said
    assert out.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old.json", "t.md"]


@pytest.fixture
def scored(tmp_path: Path) -> list[Path]:
    """Two run files that `score --out` wrote; the first lacks a judged query."""
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q1 0 a 1\nq1 0 b 2\nq2 0 a 1\nq3 0 c 0\n")
    runs = {"old": "q1 Q0 c 1 0.9 t\nq1 Q0 b 2 0.8 t\nq3 Q0 a 1 0.9 t\n"}
    runs["new"] = "q1 Q0 b 1 0.9 t\nq1 Q0 a 2 0.8 t\nq2 Q0 a 1 0.9 t\nq3 Q0 a 1 0.9 t\n"
    files = []
    for name, text in runs.items():
        (tmp_path / f"{name}.run").write_text(text)
        files.append(tmp_path / f"{name}-scored.json")
        options = ("--qrels", qrels, "--run", tmp_path / f"{name}.run", "--out", files[-1])
        assert run_command_line(["score", *map(str, options)]) == 0
    return files


def test_a_scored_run_becomes_a_page_that_says_it_has_no_dataset(
    report: Run, scored: list[Path], tmp_path: Path
) -> None:
    out = tmp_path / "r.html"

    code, _, said = report(scored[0], "--out", out)

    page = Page.of(out.read_text(encoding="utf-8"))
    assert code == 0 and "no frames and no keyword marks" in said
    assert "rankings of 3 items, scored against judgements (no dataset)" in page.text
    assert "3, 2 count; 1 without a relevant item left out" in page.text
    assert "No frames and no keyword marks: the run does not name its dataset" in page.text


@pytest.mark.parametrize("shape", ["markdown", "latex", "html"])
def test_scored_runs_are_compared(report: Run, scored: list[Path], shape: str) -> None:
    old, new = scored

    code, shown, _ = report(new, "--compare", old, "--format", shape)

    assert code == 0
    assert "+0.750" in shown, "R@10 is 1, and was (1/2 + 0) / 2"


def test_queries_that_a_policy_left_out_are_reported(
    report: Run, scored: list[Path], tmp_path: Path
) -> None:
    files = ("--qrels", tmp_path / "qrels.txt", "--run", tmp_path / "old.run")
    options = (*files, "--missing", "skip", "--no-relevant", "zero", "--out", scored[0])
    assert run_command_line(["score", *map(str, options)]) == 0

    _, shown, _ = report(scored[0], "--format", "markdown")

    assert "3, 2 count; 1 not in the run left out" in shown


@pytest.mark.parametrize(
    ("field", "value"),
    [("collection", "many"), ("queries", 3), ("queries", {"judged": "x", "scored": 1})],
)
def test_counts_of_a_scored_run_that_are_none_are_reported_in_one_line(
    field: str, value: Any, report: Run, scored: list[Path], tmp_path: Path
) -> None:
    document = {**json.loads(scored[0].read_text()), field: value}

    code, _, said = report(saved(document, tmp_path / "wrong.json"), "--format", "markdown")

    assert code == 2 and field in said
    assert said.splitlines()[-1].startswith("error") and "Traceback" not in said
