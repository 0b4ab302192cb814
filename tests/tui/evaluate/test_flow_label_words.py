"""Label files are spoken of as items with labels, in directions; clips stay clips."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.labels.dataset import build_label_dataset
from engine.text.encoder import SentenceEncoder
from tests.engine.labels.label_files_by_hand import label_files
from tests.tui.evaluate.test_flow_labels import evaluate, inspect_labels, labels
from tests.tui.inspector import CLIP, Inspector, inspect, sample
from tui.look.nouns import OF_CLIPS, OF_ITEMS, choose_nouns

FOREIGN = re.compile(r"\b(clips?|keywords?|models?|video quer\w+|Recall)\b", re.IGNORECASE)


def assert_says_items(see: Inspector) -> None:
    assert not FOREIGN.findall(see.screen_text), see.screen_text


@pytest.mark.parametrize(
    ("ours", "said"),
    [
        ("a clip", "an item"),
        ("A clip has a keyword", "An item has a label"),
        ("Text/video", "Text/item"),
        ("with the next embedding model.", "with the next direction."),
        ("kw:KEYWORD, Recall@5<0.4", "kw:LABEL, LabelScore@10<0.4"),
        ("eclipse, modelling", "eclipse, modelling"),
    ],
)
def test_a_sentence_is_said_of_items(ours: str, said: str) -> None:
    assert OF_ITEMS.spell(ours) == said
    assert OF_CLIPS.spell(ours) == ours


def test_the_dataset_chooses_the_words_and_the_measure_of_examples(tmp_path: Path) -> None:
    assert choose_nouns(sample()) == OF_CLIPS
    assert (
        choose_nouns(build_label_dataset(label_files(tmp_path), ks=(20, 5))).measure
        == "LabelScore@5"
    )


def test_no_screen_of_labels_speaks_of_clips_keywords_or_models(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        assert_says_items(see)
        await see.press("2")
        await see.says("r runs 284 item queries")
        assert_says_items(see)
        await see.press("1")
        await see.ask_clip(CLIP)
        assert "284 items" in see.title and "Item" in see.screen_text
        assert_says_items(see)
        await evaluate(see)
        assert "284 item queries" in see.screen_text
        assert_says_items(see)
        await see.press("F")
        assert_says_items(see)
        await see.press("4")
        await see.says("Nothing is compared yet")
        assert_says_items(see)
        await see.press("r")
        await see.says("284 of 284 queries count")
        assert_says_items(see)
        await see.press("1", "m")
        await see.says("Which direction?")
        await see.press("escape", "P")
        assert_says_items(see)

    inspect_labels(flow, tmp_path, encoder, size=(140, 40))


@pytest.mark.parametrize("screen", ["1", "2", "4"])
def test_help_speaks_of_items_too(screen: str, tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.press(screen, "question_mark")
        await see.says("Help:")
        assert_says_items(see)

    inspect_labels(flow, tmp_path, encoder, size=(140, 120))


def test_the_footer_offers_items(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        assert see.footer["Item"] == "c" and see.footer["Direction"] == "m"
        await see.press("2")
        assert see.footer["Text/item"] == "t"

    inspect_labels(flow, tmp_path, encoder)


def test_the_filter_has_an_example_of_label_scores_before_anything_is_evaluated(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press("2", "question_mark")
        await see.says("LabelScore@10<0.4")

    inspect_labels(flow, tmp_path, encoder, size=(140, 60))


def test_no_reason_of_a_bias_case_is_about_mapping_or_missing_keywords(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("b")
        await see.says("Why is it a bias case?")
        assert "look-alike" in see.screen_text
        assert "mapper error" not in see.screen_text
        assert "missing keyword" not in see.screen_text

    inspect_labels(flow, tmp_path, encoder)


# The detail


def test_the_detail_has_the_results_own_label_and_the_one_asked_for(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("n")
        other = str(see.results.clip)
        await see.shows(other)
        row = labels().truth.row_of(other)
        own = next(k.name for k in labels().truth.keywords_of(row) if k.group == "scene")

        detail = see.detail.replace("\N{NO-BREAK SPACE}", " ")
        assert "❌ Another label" in detail
        assert re.search(rf"scene +❌ {re.escape(own)}  \(asked: urban\)", detail)
        assert "also" not in detail

    inspect_labels(flow, tmp_path, encoder, size=(140, 40))


def test_of_several_levels_the_detail_says_how_many_labels_are_the_same(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        assert "2 of 2 labels" in see.detail
        half = next(n for n, cells in enumerate(see.rows()) if cells[2].startswith("◐"))
        see.results.cursor = half
        await see.shows(str(see.results.clip))
        assert "1 of 2 labels" in see.detail

    inspect_labels(flow, tmp_path, encoder, query=("video", CLIP), groups=("scene", "object"))


def test_keywords_of_clips_are_named_as_ever(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        assert "match (" in see.detail and "keywords)" in see.detail
        assert "clips" in see.title

    inspect(flow, tmp_path, encoder)
