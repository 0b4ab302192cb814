"""Label files in the inspector: neighbours with their labels, scores, and what is confused."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from engine.base.messages import format_percentage
from engine.labels import compute_label_recall_at_k
from engine.labels.data.label_files import LabelFiles, LevelFile
from engine.labels.data.labelled_items import read_labelled
from engine.labels.dataset import LabelDataset, build_label_dataset
from engine.labels.scoring.label_run import LabelScore, score_labels
from engine.text.encoder import SentenceEncoder
from tests.engine.labels.label_files_by_hand import label_files
from tests.tui.inspector import CLIP, Flow, Inspector, inspect, small_dataset
from tui.evaluate.confusion_table import ConfusionTable
from tui.evaluate.screen import EvaluateScreen
from tui.opening.label_files import find_sample_label_files, open_labels
from tui.opening.source import dump_source


@cache
def labels() -> LabelDataset:
    """The shipped label sample."""
    return open_labels(find_sample_label_files())


@cache
def scored(direction: str, level: str = "scene") -> LabelScore:
    """What the command line says of a direction of the sample."""
    files = find_sample_label_files()
    run = score_labels(read_labelled(files), files.modalities.parse([direction]), ks=[10, 50, 100])
    (score,) = run.of_level(level)
    return score


def inspect_labels(flow: Flow, folder: Path, encoder: SentenceEncoder, **options: object) -> None:
    inspect(flow, folder, encoder, **{"dataset": labels(), "source": "sample labels", **options})  # type: ignore[arg-type]


def confusion(see: Inspector) -> ConfusionTable:
    return see.app.evaluate_screen.query_one("#confusion", ConfusionTable)


async def evaluate(see: Inspector) -> None:
    await see.press("2", "r")
    await see.says("mean of n")


async def confuse(see: Inspector) -> None:
    await evaluate(see)
    await see.press("C")
    await see.until(lambda: confusion(see).shown is not None, "the confusion table")


# Inspect


def test_stepping_through_neighbours_shows_whether_each_has_the_label(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        truth, found = labels().truth, see.inspection
        assert found is not None
        for row, cells in enumerate(see.rows()[:40]):
            (label,) = truth.keywords_of(int(found.rows[row]), found.selection)
            assert cells[2] == f"{'✅' if label.name == 'urban' else '❌'} {label.name}"

        await see.press("n")  # the next that has another label
        await see.shows(str(see.results.clip))

        assert "❌" in see.detail and "urban" in see.detail
        assert re.search(r"object +bicyclist", see.detail)  # its label of the other level

    inspect_labels(flow, tmp_path, encoder)


def test_the_strip_has_label_scores_with_their_formula_also_on_a_small_terminal(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    score = scored("text2video")
    hits = score.hits[labels().truth.row_of(CLIP)].tolist()

    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        text = " ".join(see.metrics.split())
        for k, count in zip((10, 50, 100), hits, strict=True):
            assert f"@{k} {count / k:.3f}" in text
        assert "= same-label results among the first K / K" in text

    inspect_labels(flow, tmp_path, encoder, size=(80, 24))


@pytest.mark.parametrize("model", ["text2video", "video2video"])
def test_the_own_partner_is_listed_across_modalities_and_within_one_it_is_not(
    model: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    across = model == "text2video"

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        listed = [cells[3] for cells in see.rows()]
        assert (CLIP in listed) == across
        assert len(listed) == (284 if across else 283)
        assert f"relevant of {len(listed)}" in see.keywords
        if across:
            await see.press(*"j" * listed.index(CLIP))
            await see.shows(CLIP)
            assert "the same item as the query" in see.detail

    inspect_labels(flow, tmp_path, encoder, model=model, query=("video", CLIP))


def test_both_levels_count_together_when_both_are_chosen(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        first = see.rows()[0]
        assert first[2] == "✅ urban, bicyclist"
        assert any(cells[2].startswith("◐  urban, ") for cells in see.rows())

    inspect_labels(flow, tmp_path, encoder, query=("video", CLIP), groups=("scene", "object"))


def test_a_text_is_mapped_to_labels_and_asked(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask("on the highway")
        assert "highway" in see.keywords
        assert "LabelScore@10" in see.metrics

    inspect_labels(flow, tmp_path, encoder)


def test_texts_of_another_space_say_what_to_do_and_items_still_work(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = build_label_dataset(label_files(tmp_path))

    async def flow(see: Inspector) -> None:
        await see.press("slash")
        await see.type("kitchen")
        await see.press("enter")
        await see.says("FILE, or ask with an item")
        await see.press("escape")
        await see.ask_clip("3")
        assert "Hall" in see.keywords

    inspect(flow, tmp_path, encoder, dataset=dataset, source=dump_source(dataset))


def test_labels_with_commas_colons_and_capitals_are_shown_and_filtered_as_they_are(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    odd = ["Cook, eat", "12:30", "Cook, eat", 'say "hi"', "12:30", 'say "hi"', "cook, eat"]
    dataset = build_label_dataset(label_files(tmp_path, odd, None))

    async def flow(see: Inspector) -> None:
        await see.ask_clip("0")
        assert "Cook, eat" in see.keywords
        await confuse(see)
        names = [cells[0] for cells in see.rows(confusion(see))]
        assert sorted(names) == sorted(set(odd))
        for name in names:
            table = confusion(see)
            table.cursor = [cells[0] for cells in see.rows(table)].index(name)
            await see.press("enter")
            await see.says(f"{odd.count(name)} of 7 item queries")
            await see.press("escape")
            await see.until(lambda: confusion(see).shown is not None)

    inspect(flow, tmp_path, encoder, dataset=dataset, source=dump_source(dataset))


def test_more_results_are_asked_for_than_there_are(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = build_label_dataset(label_files(tmp_path))  # 6 items, K = 10, 50, 100

    async def flow(see: Inspector) -> None:
        await see.ask_clip("0")
        assert len(see.rows()) == 6
        assert "LabelScore@10 0.300" in see.metrics  # 3 kitchens of 10, as K stays
        assert "All 3 relevant items are in the top 100" in see.metrics
        await see.press("d")
        await see.says("K = 100 · nothing missed")
        await confuse(see)

    inspect(flow, tmp_path, encoder, dataset=dataset, source=dump_source(dataset))


# Evaluate


@pytest.mark.parametrize("direction", ["text2video", "text2text"])
def test_evaluate_starts_with_items_and_shows_what_the_function_returns(
    direction: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    data = read_labelled(find_sample_label_files())
    (level,) = (one for one in data.levels if one.name == "scene")
    names = [level.names[code] for code in level.codes]
    video, text = data.vectors["video"], data.vectors["text"]
    plain = direction.replace("video", "sensor")
    expected = compute_label_recall_at_k(video, text, names, [10, 50, 100], [plain], verbose=False)

    async def flow(see: Inspector) -> None:
        await evaluate(see)
        text = see.screen_text
        assert "284 item queries" in text
        for k in (10, 50, 100):
            assert f"LabelScore@{k} {expected[plain][k]:.3f}" in text

    inspect_labels(flow, tmp_path, encoder, model=direction)


def test_two_directions_are_compared_on_the_same_items(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press("4", "r")
        await see.says("284 of 284 queries count")
        assert "text2video → video2text" in see.screen_text

    inspect_labels(flow, tmp_path, encoder)


def test_the_plots_draw_the_label_score(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await evaluate(see)
        await see.press("P")
        await see.says("LabelScore@k")

    inspect_labels(flow, tmp_path, encoder)


def test_the_filter_knows_label_scores(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await evaluate(see)
        await see.press("slash")
        await see.says("LabelScore@10<0.4")
        await see.type("LabelScore@10<0.05 kw:urban")
        await see.says("filter LabelScore@10<0.05 kw:urban")

    inspect_labels(flow, tmp_path, encoder)


# Confusion


def test_the_confusion_table_has_the_numbers_of_the_command_line(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    score = scored("text2video")
    table, names = score.confusion[0], score.level.names

    async def flow(see: Inspector) -> None:
        await confuse(see)
        pane = confusion(see)
        assert pane.source is not None
        columns = [column.title for column in pane.source.columns][3:]
        assert sorted(columns) == sorted(names)  # all of them fit
        for cells in see.rows(pane):
            label = names.index(cells[0])
            assert cells[1] == f"{table.queries[label]:,}"
            mean = score.hits[score.codes == label, 0].mean() / 10
            assert cells[2] == f"{mean:.2f}"
            for column, cell in zip(columns, cells[3:], strict=True):
                other = names.index(column)
                share = int(table.counts(label)[other]) / table.total(label)
                per_cent = format_percentage(share)
                assert cell == (f"[{per_cent}]" if column == cells[0] else per_cent)

    inspect_labels(flow, tmp_path, encoder, size=(140, 40))


def test_the_biggest_confusions_of_a_label_are_said_in_words(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    score = scored("text2video")
    names = score.level.names
    worst = names.index("test track")
    table = score.confusion[0]
    (first, count), *_ = table.wrong(worst, 1)

    async def flow(see: Inspector) -> None:
        await confuse(see)
        said = f"test track: same label {table.right[worst]} of {table.total(worst):,}; instead "
        await see.says(f"{said}{names[first]} {count:,}")
        await see.press("G")
        await see.says("urban: same label")

    inspect_labels(flow, tmp_path, encoder)


def test_enter_keeps_the_queries_of_a_label_and_escape_comes_back_to_it(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await confuse(see)
        await see.press("j")
        keyword = confusion(see).subject
        assert keyword is not None and keyword.name == "parking lot/depot"

        await see.press("enter")
        await see.says("19 of 284 item queries")
        assert see.focused == "queries"
        await see.press("escape")
        await see.until(lambda: confusion(see).subject == keyword, "the same label")
        assert see.focused == "confusion"

        await see.press("escape")
        await see.says("284 item queries · worst first")
        assert see.focused == "queries"

    inspect_labels(flow, tmp_path, encoder)


def test_the_rows_are_sorted_by_the_next_key_and_the_cursor_stays_on_its_label(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await confuse(see)
        pane = confusion(see)
        await see.press("s")
        await see.says("most queries first")
        counts = [int(cells[1]) for cells in see.rows(pane)]
        assert counts == sorted(counts, reverse=True)
        assert pane.subject is not None and pane.subject.name == "test track"
        await see.press("S")
        await see.says("fewest queries first")
        await see.press("s")
        await see.says("by label")
        names = [cells[0] for cells in see.rows(pane)]
        assert names == sorted(names)

    inspect_labels(flow, tmp_path, encoder)


def test_only_the_rows_that_the_filter_left_are_counted(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await evaluate(see)
        await see.press("slash")
        await see.type("kw:rural")
        await see.press("enter", "C")
        await see.until(lambda: confusion(see).shown is not None)
        assert [cells[:2] for cells in see.rows(confusion(see))] == [["rural", "53"]]
        assert "53 of 284 item queries" in see.screen_text

    inspect_labels(flow, tmp_path, encoder)


def test_with_two_levels_one_is_chosen(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await evaluate(see)
        await see.press("C")
        await see.says("Confusion of which labels?")
        await see.press("2")
        await see.until(lambda: confusion(see).shown is not None)
        assert "Confusion of object" in see.screen_text
        assert len(see.rows(confusion(see))) == 8

    inspect_labels(flow, tmp_path, encoder, groups=("scene", "object"))


def test_labels_that_do_not_fit_are_the_others_and_a_row_is_still_whole(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await confuse(see)
        pane = confusion(see)
        assert pane.source is not None
        titles = [column.title for column in pane.source.columns]
        assert titles[3] == "same" and titles[-1] == "others"
        assert f"others: {8 - (len(titles) - 5)} labels" in see.screen_text
        for cells in see.rows(pane):
            shares = [re.sub(r"[\[\]<>=]", "", cell) or "0" for cell in cells[3:]]
            # Each is rounded by itself: half a per cent each at most.
            assert abs(sum(map(int, shares)) - 100) <= len(shares) / 2

    inspect_labels(flow, tmp_path, encoder, groups=("object",), size=(80, 24))


def test_two_labels_and_two_thousand_are_shown_alike(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def see_rows(see: Inspector) -> None:
        await confuse(see)
        assert len(see.rows(confusion(see))) == count

    for count in (2, 2_000):
        folder = tmp_path / str(count)
        folder.mkdir()
        dataset = build_label_dataset(
            label_files(folder, [n % count for n in range(2 * count)], None)
        )
        inspect(see_rows, folder, encoder, dataset=dataset, source=dump_source(dataset))


def test_hostile_and_endless_labels_stay_on_their_line(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    hostile = "\x1b]0;gone\x07[bold]"
    odd = ["x" * 3000, hostile, "x" * 3000, hostile, "y " * 50 + "."]
    dataset = build_label_dataset(label_files(tmp_path, odd, None))

    async def flow(see: Inspector) -> None:
        await confuse(see)
        lines = see.screen_text.splitlines()
        assert not any("\x1b" in line for line in lines)
        assert "same label" in lines[3] and lines[4].startswith(" asked")

    inspect(flow, tmp_path, encoder, dataset=dataset, source=dump_source(dataset), size=(80, 24))


def test_a_filter_that_leaves_nothing_leaves_an_empty_table(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def flow(see: Inspector) -> None:
        await evaluate(see)
        await see.press("slash")
        await see.type("R>500")
        await see.press("enter", "C")
        await see.says("No query has exactly one label")
        await see.press("enter", "s", "w", "escape")
        await see.says("0 of 284 item queries")

    inspect_labels(flow, tmp_path, encoder)


def test_groups_of_several_keywords_say_why_there_is_no_table(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    clips = 'a,,,"car, bus",city\nb,,,car,city\nc,,,bus,rain'
    dataset = small_dataset(tmp_path / "few", clips)

    async def flow(see: Inspector) -> None:
        await see.press("2", "t", "r")
        await see.says("mean of n")
        assert "Confusion" not in see.footer
        await see.press("C")
        await see.says("clips have several keywords of object type, so a table of one label")
        await see.says("cannot be drawn. F lists what was retrieved instead; p on Inspect")
        assert not see.app.evaluate_screen.has_class("-confusing")

    inspect(flow, tmp_path, encoder, dataset=dataset)


def test_keywords_that_clips_have_one_of_are_confused_like_labels(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    clips = "a,,,car,city\nb,,,car,city\nc,,,bus,rain"
    dataset = small_dataset(tmp_path / "few", clips)

    async def flow(see: Inspector) -> None:
        await see.press("2", "t", "r")
        await see.says("mean of n")
        assert see.footer["Confusion"] == "C"
        await see.press("C")
        await see.until(lambda: confusion(see).shown is not None)
        assert {cells[0] for cells in see.rows(confusion(see))} == {"car", "bus"}
        await see.says("1 query in no mean: nothing is relevant")

    inspect(flow, tmp_path, encoder, dataset=dataset)


def test_the_table_is_written_as_pairs(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = scored("text2video").confusion[0]

    async def flow(see: Inspector) -> None:
        await confuse(see)
        await see.press("w")
        await see.says("5 of 5 labels written to confusion-scene-item-text2video.csv")

    inspect_labels(flow, tmp_path, encoder)
    with (tmp_path / "confusion-scene-item-text2video.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert sorted(int(row["count"]) for row in rows) == sorted(table.times.tolist())


def leave_by(keys: str) -> Callable[[Inspector], object]:
    async def flow(see: Inspector) -> None:
        await confuse(see)
        await see.press(*keys.split())
        screen = see.app.evaluate_screen
        assert isinstance(screen, EvaluateScreen)
        assert not screen.has_class("-confusing")

    return flow


@pytest.mark.parametrize("keys", ["C", "F", "P", "t", "escape"])
def test_other_panes_take_the_place_of_the_table(
    keys: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    inspect_labels(leave_by(keys), tmp_path, encoder)  # type: ignore[arg-type]


# Sessions


def test_a_session_about_labels_goes_on_at_the_same_result(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    clip: list[str] = []

    async def leave(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("j", "j", "r")
        await see.shows(str(see.results.clip))
        clip.append(str(see.results.clip))

    async def come_back(see: Inspector) -> None:
        await see.answered(CLIP)
        assert see.results.clip == clip[0]
        assert "1 relevant" not in see.toasts
        saved = see.session().answers()[-1]
        assert [metric.id for metric in saved.metrics][:3] == [
            *("LabelScore@10", "LabelScore@50", "LabelScore@100")
        ]

    inspect_labels(leave, tmp_path, encoder)
    inspect_labels(come_back, tmp_path, encoder, resume=True)


def test_the_sample_is_what_it_says() -> None:
    files = find_sample_label_files()

    assert files == LabelFiles(
        files.a,
        tuple(LevelFile(name, files.levels[0].path, named=True) for name in ("scene", "object")),
        files.b,
        name_a="video",
        name_b="text",
    )
    assert np.load(files.a).shape[0] == 284
