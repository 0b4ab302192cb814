"""Compare inside the inspector: two models, the worst regression first, dive and come back."""

from __future__ import annotations

import csv
import threading
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from textual.widgets import Static

from engine.base.choices import Mode
from engine.base.progress import ProgressHook, Step
from engine.compare import CompareSettings
from engine.compare.table import CompareTable
from engine.compare.top_results import TopResult
from engine.keywords.evaluated_run import EvaluatedRun
from engine.keywords.run import RunRequest, run_request
from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import (
    CLIP,
    GROUPS,
    Inspector,
    inspect,
    sample,
    small_dataset,
    workbench,
)
from tests.tui.piloted import LIMIT
from tui.compare.panes import FlipPane, HeadStrip
from tui.compare.rows import title_slice
from tui.compare.text import draw_flip
from tui.look.glyphs import UNICODE
from tui.widgets.line_table import LineTable
from tui.widgets.plot_pane import PlotPane
from tui.work.scope import Scope

MODELS = ("alfa-0.1", "alfa-0.2")


@cache
def evaluated(encoder: SentenceEncoder, mode: Mode, model: str) -> EvaluatedRun:
    request = RunRequest(modes=mode, groups=GROUPS, model=model)
    return EvaluatedRun.of(run_request(request, workbench(encoder)))


@cache
def table(encoder: SentenceEncoder, mode: Mode = "video") -> CompareTable:
    """The comparison as the engine gives it."""
    return CompareTable.of(*(evaluated(encoder, mode, model) for model in MODELS))


def names_in_order(wanted: CompareTable) -> list[str]:
    return [wanted.name(row) for row in wanted.order().tolist()]


def queries(see: Inspector) -> LineTable:
    return see.app.compare_screen.query_one("#queries", LineTable)


def shown(see: Inspector) -> list[str]:
    return [row[5] for row in see.rows(queries(see))]


def flips(see: Inspector) -> str:
    return see.app.compare_screen.query_one(FlipPane).text


def head(see: Inspector) -> str:
    return see.app.compare_screen.query_one(HeadStrip).text


def title(see: Inspector) -> str:
    return str(see.app.compare_screen.query_one("#title", Static).content)


async def compared(see: Inspector, mode: Mode = "video") -> None:
    """4, r: the table is there afterwards."""
    await see.press("4")
    if mode == "video":
        await see.press("t")
    await see.press("r")
    await there(see)


async def there(see: Inspector) -> None:
    """Wait for the table, and for the lines above it."""
    await see.until(lambda: queries(see).source is not None, "the table")
    await see.until(lambda: "queries count" in head(see), "the numbers of both models")


@pytest.mark.slow
def test_two_models_are_compared_worst_regression_first(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    wanted = table(encoder)
    change = wanted.statistics.change(wanted.main)

    async def flow(see: Inspector) -> None:
        await see.press("4", "t")
        assert "Nothing is compared yet." in see.screen_text
        assert "r asks alfa-0.1 and alfa-0.2" in " ".join(see.screen_text.split())
        assert "Slices" not in see.footer  # there is nothing to slice
        await see.press("r")
        await there(see)
        assert shown(see) == names_in_order(wanted)
        assert "271 of 284 video queries count · worst regression first" in title(see)
        main = next(line for line in head(see).splitlines() if line.startswith("Recall@5"))
        for value in (change.before.value, change.after.value, change.difference.value):
            assert f"{value:.3f}" in main
        interval = change.difference.interval
        assert f"{interval.low:+.3f} to {interval.high:+.3f}" in main
        counts = change.difference.counts
        assert f"{counts.wins}/{counts.ties}/{counts.losses}" in main
        assert "▲ better" in main
        assert "hits@5 / 5" in main
        assert "271 of 284 queries count · 13 have no relevant clip" in head(see)

    inspect(flow, tmp_path, encoder)


@pytest.mark.slow
def test_text_queries_that_have_no_keyword_are_counted_and_not_listed(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    wanted = table(encoder, "text")

    async def flow(see: Inspector) -> None:
        await compared(see, "text")
        assert shown(see) == names_in_order(wanted)
        assert "52 of 61 queries count · 9 have no keyword" in head(see)
        assert "52 of 61 text queries count · worst" in title(see)
        assert "= no difference found" in head(see)  # of Recall@1

    inspect(flow, tmp_path, encoder)


def test_the_detail_follows_the_cursor_and_shows_every_rank_flip(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    wanted = table(encoder)
    order = wanted.order().tolist()

    async def flow(see: Inspector) -> None:
        await compared(see)
        for row in order[:3]:
            await see.until(
                lambda row=row: flips(see).startswith(wanted.name(row)), wanted.name(row)
            )
            lines = flips(see).splitlines()
            for result in wanted.results(row):
                (line,) = (one for one in lines if result.clip in one)
                assert line.startswith("✅" if result.relevant else "❌")
                before, after = (f"#{r}" if r else ">5" for r in (result.before, result.after))
                assert f" {before} → {after} " in line
                assert ("fell out" in line) == (not result.after)
                assert ("came in" in line) == (not result.before)
                rose = (result.after or 9) < (result.before or 9)
                moved = result.after != result.before
                assert (" good " in line) == (moved and rose == result.relevant)
                assert (" bad " in line) == (moved and rose != result.relevant)
            assert f"relevant: {wanted.fell_out[row]} out, {wanted.came_in[row]} in" in flips(see)
            await see.press("j")

    inspect(flow, tmp_path, encoder)


def test_a_move_is_coloured_by_whether_it_is_good_and_says_so() -> None:
    moves = {
        (1, 2, True): ("▼ 1 lower", "bad", "miss"),
        (2, 1, True): ("▲ 1 higher", "good", "hit"),
        (1, 0, True): ("▼ fell out", "bad", "miss"),
        (0, 1, True): ("▲ came in", "good", "hit"),
        (1, 2, False): ("▼ 1 lower", "good", "hit"),
        (0, 5, False): ("▲ came in", "bad", "miss"),
        (1, 0, False): ("▼ fell out", "good", "hit"),
        (3, 3, True): ("= same", "", "dim"),
    }
    for (before, after, relevant), (move, verdict, kind) in moves.items():
        spans = draw_flip(TopResult("clip", relevant, before, after), 5, 60, UNICODE).spans

        (text, painted) = next(span for span in spans if move in span[0])
        assert text.split() == [*move.split(), *verdict.split()]
        assert painted == kind


def test_where_there_is_room_no_query_no_keyword_and_no_flip_is_cut(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await compared(see, "text")
        await see.until(lambda: "fell out" in see.screen_text, "the flips")
        assert "…" not in see.screen_text

    inspect(flow, tmp_path, encoder, size=(200, 50))


def test_a_metric_is_one_line_also_where_there_is_little_room(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await compared(see, "text")
        await see.says("52 of 61 queries count")
        lines = see.screen_text.splitlines()
        first = next(n for n, line in enumerate(lines) if line.split()[:1] == ["metric"])
        assert [line.split()[0] for line in lines[first + 1 : first + 4]] == [
            "Recall@1", "Recall@3", "Recall@5",
        ]  # fmt: skip
        assert lines[first + 1].rstrip().endswith("= no difference found")
        assert "52 of 61 queries count" in lines[first + 4]
        assert lines[first + 5].split()[0] == "change▲"

    inspect(flow, tmp_path, encoder, size=(60, 20))


def test_what_rose_in_the_comparison_rose_in_inspect_too(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    wanted = table(encoder)
    row = next(
        row
        for row in wanted.order().tolist()
        if {(one.before > one.after) - (one.before < one.after) for one in wanted.results(row)
            if one.before and one.after} >= {-1, 1}
    )  # fmt: skip

    async def flow(see: Inspector) -> None:
        await compared(see)
        await see.until(lambda: len(shown(see)) > 0, "the rows")
        queries(see).cursor = shown(see).index(wanted.name(row))
        await see.press("enter")
        await see.answered(wanted.name(row))
        await see.until(lambda: all(len(one) > 5 for one in see.rows()), "the ranks before")
        signs = {one[3]: one[5] for one in see.rows()}
        for one in wanted.results(row):
            if one.before and one.after:
                sign = "▲" if one.after < one.before else "▼" if one.after > one.before else "="
                assert signs[one.clip].startswith(f"#{one.before} {sign}"), one

    inspect(flow, tmp_path, encoder)


def test_enter_opens_the_query_with_the_model_after_and_escape_returns_to_its_row(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    names = names_in_order(table(encoder))

    async def flow(see: Inspector) -> None:
        await compared(see)
        await see.press("j", "j", "enter")
        assert see.app.screen is see.home
        await see.answered(names[2])
        assert see.inspection is not None
        assert see.inspection.question.model == "alfa-0.2"
        assert "in alfa-0.1" in see.detail
        await see.press("right_square_bracket")
        await see.answered(names[3])
        await see.press("escape")
        assert see.app.screen is see.app.compare_screen
        assert shown(see)[queries(see).cursor] == names[3]
        assert "made with other settings" not in title(
            see
        )  # that the model is asked now is no news

    inspect(flow, tmp_path, encoder)


@pytest.mark.slow
def test_n_goes_to_the_next_query_that_got_worse_and_the_order_can_be_another(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    wanted = table(encoder)
    worse = {wanted.name(row) for row in np.flatnonzero(wanted.regressed).tolist()}

    async def flow(see: Inspector) -> None:
        await compared(see)
        second = shown(see)[1]
        await see.press("j", "S")
        assert "best gain first" in title(see)
        assert shown(see)[queries(see).cursor] == second  # the cursor stays on its query
        await see.press("g", "n")
        assert shown(see)[queries(see).cursor] in worse
        assert not worse & set(shown(see)[: queries(see).cursor])
        await see.press("G", "N")
        assert shown(see)[queries(see).cursor] in worse
        await see.press("s", "s", "s", "s")  # after the change, before, after: what came in
        assert "most" in title(see)

    inspect(flow, tmp_path, encoder)


def test_a_filter_keeps_queries_and_says_what_their_means_are(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    wanted = table(encoder)
    kept = [
        row
        for row in wanted.order().tolist()
        if "object_type:bollard" in map(str, wanted.keywords(row))
    ]
    means = wanted.means(np.array(kept))

    async def flow(see: Inspector) -> None:
        await compared(see)
        await see.press("slash")
        await see.type("kw:bollard")
        await see.press("enter")
        assert shown(see) == [wanted.name(row) for row in kept]
        assert f"{len(kept)} of 284" in title(see)
        assert f"{means.before:.3f} → {means.after:.3f}" in head(see)
        assert f"n = {means.n}, not tested" in head(see)
        await see.press("escape")
        assert len(shown(see)) == 284
        assert see.app.screen is see.app.compare_screen

    inspect(flow, tmp_path, encoder)


def test_a_slice_is_kept_and_left_again(tmp_path: Path, encoder: SentenceEncoder) -> None:
    wanted = table(encoder)
    slices = wanted.statistics.slices

    async def flow(see: Inspector) -> None:
        await compared(see)
        await see.press("F")
        pane = see.app.compare_screen.slices
        assert len(see.rows(pane)) == len(slices)
        assert [row[1] for row in see.rows(pane)] == [str(one.difference.n) for one in slices]
        assert "3 with under 10 queries are not listed" in title(see)
        await see.press("j", "enter")
        piece = slices[1].slice
        assert f"only {title_slice(piece)}" in title(see)
        assert len(shown(see)) == int(wanted.within(piece).sum())
        await see.press("escape")
        assert pane.has_focus
        assert pane.subject == piece
        assert len(shown(see)) == 284
        await see.press("escape", "escape")
        assert see.app.screen is see.home

    inspect(flow, tmp_path, encoder)


def test_the_plots_show_both_models_with_their_values(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    wanted = table(encoder)

    async def flow(see: Inspector) -> None:
        await compared(see)
        await see.press("P")
        await see.says("Precision@k")
        drawn = see.app.compare_screen.query_one(PlotPane).text
        for model, evaluated in zip(MODELS, (wanted.before, wanted.after), strict=True):
            line = next(line for line in drawn.splitlines() if model in line)
            assert f"{evaluated.scores.mean(wanted.main):.2f}" in line
        assert "Similarity, alfa-0.1" in drawn
        assert "Open" not in see.footer  # no query is chosen there
        await see.press("escape")
        assert see.focused == "queries"
        assert see.app.screen is see.app.compare_screen

    inspect(flow, tmp_path, encoder)


@pytest.mark.slow
def test_what_evaluate_has_computed_is_used_again(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tui.work.evaluations

    real, asked = tui.work.evaluations.evaluate_set, list[str]()

    def noted(bench: object, mode: Mode, scope: Scope, report: ProgressHook) -> EvaluatedRun:
        asked.append(scope.model)
        return real(bench, mode, scope, report)  # type: ignore[arg-type]

    monkeypatch.setattr(tui.work.evaluations, "evaluate_set", noted)

    async def flow(see: Inspector) -> None:
        await see.press("2", "t", "r")
        await see.says("mean of n")
        await compared(see)
        assert asked == ["alfa-0.1", "alfa-0.2"]
        await see.press("X", "r")
        await see.until(lambda: "alfa-0.2 → alfa-0.1" in title(see), "the other way round")
        assert asked == ["alfa-0.1", "alfa-0.2"]

    inspect(flow, tmp_path, encoder)


@pytest.mark.slow
def test_swapped_models_or_other_groups_mark_the_table_as_old(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    old = table(encoder)

    async def flow(see: Inspector) -> None:
        await compared(see)
        await see.press("m")
        assert "made with other settings: r runs it again (alfa-0.2 → alfa-0.1)" in title(see)
        assert shown(see) == names_in_order(old)
        await see.press("m")
        assert "made with other settings" not in title(see)
        await see.press("1", "p", "space", "4")  # one group less counts
        assert "made with other settings: r runs it again" in title(see)
        await see.press("r")
        await see.until(lambda: "made with other settings" not in title(see), "a new table")

    inspect(flow, tmp_path, encoder)


def test_of_three_models_one_chooses_with_which_to_compare(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    models = sample().models
    third = replace(models["alfa-0.1"], name="alfa-0.3")
    dataset = replace(sample(), models={**models, "alfa-0.3": third})

    async def flow(see: Inspector) -> None:
        await see.press("4", "t", "m")
        await see.says("Compare alfa-0.1 with which model?")
        await see.press("3")
        await see.until(lambda: "alfa-0.1 → alfa-0.3" in title(see), "the other pair")
        await see.press("r")
        await there(see)
        assert "= no difference found" in head(see)  # it is the same model by another name
        await see.press("enter")
        await see.until(lambda: see.app.screen is see.home, "Inspect")
        await see.answered()
        assert "in alfa-0.1" in see.detail  # not in the next model of the dataset

    inspect(flow, tmp_path, encoder, dataset=dataset)


def test_a_comparison_is_cancelled_by_escape_and_can_be_run_again(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tui.work.evaluations

    real, hold, ended = tui.work.evaluations.evaluate_set, threading.Event(), threading.Event()

    def held(bench: object, mode: Mode, scope: Scope, report: ProgressHook) -> EvaluatedRun:
        report(Step(mode, "evaluating", 7, 284))
        hold.wait(LIMIT)
        try:
            return real(bench, mode, scope, report)  # type: ignore[arg-type]
        finally:
            ended.set()

    monkeypatch.setattr(tui.work.evaluations, "evaluate_set", held)

    async def flow(see: Inspector) -> None:
        await see.press("4", "t", "r")
        await see.says("7 of 284")
        assert "alfa-0.1, 1 of 2 models" in title(see)
        assert "Run" not in see.footer  # one at a time
        await see.press("escape")
        assert "Nothing is compared yet." in see.screen_text
        hold.set()
        await see.until(ended.is_set, "the thread ends")
        await see.pilot.pause()
        assert queries(see).source is None
        await see.press("r")
        await there(see)

    inspect(flow, tmp_path, encoder)


def test_with_one_model_the_screen_says_how_to_add_another(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "d", "a,a.mp4,,car,city\nb,b.mp4,,car,city")

    async def flow(see: Inspector) -> None:
        await see.press("4")
        assert "This dataset has one model" in see.screen_text
        assert "[models.NAME]" in see.screen_text
        assert "Run" not in see.footer
        await see.press("r", "X", "m", "enter", "escape")
        assert see.app.screen is see.home

    inspect(flow, tmp_path, encoder, dataset=dataset)


def test_models_without_a_query_in_common_say_so_and_the_app_goes_on(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    clips = "\n".join(f"c{n},c{n}.mp4,,car,city" for n in range(6))
    dataset = small_dataset(tmp_path / "d", clips, "one two")
    for model, ids in (("one", ["c0", "c1", "c2"]), ("two", ["c3", "c4", "c5"])):
        vectors = np.eye(3, 8, dtype=np.float32)
        np.savez(tmp_path / "d" / f"{model}.npz", ids=np.array(ids), embeddings=vectors)

    async def flow(see: Inspector) -> None:
        await see.press("4", "r")  # video queries: no text can be asked of these embeddings
        await see.says("have no query in common")
        assert "r runs it again" in see.screen_text
        assert see.footer["Run"] == "r"
        await see.press("escape")
        assert see.app.screen is see.home

    inspect(flow, tmp_path, encoder, dataset=dataset)


def test_w_writes_the_rows_that_are_shown_and_never_over_a_file(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "compare-video-alfa-0.1-alfa-0.2.csv").write_text("mine")
    wanted = table(encoder)

    async def flow(see: Inspector) -> None:
        await compared(see)
        await see.press("slash")
        await see.type("kw:bollard")
        await see.press("enter", "w")
        file = tmp_path / "compare-video-alfa-0.1-alfa-0.2-2.csv"
        await see.says(f"written to {file.name}")
        rows = list(csv.DictReader(file.open()))
        assert [row["query"] for row in rows] == shown(see)
        by_name = {wanted.name(row): row for row in range(len(wanted))}
        for row in rows:
            change = wanted.change[by_name[row["query"]]]
            assert row["P@5 change"] == ("" if np.isnan(change) else repr(float(change)))
        assert (tmp_path / "compare-video-alfa-0.1-alfa-0.2.csv").read_text() == "mine"

    inspect(flow, tmp_path, encoder)


def test_every_metric_stands_in_a_dialog_with_how_it_was_tested(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await compared(see)
        await see.press("M")
        await see.says("Metrics of both models")
        text = " ".join(see.screen_text.split())
        for label in ("MAP@5", "NDCG@3", "MRR@5", "sign-flip permutation test", "10,000 resamples"):
            assert label in text
        await see.press("escape")
        assert see.app.screen is see.app.compare_screen

    inspect(flow, tmp_path, encoder, size=(120, 50))


def test_keys_that_come_at_once_are_done_in_order(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await compared(see)
        name = shown(see)[1]
        see.burst("j", "enter", "escape", "j", "P", "P", "F", "F", "slash", *"urban", "enter")
        await see.until(lambda: "filter urban" in title(see), "the filter")
        assert see.app.screen is see.app.compare_screen
        assert all("urban" in query for query in shown(see))
        await see.press("1")
        await see.answered(name)

    inspect(flow, tmp_path, encoder)


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (100, 30), (170, 45)])
def test_every_pane_is_there_at_every_size(
    size: tuple[int, int], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await compared(see)
        await see.until(lambda: flips(see).startswith(shown(see)[0]), "the detail")
        assert shown(see)[0][:12] in see.screen_text
        assert "▲ better" in see.screen_text
        await see.press("F")
        await see.says("queries with")
        await see.press("P")
        await see.says("Recall@k")

    inspect(flow, tmp_path, encoder, size=size)


def test_a_clip_that_was_asked_before_is_not_lost(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("4", "t", "r")
        await there(see)
        await see.press("escape")
        assert see.inspection is not None
        assert (see.inspection.query, see.inspection.question.model) == (CLIP, "alfa-0.1")

    inspect(flow, tmp_path, encoder)


def test_the_settings_are_those_of_the_command_line(encoder: SentenceEncoder) -> None:
    assert table(encoder).statistics.settings == CompareSettings()


def test_the_model_that_a_dive_changes_is_undone_in_turn(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        def asked() -> tuple[str, float | None]:
            return see.home.question.model, see.home.question.min_similarity

        await see.answered(CLIP)
        await see.do("inspect.least_similarity")
        await see.press("0", ".", "1", "enter")
        await see.answered(CLIP)
        await compared(see)
        await see.press("enter")
        dived = see.home.question.query
        await see.answered(dived)
        assert asked() == ("alfa-0.2", 0.1)
        assert "model alfa-0.1 → alfa-0.2" in see.title and "undoes" in see.title

        for key, then in (
            ("app.undo", ("alfa-0.1", 0.1)),
            ("app.undo", ("alfa-0.1", None)),
            ("app.redo", ("alfa-0.1", 0.1)),
            ("app.redo", ("alfa-0.2", 0.1)),
        ):
            await see.do(key)
            await see.until(lambda then=then: asked() == then, f"{then}")  # type: ignore[misc]
            await see.answered()
            assert "not so in this window" not in " ".join(see.toasts)
        assert see.home.question.query == dived

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_a_dive_back_to_the_model_before_is_undone_first(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.do("app.next_model")
        await see.until(lambda: see.home.question.model == "alfa-0.2", "the other model")
        await see.answered(CLIP)
        see.app.open_compared(("alfa-0.2", "alfa-0.1"), "video", CLIP, ())
        await see.until(lambda: see.home.question.model == "alfa-0.1", "the model after")
        await see.answered(CLIP)
        for key, then in (("undo", "alfa-0.2"), ("undo", "alfa-0.1"), ("redo", "alfa-0.2")):
            await see.do(f"app.{key}")
            await see.until(lambda then=then: see.home.question.model == then, then)  # type: ignore[misc]
            await see.answered(CLIP)
        assert "not so in this window" not in " ".join(see.toasts)

    inspect(flow, tmp_path, encoder, query=("video", CLIP))
