"""What label files show first: the start page, empty screens, the order of rows, and frames."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.labels.dataset import LabelDataset, PrototypeTexts, build_label_dataset
from engine.text.encoder import SentenceEncoder
from tests.engine.labels.label_files_by_hand import ROOMS, label_files
from tests.tui.evaluate.test_flow_labels import evaluate, inspect_labels, scored
from tests.tui.inspector import CLIP, Flow, Inspector, inspect
from tui.cli.app import run_command_line
from tui.frames.frames_row import FramesRow
from tui.opening.source import dump_source


def show(flow: Flow, folder: Path, encoder: SentenceEncoder, dataset: LabelDataset) -> None:
    inspect(flow, folder, encoder, dataset=dataset, source=dump_source(dataset), size=(140, 40))


def with_texts(folder: Path) -> LabelDataset:
    texts = {"label_to_text_plain": {room: f"in the {room}" for room in ROOMS}}
    (folder / "meta.json").write_text(json.dumps({"home": texts}))
    return build_label_dataset(
        label_files(folder, days=None), prototypes=PrototypeTexts(folder / "meta.json", "home")
    )


# The start page


def test_with_texts_for_labels_the_start_page_says_that_they_are_evaluated(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        assert "2  evaluate the texts that stand for labels" in see.screen_text
        await see.press("2")
        await see.says("set of text queries")

    show(flow, tmp_path, encoder, with_texts(tmp_path))


def test_with_one_modality_nothing_is_offered_to_compare(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = build_label_dataset(replace(label_files(tmp_path), b=None))

    async def flow(see: Inspector) -> None:
        assert "2  evaluate all items" in see.screen_text
        assert "compare two directions" not in see.screen_text
        await see.press("4")
        await see.says("give --text-embeddings FILE")
        assert "dataset.toml" not in see.screen_text

    show(flow, tmp_path, encoder, dataset)


def test_without_a_terminal_labels_says_how_to_print(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run_command_line(["labels", "--inspect", "--store", str(tmp_path / "s.db")]) == 2

    error = capsys.readouterr().err
    assert (
        "leave --inspect out: tui-eval labels prints, also as JSON" in error
        and error.count("\n") == 1
    )


# Evaluate


def test_another_direction_is_shown_from_its_worst_item_on(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await evaluate(see)
        queries = see.app.evaluate_screen.queries
        await see.press("G")
        assert queries.cursor == 283
        last = see.rows(queries)[283][0]
        await see.press("r")
        await see.until(lambda: see.app.evaluate_screen.work_line.work is None)
        assert see.rows(queries)[queries.cursor][0] == last  # the same direction: the same item

        await see.press("1", "m", "2")
        await see.until(lambda: see.home.question.model == "video2text")
        await see.press("2", "r")
        await see.says("video2text · scene")
        await see.until(lambda: see.app.evaluate_screen.work_line.work is None)
        assert queries.cursor == 0 and queries.scroll_offset.y == 0

    inspect_labels(flow, tmp_path, encoder)


def test_rows_that_are_numbers_are_sorted_by_their_value(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = build_label_dataset(label_files(tmp_path, [n % 3 for n in range(25)], None))

    async def flow(see: Inspector) -> None:
        await evaluate(see)
        screen = see.app.evaluate_screen
        while screen.listing.sort is None or screen.listing.sort.key != "query":
            await see.press("s")
        assert [cells[0] for cells in see.rows(screen.queries)] == list(map(str, range(25)))

    show(flow, tmp_path, encoder, dataset)


def test_rows_are_written_as_the_command_line_writes_them(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def flow(see: Inspector) -> None:
        await evaluate(see)
        await see.press("w")
        await see.says("284 of 284 queries written to evaluate-item-text2video.csv")

    inspect_labels(flow, tmp_path, encoder)
    assert run_command_line(["labels", "--per-query", "theirs.csv"]) == 0

    def values(file: str) -> set[tuple[str, ...]]:
        columns = ("mode", "query", "keywords", "relevant", "LabelScore@10")
        with (tmp_path / file).open(newline="") as lines:
            rows = [tuple(row[column] for column in columns) for row in csv.DictReader(lines)]
        return {row for row in rows if row[0] == "scene/text2video"}

    ours = values("evaluate-item-text2video.csv")
    assert len(ours) == len(scored("text2video").names)
    assert ours == values("theirs.csv")


# Frames and metrics


def test_items_without_media_leave_no_empty_boxes(tmp_path: Path, encoder: SentenceEncoder) -> None:
    dataset = build_label_dataset(label_files(tmp_path))

    async def flow(see: Inspector) -> None:
        await see.ask_clip("0")
        assert not see.home.query_one(FramesRow).display
        await see.do("inspect.toggle_frames")
        await see.says("No item has media")

    inspect(
        flow,
        tmp_path,
        encoder,
        dataset=dataset,
        source=dump_source(dataset),
        size=(140, 40),
        images="halfcell",
    )


def test_items_with_media_have_their_frames(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.until(lambda: see.home.frames.is_large, "the large frame")

    inspect_labels(flow, tmp_path, encoder, size=(140, 40), images="halfcell")


def test_metrics_that_are_called_by_their_id_are_named_once(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("M")
        await see.says("Metrics of this query")
        assert "LabelScore@10LabelScore@10" not in see.screen_text
        assert "LabelScore@100 " in see.screen_text

    inspect_labels(flow, tmp_path, encoder)
