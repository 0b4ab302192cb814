"""`run --inspect` and `search --inspect`: what the command would print, on the screen."""

from __future__ import annotations

import asyncio
import gc
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.compare import compare
from engine.compare.table import CompareTable
from engine.keywords.question import AskedQuery
from engine.results.saved_run import read_saved_run
from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import Inspector, inspect_as_started
from tests.tui.piloted import Piloted
from tui.app.compare import CompareApp
from tui.cli.app import run_command_line
from tui.compare.text import draw_flips, draw_metrics
from tui.look.glyphs import UNICODE
from tui.opening.compare_start import CompareStart
from tui.opening.starts import InspectorStart
from tui.widgets.line_table import LineTable

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*arguments: str) -> tuple[int, str]:
        return run_command_line(list(arguments)), capsys.readouterr().err

    return command


def test_a_search_opens_with_its_query_model_groups_and_cutoffs(
    run: Run, started: list[InspectorStart]
) -> None:
    options = ("--model", "alfa-0.2", "--groups", "pv_object_type", "--k", "2,7")
    code, error = run("search", "a cyclist", *options, "--min-similarity", "0.1", "-i")

    assert (code, error) == (0, "")
    (start,) = started
    assert (start.query, start.model) == (AskedQuery("text", "a cyclist"), "alfa-0.2")
    assert (start.groups, start.left_out) == (("object_type",), ())
    assert (start.dataset.ks, start.min_similarity) == ((2, 7), 0.1)


def test_a_search_opens_with_its_clip_keywords_and_looks(
    run: Run, started: list[InspectorStart]
) -> None:
    looks = ("--theme", "light", "--ascii", "--images", "off")
    run("search", "--video", "urban_bicyclist_0002", "--keywords", "bicyclist", *looks, "-i")

    (start,) = started
    assert start.query == AskedQuery("video", "urban_bicyclist_0002")
    assert start.groups == ("object_type",)
    assert "object_type:pedestrian" in start.left_out
    assert "object_type:bicyclist" not in start.left_out
    assert (start.theme, start.ascii, start.images) == ("light", True, "off")


def test_a_run_hands_its_request_to_the_inspector(run: Run, started: list[InspectorStart]) -> None:
    options = ("--mode", "video", "--sample", "9", "--seed", "3", "--limit", "5", "--k", "2,4")
    policies = ("--ties", "expected", "--no-relevant", "zero", "--min-similarity", "0.2")
    code, error = run("run", "--profile", "ir", *options, *policies, "--inspect")

    assert (code, error) == (0, "")
    (start,) = started
    assert start.request is not None
    asked = start.request
    assert (asked.modes, asked.sample, asked.seed, asked.limit) == ("video", 9, 3, 5)
    assert (asked.policies.ties, asked.policies.no_relevant) == ("expected", "zero")
    assert (start.dataset.ks, start.dataset.profile) == ((2, 4), "ir")
    assert start.min_similarity == 0.2


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (("run",), ("--json",)),
        (("run",), ("--out", "x.json")),
        (("run",), ("--per-query", "x.csv")),
        (("run",), ("--export-trec", "x")),
        (("search", "car"), ("--format", "csv")),
        (("search", "car"), ("--relevant", "x")),
    ],
)
def test_what_no_screen_shows_is_refused_by_name(
    command: tuple[str, ...], option: tuple[str, ...], run: Run, started: list[InspectorStart]
) -> None:
    code, error = run(*command, *option, "-i")

    assert code == 2 and not started
    assert error == (
        f"error: --inspect and {option[0]} were given; "
        f"leave out one of the two: {option[0]} is for what is printed\n"
    )


@pytest.mark.parametrize("option", [("--theme", "light"), ("--keys", "vim"), ("--store", "x.db")])
def test_looks_need_a_screen(
    option: tuple[str, ...], run: Run, started: list[InspectorStart]
) -> None:
    code, error = run("run", *option)

    assert code == 2
    assert error == f"error: {option[0]} needs --inspect; add --inspect, or leave {option[0]} out\n"


@pytest.mark.parametrize("command", [("run",), ("search", "car"), ("labels",), ("moments",)])
def test_without_a_terminal_it_is_one_line(
    command: tuple[str, ...], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path))

    code, error = run(*command, "--inspect")

    assert code == 2
    assert error == (
        "error: the inspector needs a terminal; "
        f"leave --inspect out: tui-eval {command[0]} prints, also as JSON\n"
    )


def test_there_is_no_open_and_the_error_says_what_there_is(run: Run) -> None:
    code, error = run("open", "predictions.json")

    assert code == 2
    assert "there is no command open" in error
    assert "tui-eval labels … --inspect or tui-eval moments … --inspect" in error


def test_evaluate_shows_the_very_numbers_that_the_run_prints(
    started: list[InspectorStart],
    tmp_path: Path,
    encoder: SentenceEncoder,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["--mode", "video", "--sample", "40", "--seed", "7", "--limit", "30", "--k", "1,4"]
    options += [
        "--keywords",
        "bicyclist,pedestrian",
        "--no-relevant",
        "zero",
        "--self-clip",
        "keep",
    ]
    assert run_command_line(["run", *options, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert run_command_line(["run", *options, "--inspect"]) == 0
    (start,) = started

    async def flow(see: Inspector) -> None:
        evaluate = see.app.evaluate_screen
        queries = evaluate.query_one("#queries", LineTable)
        await see.until(lambda: queries.source is not None, "the table")
        table = evaluate.table
        assert table is not None
        means = {row["id"]: row["mean"] for row in printed["metrics"]}
        for measure in table.measures:
            mean = np.nanmean(table.scores.column(measure))
            assert mean == pytest.approx(means[str(measure)], abs=1e-12)
        asked = [row["query"] for row in printed["per_query"] if row["keywords"]]
        assert sorted(table.names) == sorted(asked)
        assert "40 clips drawn with seed 7 · the first 30 queries" in see.screen_text
        assert "no relevant zero · self clip keep" in see.screen_text

    inspect_as_started(flow, start, tmp_path, encoder)


def test_a_run_shows_every_metric_that_it_prints(
    started: list[InspectorStart],
    tmp_path: Path,
    encoder: SentenceEncoder,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ("--mode", "video", "--limit", "9", "--metrics", "P@3", "--k", "2", "--confusion")
    assert run_command_line(["run", *options, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert run_command_line(["run", *options, "--inspect"]) == 0
    (start,) = started

    async def flow(see: Inspector) -> None:
        evaluate = see.app.evaluate_screen
        await see.until(lambda: evaluate.table is not None, "the table")
        assert evaluate.table is not None
        counted = ["P@3", "TP@2", "FP@2", "FN@2", "TN@2"]
        assert [str(measure) for measure in evaluate.table.measures] == counted
        await see.press("M")
        await see.says("FN@2")
        for row in printed["metrics"]:
            label = "Recall@3" if row["id"] == "P@3" else row["id"]
            above = f"{'' if row['above_chance'] else 'not '}above chance"
            chance = f"chance {row['chance']:.3f}: {above}"
            formula = re.escape(row["formula"])
            assert re.search(rf"{label} +{row['mean']:.3f}  {chance}  {formula}", see.screen_text)
        await see.press("escape")

    inspect_as_started(flow, start, tmp_path, encoder)


def test_a_search_shows_its_metrics_its_counts_and_the_ranks_in_another_model(
    started: list[InspectorStart],
    tmp_path: Path,
    encoder: SentenceEncoder,
    capsys: pytest.CaptureFixture[str],
) -> None:
    clip = ("--video", "urban_bicyclist_0002", "--model", "alfa-0.2", "--against", "alfa-0.1")
    options = [*clip, "--metrics", "AP,MRR@5", "--k", "4", "--confusion"]
    assert run_command_line(["search", *options, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert run_command_line(["search", *options, "--inspect"]) == 0
    (start,) = started
    assert not start.evaluates_at_once

    async def flow(see: Inspector) -> None:
        await see.answered("urban_bicyclist_0002")
        shown = see.home.panes.shown
        assert shown is not None and shown.standing is not None
        assert shown.standing.model == "alfa-0.1"
        ranks = [shown.standing.rank(one["slice_id"]) for one in printed["results"]]
        assert ranks == [one["rank_in"]["alfa-0.1"] for one in printed["results"]]
        found = {str(pair.measure): pair.published for pair in shown.answer.pairs}
        assert found == {one["id"]: one["mean"] for one in printed["metrics"]}
        assert list(found) == ["AP", "RR@5", "TP@4", "FP@4", "FN@4", "TN@4"]

    inspect_as_started(flow, start, tmp_path, encoder)


@pytest.mark.slow
def test_both_modes_of_a_run_are_evaluated_when_they_are_looked_at(
    started: list[InspectorStart], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    encoder.wait_until_ready()
    assert run_command_line(["run", "--limit", "4", "--inspect"]) == 0
    (start,) = started

    async def flow(see: Inspector) -> None:
        queries = see.app.evaluate_screen.query_one("#queries", LineTable)
        await see.until(lambda: queries.source is not None, "the text queries")
        assert "4 text queries" in see.screen_text
        await see.press("t")
        await see.says("4 video queries")

    inspect_as_started(flow, start, tmp_path, encoder)


# Compare


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Two models over the same 120 clips and 20 texts, saved."""
    folder = tmp_path_factory.mktemp("saved")
    files = str(folder / "old.json"), str(folder / "new.json")
    for number, file in enumerate(files, start=1):
        sampled = ("--mode", "video", "--sample", "120", "--model", f"alfa-0.{number}")
        assert run_command_line(["run", *sampled, "--out", file]) == 0
    return files


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[CompareStart]:
    """What the Compare screen would have been started with."""
    starts: list[CompareStart] = []
    monkeypatch.setattr(
        "tui.cli.compare.command.run_compare", lambda start: starts.append(start) or 0
    )
    return starts


def test_compare_shows_the_very_numbers_that_it_prints(
    saved: tuple[str, str], compared: list[CompareStart], capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--metrics", "MRR@5,Recall@3,Recall@5", "--main", "Recall@3", "--level", "0.9"]
    assert run_command_line(["compare", *saved, *options, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    options += ["--names", "old,new"]  # by which no model of a dataset is found
    assert run_command_line(["compare", *saved, *options, "-i", "--theme", "light"]) == 0
    (start,) = compared
    assert start.theme == "light"

    async def flow() -> None:
        app = CompareApp(start)
        async with app.run_test(size=(130, 40)) as pilot:
            see = Piloted(app, pilot)
            await see.says("120 video queries")
            assert "Compare · saved results · old → new\n" in see.screen_text
            table = app.screen.listing.result
            assert str(table.main) == "P@3"
            said = printed["modes"]["video"]
            check_differences(table, said)
            assert len(table.statistics.slices) == len(said["slices"])
            worst = said["regressions"][0]["queries"]
            first = table.order()[: len(worst)].tolist()
            assert [table.name(row) for row in first] == [one["query"] for one in worst]
            fell = sum(one["hit"] and one["rank_after"] is None for one in worst[0]["flips"])
            assert table.fell_out[first[0]] == fell
            await see.press("enter")
            await see.says("Saved results cannot be opened in Inspect")
            for key in ("b", "a", "x", "plus"):
                app.clear_notifications()
                await see.press(key)
                await see.says("Nothing is judged here: saved results without their dataset")
            assert "Bias" not in see.footer
            await see.press("m")
            await see.says("new → old")
            await app.action_quit()

    asyncio.run(flow())


def test_saved_queries_without_a_keyword_are_not_called_without_a_relevant_clip(
    tmp_path: Path,
) -> None:
    files = [tmp_path / "old.json", tmp_path / "new.json"]
    chosen = ["--mode", "video", "--sample", "60", "--groups", "actor_behavior"]
    for number, file in enumerate(files, start=1):
        model = ["--model", f"alfa-0.{number}"]
        assert run_command_line(["run", *chosen, *model, "--out", str(file)]) == 0
    systems = [read_saved_run(file).results for file in files]
    table = CompareTable.of_saved(compare(systems), "video")

    (row,) = np.flatnonzero(np.isnan(table.change)).tolist()

    lines = [*draw_metrics(table, 100, UNICODE), *draw_flips(table, row, 80, UNICODE)]
    said = ["".join(text for text, _ in line.spans) for line in lines]
    assert "59 of 60 queries count · 1 has no keyword" in said
    assert "does not count: no keyword" in said
    unknown = [replace(one, keywords=(*one.keywords[:30], *[()] * 30)) for one in systems]
    table = CompareTable.of_saved(compare(unknown), "video")  # those that count need none
    assert table.no_keyword.tolist() == np.isnan(table.change).tolist()


def test_run_files_of_any_tool_are_compared_on_the_screen(
    compared: list[CompareStart], tmp_path: Path
) -> None:
    queries = [f"q{number}" for number in range(12)]
    (tmp_path / "qrels.txt").write_text("".join(f"{query} 0 a 1\n" for query in queries))
    files = [tmp_path / name for name in ("old.run", "new.run")]
    for file, first in zip(files, ("b", "a"), strict=True):
        lines = (f"{query} Q0 {clip} 1 {clip == first:d} x\n" for query in queries for clip in "ab")
        file.write_text("".join(lines))
    judged = ["--qrels", str(tmp_path / "qrels.txt"), "--main", "P@1"]
    assert run_command_line(["compare", *map(str, files), *judged, "-i"]) == 0
    (start,) = compared

    async def flow() -> None:
        app = CompareApp(start)
        async with app.run_test(size=(130, 40)) as pilot:
            see = Piloted(app, pilot)
            await see.says("12 ranked queries")
            assert "old → new" in see.screen_text and "▲ +1.00" in see.screen_text
            await app.action_quit()

    asyncio.run(flow())


def check_differences(table: CompareTable, said: dict[str, Any]) -> None:
    """Each change of the table is the one that was printed."""
    changes = {str(one.measure): one.difference for one in table.statistics.changes}
    for one in said["differences"]:
        found = changes[one["id"]]
        assert (found.value, found.holm) == (one["difference"], one["p"]["holm"])
        assert (found.interval.low, found.interval.high) == (one["low"], one["high"])


def test_runs_of_one_dataset_are_compared_as_saved_and_their_queries_opened_in_inspect(
    saved: tuple[str, str],
    started: list[InspectorStart],
    tmp_path: Path,
    encoder: SentenceEncoder,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["--metrics", "MRR@5,Recall@3", "--level", "0.9"]
    assert run_command_line(["compare", *saved, *options, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert run_command_line(["compare", *saved, *options, "-i", "--theme", "light"]) == 0
    (start,) = started
    assert start.theme == "light"

    async def flow(see: Inspector) -> None:
        await see.says("120 video queries")
        assert "Compare · saved results · alfa-0.1 → alfa-0.2\n" in see.screen_text
        table = see.app.compare_screen.listing.result
        assert table is not None and len(table.statistics.changes) == 3  # and Recall@5
        check_differences(table, printed["modes"]["video"])
        worst = printed["modes"]["video"]["regressions"][0]["queries"][0]
        await see.press("enter")
        await see.until(lambda: see.inspection is not None, "the answer")
        assert see.inspection is not None
        question = see.inspection.question
        assert (question.query, question.model) == (worst["query"], "alfa-0.2")
        clips = {one["rank_after"]: one["id"] for one in worst["flips"] if one["rank_after"]}
        shown = [see.inspection.clip(row) for row in range(max(clips))]
        assert {rank: shown[rank - 1] for rank in clips} == clips
        await see.press("escape")
        await see.until(lambda: see.app.screen is see.app.compare_screen, "the comparison")
        assert see.app.compare_screen.listing.result is table

    inspect_as_started(flow, start, tmp_path, encoder)


def test_the_queries_of_saved_runs_are_judged_where_their_dataset_is(
    saved: tuple[str, str],
    started: list[InspectorStart],
    tmp_path: Path,
    encoder: SentenceEncoder,
) -> None:
    assert run_command_line(["compare", *saved, "-i"]) == 0
    (start,) = started

    async def flow(see: Inspector) -> None:
        await see.says("120 video queries")
        screen = see.app.compare_screen
        table = screen.listing.result
        assert table is not None
        query = table.name(table.order()[0])
        assert see.footer["Bias"] == "b" and see.footer["Note"] == "a"
        await see.press("b", "j", "tab")
        await see.type("a tram")
        await see.press("enter")
        said = see.session().query_judgements("video")[query]
        assert (said.mark, said.note) == ("bias", "a tram")
        assert said.seen is not None and said.seen.model == "alfa-0.2"
        assert said.seen.groups == table.after.words.groups != ()
        assert f"note on “{query}” · u undoes" in see.title
        await see.press("x", "u", "u", "u")
        assert see.session().query_judgements("video") == {}
        assert see.app.screen is screen and "ctrl+r redoes" in see.title

    inspect_as_started(flow, start, tmp_path, encoder)


@pytest.mark.parametrize(
    "dataset",
    [
        {"source": "/no/such/folder"},
        {"source": None},
        {"source": "--annotations /no/such.csv --embeddings /no/such.npz"},
        {"source": 7},
    ],
)
def test_runs_without_a_dataset_that_both_name_are_compared_alone(
    dataset: dict[str, Any],
    saved: tuple[str, str],
    run: Run,
    started: list[InspectorStart],
    compared: list[CompareStart],
    tmp_path: Path,
) -> None:
    for name, file in zip("ab", saved, strict=True):
        document = json.loads(Path(file).read_text())
        document["dataset"] |= dataset
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    a, b = str(tmp_path / "a.json"), str(tmp_path / "b.json")

    for files in ((a, b), (saved[0], b)):
        assert run("compare", "-i", *files) == (0, "")

    assert len(compared) == 2 and not started


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--json",), "--inspect and --json were given"),
        (("--all-pairs",), "--inspect and --all-pairs were given"),
        (("--tests",), "--inspect and --tests were given"),
        (("--theme", "neon"), 'no theme "neon"'),
        (("old.json",), "old.json: no such file"),
    ],
)
def test_what_compare_cannot_show_is_one_line(
    arguments: tuple[str, ...],
    words: str,
    saved: tuple[str, str],
    run: Run,
    compared: list[CompareStart],
) -> None:
    code, error = run("compare", "-i", *saved, *arguments)

    assert code == 2 and not compared
    assert words in error and error.count("\n") == 1


def test_a_screen_compares_two(
    saved: tuple[str, str], run: Run, compared: list[CompareStart]
) -> None:
    code, error = run("compare", "-i", *saved, saved[0])

    assert code == 2 and "--inspect compares two; name two files" in error


@pytest.mark.parametrize("arguments", [("search", "a cyclist", "-i"), ("inspect",)])
def test_a_command_leaves_the_garbage_collector_as_it_was(
    arguments: tuple[str, ...], run: Run, started: list[InspectorStart]
) -> None:
    """Also if the app, which would begin to collect, never got ready."""
    code, _ = run(*arguments)

    assert (code, len(started)) == (0, 1)
    assert gc.isenabled()
