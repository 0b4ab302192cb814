"""Going on with work that was left: also when the dataset has changed in the meantime."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.dataset.dataset import Dataset
from engine.keywords.judgement import Judgement, Target
from engine.keywords.question import Question
from engine.sessions import SessionStore, SessionView
from engine.text.encoder import SentenceEncoder
from tests.engine.sessions.sessions_by_hand import answer, ticking
from tests.tui.inspector import CLIP, Flow, Inspector, inspect, sample, small_dataset

Resume = Callable[[Flow, Path, SentenceEncoder, Dataset], None]

FOUR = "a,,,car,city\nb,,,car,city\nc,,,bus,city\nd,,,car,rain"


def test_a_model_that_is_gone_is_replaced_and_that_is_said(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    both = small_dataset(tmp_path / "few", FOUR, "one two three")

    async def leave(see: Inspector) -> None:
        await see.answered("a")

    inspect(leave, tmp_path, encoder, dataset=both, model="three", query=("video", "a"))
    models = {name: spec for name, spec in both.models.items() if name != "three"}

    async def come_back(see: Inspector) -> None:
        await see.answered("a")
        await see.says("no model three any more")
        assert "one (1/2)" in see.title

    without = replace(both, models=models)
    inspect(come_back, tmp_path, encoder, dataset=without, resume=True)


def test_a_group_that_is_gone_is_left_out_and_that_is_said(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def leave(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("p", "A")
        await see.until(lambda: len(see.session().answers()) == 2, "the answer of all groups")

    inspect(leave, tmp_path, encoder)
    fewer = replace(sample(), group_columns=("pv_object_type", "pv_actor_behavior"))

    async def come_back(see: Inspector) -> None:
        await see.says("Dropped: groups ")
        assert set(see.home.question.groups) == {"object_type", "actor_behavior"}

    source = sample().source
    with SessionStore(tmp_path / "sessions.db") as store:
        assert store.latest() is not None
    inspect(come_back, tmp_path, encoder, dataset=replace(fewer, source=source), resume=True)


FEWER = "a,,,car,city\nb,,,car,city\nd,,,car,rain"
"""FOUR without its bus."""


def saved_view(folder: Path, question: Question, clip: str | None = None) -> None:
    """A session of the small dataset that stands at a question."""
    with SessionStore(folder / "sessions.db", ticking()) as store:
        session = store.create("small", str(folder / "few"))
        session.record(answer(question))
        session.remember(SessionView(question, clip))


def early(flow: Flow, folder: Path, encoder: SentenceEncoder, dataset: Dataset) -> None:
    """Resume as `--resume` does: the annotations are read after it."""
    inspect(flow, folder, encoder, dataset=dataset, resume=True)


def late(flow: Flow, folder: Path, encoder: SentenceEncoder, dataset: Dataset) -> None:
    """Resume from the Sessions screen: the annotations are read already."""

    async def from_the_list(see: Inspector) -> None:
        await see.press("3", "enter")
        await see.until(lambda: see.app.screen is see.home, "Inspect")
        await flow(see)

    inspect(from_the_list, folder, encoder, dataset=dataset)


resumed = pytest.mark.parametrize("resume", [early, late])
OBJECTS = ("object_type",)


@resumed
def test_left_out_keywords_that_are_gone_are_dropped_and_every_query_is_answered(
    resume: Resume, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "few", FEWER, groups='["object_type", "scene_type"]')
    left_out = ("object_type:bus", "scene_type:rain")
    saved_view(tmp_path, Question("video", "a", "one", (*OBJECTS, "scene_type"), left_out), "d")

    async def flow(see: Inspector) -> None:
        await see.answered("a")
        assert see.results.clip == "d"
        assert see.home.question.left_out == ("scene_type:rain",)
        (said,) = see.toasts
        assert "left-out keyword object_type:bus" in said
        await see.ask_clip("b")
        assert len(see.toasts) == 1

    resume(flow, tmp_path, encoder, dataset)


@resumed
def test_keywords_set_by_hand_that_are_gone_are_dropped(
    resume: Resume, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "few", FEWER, groups='["object_type", "scene_type"]')
    pinned = ("object_type:bus", "scene_type:rain")
    saved_view(tmp_path, Question("video", "a", "one", (*OBJECTS, "scene_type"), (), pinned))

    async def flow(see: Inspector) -> None:
        await see.answered("a")
        assert see.home.question.keywords == ("scene_type:rain",)
        (said,) = see.toasts
        assert "query keyword object_type:bus" in said

    resume(flow, tmp_path, encoder, dataset)


@resumed
def test_a_query_clip_that_is_gone_is_said_and_another_can_be_asked(
    resume: Resume, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "few", FEWER)
    saved_view(tmp_path, Question("video", "c", "one", OBJECTS), "a")

    async def flow(see: Inspector) -> None:
        await see.says("query clip c. Ask another query.")
        assert len(see.toasts) == 1
        assert "Nothing is asked yet." in see.screen_text
        assert see.field == "" and see.inspection is None
        await see.ask_clip("b")
        assert len(see.rows()) == 2
        assert len(see.session().answers()) == 2  # what was asked before stays in the session

    resume(flow, tmp_path, encoder, dataset)


@resumed
def test_a_cursor_clip_that_is_gone_puts_the_cursor_at_the_top(
    resume: Resume, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "few", FEWER)
    saved_view(tmp_path, Question("video", "a", "one", OBJECTS), "c")

    async def flow(see: Inspector) -> None:
        await see.answered("a")
        assert see.results.cursor == 0
        assert see.toasts == []

    resume(flow, tmp_path, encoder, dataset)


def test_the_model_that_is_read_first_is_the_sessions_own(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "few", FOUR, "one two")
    (tmp_path / "few" / "one.npz").unlink()
    saved_view(tmp_path, Question("video", "a", "two", OBJECTS), "c")

    async def flow(see: Inspector) -> None:
        await see.until(lambda: see.inspection is not None, "an answer")
        assert see.results.clip == "c"

    early(flow, tmp_path, encoder, dataset)


def test_a_session_that_is_resumed_never_shows_the_results_of_the_one_before(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    with SessionStore(tmp_path / "sessions.db") as store:
        store.create("sample", "sample", "empty one")

    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("3")
        await see.says("empty one")
        await see.press("G", "enter")

        assert "empty one" in see.title
        assert see.inspection is None and see.results.clip is None
        await see.press("minus")
        with SessionStore(see.store.path) as again:
            assert not again.find("empty one").all_judgements()

    inspect(flow, tmp_path, encoder)


def test_a_bias_case_is_the_result_that_was_asked_about(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        asked_about = see.results.clip
        await see.press("b")
        await see.says("look-alike")
        other = see.home.question.about("video", "urban_pedestrian_0004")
        see.home.asker.ask(other)  # an answer that arrives while the dialog is open
        await see.until(lambda: see.inspection and see.inspection.query == other.query)
        await see.press("1")

        (marked,) = see.session().all_judgements()
        assert marked[0] == Target("video", CLIP, str(asked_about))
        assert see.results.cursor == 0

    inspect(flow, tmp_path, encoder)


def test_marks_leave_no_stale_numbers_with_the_other_models_answer(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("plus")
        await see.press("m")
        await see.until(lambda: see.inspection and see.inspection.question.model == "alfa-0.2")
        await see.press("g", "plus")

        first, second = see.session().answers()
        assert {metric.adjudicated for metric in first.metrics} == {None}
        assert None not in {metric.adjudicated for metric in second.metrics}

    inspect(flow, tmp_path, encoder)


def test_a_mark_after_the_session_was_deleted_elsewhere_is_kept_in_a_new_one(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        clip = str(see.results.clip)
        with SessionStore(see.store.path) as elsewhere:
            elsewhere.delete(1)
        await see.says("The session was deleted elsewhere: a new one begins with the next")
        await see.until(lambda: "new session" in see.screen_text, "the title")
        assert len(see.toasts) == 1
        await see.press("minus")

        said = see.session().judgement(Target("video", CLIP, clip))
        assert said != Judgement() and said.mark == "not relevant"

    inspect(flow, tmp_path, encoder)


def test_a_clip_whose_name_is_an_escape_sequence_stands_harmless_in_the_query_bar(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    evil = "\x1b]0;pwned\x07"
    dataset = small_dataset(tmp_path / "evil", f"a,,,car,city\n{evil},,,car,city\nc,,,bus,city")

    async def flow(see: Inspector) -> None:
        await see.press("c", "a", "enter")
        await see.until(lambda: see.inspection and len(see.rows()) == 2, "the answer")
        see.results.cursor = next(n for n, cells in enumerate(see.rows()) if "pwned" in cells[3])
        await see.press("v")
        await see.until(lambda: see.inspection and see.inspection.query == evil, "the clip")

        assert "\x1b" not in see.field and "pwned" in see.field
        assert "\x1b" not in see.screen_text
        await see.press("slash", "enter")  # what stands there means the clip, not its picture
        await see.until(lambda: not see.app.services.questions.pending)
        assert see.toasts == [] and see.inspection is not None and see.inspection.query == evil

    inspect(flow, tmp_path, encoder, dataset=dataset)


def test_the_screen_that_lay_over_the_results_comes_back_with_what_it_listed(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    seen = []

    async def leave(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("2", "r")
        evaluate = see.app.evaluate_screen
        await see.until(lambda: evaluate.listing.result is not None, "the run")
        await see.press("slash")
        await see.type("kw:bicyclist")
        await see.press("enter")
        seen.append(len(evaluate.listing.rows))

    async def come_back(see: Inspector) -> None:
        evaluate = see.app.evaluate_screen
        await see.until(lambda: evaluate.listing.result is not None, "the run again")
        assert see.app.screen is evaluate
        assert evaluate.listing.filter_text == "kw:bicyclist"
        assert 0 < len(evaluate.listing.rows) == seen[0]
        await see.press("1")

    async def come_again(see: Inspector) -> None:
        await see.answered(CLIP)
        assert see.app.screen is see.home

    inspect(leave, tmp_path, encoder)
    for flow in (come_back, come_again):
        inspect(flow, tmp_path, encoder, resume=True)
