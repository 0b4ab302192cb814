"""While an encoder loads: what loads and for how long, what the text means, and all else works."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from engine.dataset.dataset import Dataset
from engine.text.encoder import SentenceEncoder
from tests.tui.inspect.held_encoder import NAME, HeldLoads, held, own_encoder
from tests.tui.inspector import CLIP, CYCLIST, Inspector, answer, inspect

__all__ = ["held", "own_encoder"]

pytestmark = pytest.mark.slow

OTHER = "urban_pedestrian_0040"
LOADS = f"loading {NAME} for alfa-0.1"


@pytest.fixture
def waits(own_encoder: Dataset, held: HeldLoads) -> Dataset:
    """The sample, whose first model has an encoder that goes on loading."""
    return own_encoder


async def ask_and_wait(see: Inspector, text: str = CYCLIST) -> None:
    """Ask a text; what it means is on the screen afterwards, and its answer is not."""
    await see.press("slash")
    await see.type(text)
    await see.press("enter")
    await see.until(lambda: LOADS in see.keywords, "that it loads")


def seconds(text: str) -> int:
    """For how long something has been loading, as it is said."""
    found = re.search(r"\b(\d+) s\b", text)
    assert found, text
    return int(found[1])


def test_the_keywords_are_shown_before_there_is_an_answer(
    waits: Dataset, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    mapped = answer(encoder, CYCLIST).mapping
    assert mapped is not None

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await ask_and_wait(see)
        for item in mapped.keywords:
            assert f'{item.keyword.name} "{item.ngram}" {item.why} {item.score:.2f}' in see.keywords
        assert "relevant of" not in see.keywords, "nothing is ranked yet"
        assert "■ bicyclist" in "\n".join(row[0] for row in see.rows(see.picker))
        assert see.inspection is not None and see.inspection.query == CLIP
        assert f"Results ── 0 of 5 hits, 283 ranked, still “{CLIP}”" in see.screen_text
        assert see.field == CYCLIST

    inspect(flow, tmp_path, encoder, dataset=waits, query=("video", CLIP), size=(200, 50))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_the_header_and_the_line_say_the_same_and_go_on_counting(
    size: tuple[int, int], waits: Dataset, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await ask_and_wait(see)
        line = lambda: see.keywords.partition("\n")[0]  # noqa: E731
        first = seconds(line())
        await see.until(lambda: seconds(line()) > first, "another second")
        head, said = see.title, line()
        assert seconds(head) == seconds(said)
        assert (f"loading {NAME}" if size[0] > 80 else "encoder loading") in head
        assert "ready" not in head
        assert len(said) <= size[0] - 2

    inspect(flow, tmp_path, encoder, dataset=waits, query=("video", CLIP), size=size)


def test_a_clip_is_answered_at_once_and_the_load_goes_on(
    waits: Dataset, held: HeldLoads, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await ask_and_wait(see)
        await see.ask_clip(OTHER)
        assert LOADS not in see.keywords and "relevant of" in see.keywords
        assert f"loading {NAME}" in see.title
        assert held.is_loading() and len(held.started) == 1

    inspect(flow, tmp_path, encoder, dataset=waits)


def test_a_text_that_was_encoded_before_is_answered_while_another_waits(
    waits: Dataset, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await ask_and_wait(see)
        own = see.app.services.bench.work.text_encoder("alfa-0.1")
        assert isinstance(own, SentenceEncoder)
        own.cache.put({"night bus": np.asarray(encoder.encode(["night bus"])[0])})
        await see.ask("night bus")
        assert f"loading {NAME}" in see.title

    inspect(flow, tmp_path, encoder, dataset=waits)


def test_another_model_answers_a_text_while_the_encoder_of_the_first_loads(
    waits: Dataset, held: HeldLoads, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await ask_and_wait(see)
        await see.press("m")
        await see.until(lambda: see.inspection and see.inspection.query == CYCLIST, "the answer")
        assert see.inspection is not None and see.inspection.question.model == "alfa-0.2"
        assert "alfa-0.2 (2/2)" in see.title and f"loading {NAME}" in see.title
        await see.press("m")
        await see.until(lambda: LOADS in see.keywords, "that it loads")
        assert "still that of alfa-0.2" in see.screen_text
        assert len(held.started) == 1

    inspect(flow, tmp_path, encoder, dataset=waits, query=("video", CLIP), size=(200, 50))


def test_escape_goes_back_to_the_old_answer_and_does_not_end_the_load(
    waits: Dataset, held: HeldLoads, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        keywords = see.keywords
        await ask_and_wait(see)
        assert f"esc stays with “{CLIP}”" in see.keywords
        await see.press("escape")
        assert (see.home.question.query, see.field) == (CLIP, CLIP)
        assert see.keywords == keywords
        assert "still" not in see.screen_text
        assert not see.app.services.questions.pending
        assert held.is_loading()
        await see.press("right_square_bracket")  # what was given up lies ahead
        await see.until(lambda: LOADS in see.keywords and see.field == CYCLIST, "it waits again")
        assert held.is_loading() and len(held.started) == 1

    inspect(flow, tmp_path, encoder, dataset=waits, query=("video", CLIP), size=(200, 50))


def test_a_first_text_that_is_given_up_stays_in_the_field(
    waits: Dataset, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await ask_and_wait(see)
        assert "esc gives up" in see.keywords
        await see.press("escape")
        assert "groups that count" in see.keywords
        assert see.field == CYCLIST
        await see.press("slash", "enter")
        await see.until(lambda: LOADS in see.keywords, "it waits again")

    inspect(flow, tmp_path, encoder, dataset=waits)


def test_results_of_the_old_answer_are_stepped_through_and_marked_meanwhile(
    waits: Dataset, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    old = answer(encoder, CLIP, "video")

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await ask_and_wait(see)
        await see.press("j", "plus")
        judged = see.app.recorder.judgements("video", CLIP)
        assert {clip: one.mark for clip, one in judged.items()} == {old.clip(1): "relevant"}
        assert see.app.recorder.judgements("text", CYCLIST) == {}
        assert LOADS in see.keywords

    inspect(flow, tmp_path, encoder, dataset=waits, query=("video", CLIP), size=(200, 50))


def test_keywords_are_edited_while_the_answer_waits(
    waits: Dataset, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await ask_and_wait(see)
        before = names(see)
        await see.press("e", "x")
        await see.until(lambda: "(dropped)" in see.keywords, "a keyword that was dropped")
        assert LOADS in see.keywords
        assert see.home.question.keywords == tuple(before[1:])

    def names(see: Inspector) -> Sequence[str]:
        known = see.home.asker.waiting.known
        assert known is not None
        return list(map(str, known.keywords))

    inspect(flow, tmp_path, encoder, dataset=waits, query=("video", CLIP), size=(200, 50))


def test_an_evaluation_says_what_it_waits_for_and_can_be_cancelled(
    waits: Dataset, held: HeldLoads, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    said = f"L{LOADS[1:]}"

    async def flow(see: Inspector) -> None:
        await see.press("2", "r")
        await see.says(said)
        line = lambda: see.screen_text[see.screen_text.index(said) + len(said) :]  # noqa: E731
        first = seconds(line())
        await see.until(lambda: seconds(line()) > first, "another second")
        await see.press("escape")
        await see.until(lambda: said not in see.screen_text, "it is cancelled")
        assert held.is_loading()

    inspect(flow, tmp_path, encoder, dataset=waits)


# An encoder that cannot be loaded


def test_a_load_that_fails_is_said_once_and_the_app_goes_on(
    waits: Dataset, held: HeldLoads, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await ask_and_wait(see)
        held.kill()
        await see.says("encoder process ended")
        await see.until(lambda: "encoder failed" in see.title, "the header")
        assert LOADS not in see.screen_text and "still" not in see.title
        assert sum("encoder process ended" in one for one in all_said(see)) == 1
        await see.press("escape", "escape")  # the dialog, and the field with what was typed
        await see.ask_clip(OTHER)
        await see.press("slash")
        await see.type(CYCLIST)
        await see.press("enter")  # another try
        await see.until(lambda: LOADS in see.keywords, "that it loads")
        await see.until(lambda: "encoder failed" not in see.title, "that it is tried again")
        assert len(held.started) == 2

    inspect(flow, tmp_path, encoder, dataset=waits, query=("video", CLIP), size=(200, 50))


def test_without_sentence_transformers_one_line_says_what_to_install(
    own_encoder: Dataset,
    tmp_path: Path,
    encoder: SentenceEncoder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for package in ("sentence_transformers", "torch", "keybert"):
        monkeypatch.setitem(sys.modules, package, None)

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.says("run make run in")
        await see.until(lambda: "encoder failed" in see.title, "the header")
        (said,) = see.toasts
        assert f"the encoder '{NAME}' needs sentence-transformers, torch, keybert" in said
        await see.press("slash")
        await see.type(CYCLIST)
        await see.press("enter")
        await see.until(lambda: len(see.toasts) == 2, "why there is no answer")
        assert "not answered" in see.keywords
        assert see.inspection is not None and see.inspection.query == CLIP

    inspect(flow, tmp_path, encoder, dataset=own_encoder, query=("video", CLIP), size=(200, 50))


def all_said(see: Inspector) -> list[str]:
    """Toasts, and dialogs on top of the screen."""
    return [*see.toasts, *([see.screen_text] if see.app.screen.is_modal else [])]


# The embedded encoder


def test_nothing_is_said_of_an_encoder_that_is_there_at_once(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        assert "encoder" not in see.title and "loading" not in see.title
        await see.ask(CYCLIST)
        assert "encoder" not in see.title and "loading" not in see.title

    inspect(flow, tmp_path, encoder)
