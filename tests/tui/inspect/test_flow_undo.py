"""One stack for everything that a person changes; off and on is the identity."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.base.errors import InputError
from engine.dataset.dataset import Dataset
from engine.keywords.question import Question
from engine.sessions import QuestionChange
from engine.sessions.document import dump_value
from engine.text.encoder import SentenceEncoder
from tests.tui.inspect.held_encoder import HeldLoads, held, own_encoder
from tests.tui.inspector import CLIP, GROUPS, PEDESTRIAN, Inspector, answer, inspect, sample
from tui.widgets.line_table import LineTable

__all__ = ["held", "own_encoder"]

GIVEN = "animal running across the road"
"""A text of the sample's query set that the mapper would understand otherwise."""


async def settled(see: Inspector) -> None:
    """Wait until what is asked is what is shown."""
    await see.until(
        lambda: (
            see.inspection is not None
            and see.inspection.question == see.home.question
            and not see.app.services.questions.pending
            and not see.app.services.questions.scoring
        ),
        "an answer to what is asked",
    )
    await see.pilot.pause()


def test_a_group_that_goes_and_comes_back_leaves_the_keywords_of_the_query_set(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("app.show_evaluate", "evaluate.run")
        await see.until(lambda: see.app.evaluate_screen.query_one(LineTable).cursor >= 0)
        await see.do("evaluate.filter")
        await see.type(GIVEN)
        await see.press("enter")
        await see.do("evaluate.dive")
        await see.answered(GIVEN)
        before, keywords = see.home.question, see.keywords
        assert before.given is not None and "other" in keywords
        assert "dropped" not in keywords
        for off_and_on in range(2):
            await see.do("inspect.pick")
            await see.press("g")
            await see.do("picker.choose", "picker.choose")
            await settled(see)
            assert see.home.question == before, off_and_on
            assert see.keywords == keywords
            await see.do("inspect.back")

    inspect(flow, tmp_path, encoder)


def test_a_keyword_that_was_dropped_stays_dropped_when_its_group_goes_and_comes_back(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        whole = see.home.question
        await see.do("inspect.edit_keywords", "keywords.drop")
        await settled(see)
        dropped = see.home.question
        assert dropped.keywords == ("actor_behavior:straight crossing path",)
        await see.do("inspect.pick")
        await see.press("g")
        await see.do("picker.choose")
        await settled(see)
        assert see.home.question.groups == GROUPS[1:]
        await see.do("picker.choose")
        await settled(see)
        assert see.home.question == dropped
        await see.do("inspect.back", "inspect.edit_keywords")
        await see.press("right", "right")
        await see.do("keywords.drop")  # a dropped one is taken in again
        await settled(see)
        assert see.home.question == whole

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN))


def test_edits_come_off_in_the_order_in_which_they_were_made_and_the_cursor_goes_along(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        first = see.home.question
        await see.do("results.next_miss", "results.mark_relevant")
        marked = see.session().judgements("text", PEDESTRIAN)
        await see.do("inspect.edit_keywords", "keywords.drop")
        await settled(see)
        await see.do("inspect.back", "app.next_model")
        await see.until(lambda: see.home.question.model == "alfa-0.2")
        await settled(see)
        last = see.home.question
        await see.press("G", "u")
        await see.says("Undone: model alfa-0.2 → alfa-0.1")
        await settled(see)
        assert see.home.question.keywords is not None
        await see.press("u")
        await settled(see)
        assert see.home.question == first
        assert see.session().judgements("text", PEDESTRIAN) == marked  # was made before
        await see.press("G", "u")
        assert see.session().judgements("text", PEDESTRIAN) == {}
        assert see.results.cursor == 1
        for _ in range(3):
            await see.do("app.redo")
            await settled(see)
        assert see.home.question == last
        assert see.session().judgements("text", PEDESTRIAN) == marked

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN))


def test_undo_goes_back_to_the_query_where_it_was_done(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        clip = see.results.clip
        await see.do("results.mark_not_relevant")
        await see.ask("bicyclist")
        await see.do("app.show_evaluate")
        await see.press("u")
        await see.answered(PEDESTRIAN)
        assert see.app.screen is see.home
        assert see.results.clip == clip
        assert see.session().judgements("text", PEDESTRIAN) == {}

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN))


def test_the_stack_is_there_again_after_a_restart(tmp_path: Path, encoder: SentenceEncoder) -> None:
    first = answer(encoder, PEDESTRIAN).question

    async def edit(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        await see.do("results.mark_bias")
        await see.press("1")
        await see.do("inspect.edit_keywords", "keywords.drop")
        await settled(see)

    async def undo(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        assert see.home.question != first
        await see.press("u")
        await settled(see)
        assert see.home.question == first
        assert see.session().judgements("text", PEDESTRIAN)
        await see.press("u")
        assert not see.session().judgements("text", PEDESTRIAN)

    inspect(edit, tmp_path, encoder, query=("text", PEDESTRIAN))
    inspect(undo, tmp_path, encoder, resume=True)


def test_a_reason_that_asks_for_a_note_opens_the_note_of_that_clip(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        clip = see.results.clip
        assert clip is not None
        await see.do("results.mark_bias")
        await see.press("6")
        assert f"Note on {clip}" in see.screen_text
        await see.type("a mirror")
        await see.press("enter")
        said = see.session().judgements("video", CLIP)
        assert list(said) == [clip]
        assert (said[clip].reason, said[clip].note) == ("other", "a mirror")
        assert see.results.clip != clip  # and on to the next miss
        assert "note on #1" in see.title and "u undoes" in see.title

        clip = see.results.clip
        assert clip is not None
        await see.do("results.mark_bias")
        await see.press("j", "tab")  # any reason can have one
        assert f"Note on {clip}" in see.screen_text
        await see.type("no lamp")
        await see.press("enter")
        said = see.session().judgements("video", CLIP)
        assert (said[clip].reason, said[clip].note) == ("missing keyword", "no lamp")

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


STEPS = (
    "mark", "mark", "note", "clear", "group", "group", "left out", "keyword", "keyword",
    "restore", "model", "least", "undo", "undo", "redo",
)  # fmt: skip


class RandomEditor:
    """Edits of all kinds, as a person could make them, by what the app does for the keys."""

    def __init__(self, see: Inspector, seed: int) -> None:
        self.see, self.random = see, random.Random(seed)

    async def edit(self) -> str:
        see, step = self.see, self.random.choice(STEPS)
        see.results.cursor = self.random.randrange(6)
        if step == "mark":
            await see.do(f"results.mark_{self.random.choice(('relevant', 'not_relevant'))}")
        elif step == "note":
            await see.do("results.note")
            await see.type(self.random.choice("xyz"))
            await see.press("enter")
        elif step == "clear":
            await see.do("results.clear_mark")
        elif step in ("undo", "redo"):
            await see.do(f"app.{step}")
        elif step == "model":
            now = see.home.question.model
            await see.do("app.next_model")
            await see.until(lambda: see.home.question.model != now)
        elif step == "least":
            await see.do("inspect.least_similarity")
            await see.press(*["backspace"] * 5, "0", ".", self.random.choice("123"), "enter")
        elif step in ("keyword", "restore"):
            await see.do("inspect.edit_keywords")
            await see.press(*["right"] * self.random.randrange(3))
            await see.do("keywords.restore" if step == "restore" else "keywords.drop")
        else:
            await see.do("inspect.pick")
            see.picker.cursor = self.random.randrange(min(20, len(see.rows(see.picker))))
            await see.do("picker.leave_out" if step == "left out" else "picker.choose")
        see.home.set_focus(see.results)
        await settled(see)
        return step

    async def ask_other(self) -> None:
        """The other one of two queries, with the same settings."""
        now = self.see.home.question
        other = CLIP if now.mode == "text" else PEDESTRIAN
        self.see.home.asker.ask(now.about("video" if now.mode == "text" else "text", other))
        await settled(self.see)

    @property
    def settings(self) -> tuple[object, ...]:
        """What every query is asked with, and all that was judged."""
        asked = self.see.home.question
        said = [(one.target, one.judgement) for one in self.see.session().all_judgements()]
        return (
            asked.model,
            asked.groups,
            asked.left_out,
            asked.min_similarity,
            sorted(map(str, said)),
        )

    @property
    def state(self) -> bytes:
        """All that was edited, as it is saved."""
        see, question = self.see, self.see.home.question
        rows = see.session()._database.rows(
            "SELECT mode, query, clip, body FROM judgements WHERE session = ? ORDER BY 1, 2, 3",
            see.session().id,
        )
        return json.dumps([dump_value(question), [list(row) for row in rows]]).encode()


@pytest.mark.slow
def test_after_200_edits_undoing_all_gives_the_first_state_and_redoing_all_the_last(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        editor = RandomEditor(see, 18)
        states = {0: editor.state}
        done: list[str] = []
        for _ in range(200):
            done.append(await editor.edit())
            states[see.session().changes] = editor.state
        made = see.session().changes
        assert made > 20 and set(done) == set(STEPS)
        last = editor.state
        while see.session().can_undo:
            await see.do("app.undo")  # no answer is waited for
            assert editor.state == states[see.session().changes]
        assert see.session().changes == 0
        await settled(see)
        assert editor.state == states[0]
        for _ in range(made):
            await see.do("app.redo")
        await settled(see)
        assert editor.state == last

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN), size=(80, 24))


@pytest.mark.slow
def test_of_two_queries_undoing_all_gives_the_first_settings_and_judgements(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        editor = RandomEditor(see, 4)
        states = {0: editor.settings}
        for number in range(40):
            await editor.edit()
            states[see.session().changes] = editor.settings
            if number % 5 == 4:
                await editor.ask_other()
        while see.session().can_undo:
            await see.do("app.undo")
            await settled(see)
            assert editor.settings == states[see.session().changes]

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN), size=(80, 24))


def test_a_question_that_is_given_up_leaves_nothing_to_undo_but_the_mark_before(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        await see.do("results.mark_relevant")
        asker, changes = see.home.asker, see.session().changes
        wrong = replace(see.home.question, groups=("object_type", "no such group"))
        asker.change(wrong)
        await see.until(lambda: see.home.question != wrong, "the question that can be answered")
        assert see.session().changes == changes
        assert not see.session().can_redo
        asker.change(wrong)
        await see.do("results.mark_not_relevant")  # of what is still shown
        await see.until(lambda: see.home.question != wrong, "the question that can be answered")
        assert len(see.session().judgements("text", PEDESTRIAN)) == 2

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN))


def test_the_header_says_what_was_undone_and_nothing_of_another_query_or_session(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        await see.do("results.mark_not_relevant")
        assert "not relevant on #1" in see.title and "u undoes" in see.title
        await see.press("u")
        assert "u undoes" not in see.title
        assert "Undone: not relevant → no mark" in see.title and "ctrl+r redoes" in see.title
        await see.do("app.redo")
        assert "Redone: no mark → not relevant" in see.title and "u undoes" in see.title
        await see.do("results.more_like_this")  # another query
        await see.until(lambda: see.home.question.query != PEDESTRIAN)
        await see.answered()
        assert "Redone" not in see.title and "undoes" not in see.title
        await see.do("results.mark_relevant")
        assert "u undoes" in see.title
        await see.do("app.show_evaluate", "evaluate.run")
        table = see.app.evaluate_screen.query_one("#queries", LineTable)
        await see.until(lambda: table.cursor >= 0)
        await see.do("evaluate.mark_bias")
        await see.press("1")
        await see.do("app.show_inspect")
        assert "undoes" not in see.title  # it would undo something else by now
        await see.do("results.mark_relevant")
        assert "u undoes" in see.title
        see.app.new_session()
        await see.pilot.pause()
        assert "undoes" not in see.title

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN), size=(200, 50))


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
def test_the_header_cuts_what_was_undone_and_never_the_key_that_redoes_it(
    size: tuple[int, int], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        clip = see.results.clip
        await see.do("results.mark_bias")
        await see.press("2", "u")
        said = f"Undone: bias case (missing keyword) → no mark on {clip}"
        assert " · ctrl+r redoes" in see.title and said[:36] in see.title
        assert (said in see.title) == (size[0] > 80)
        assert not see.toasts  # once is enough

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN), size=size)


def test_the_keyword_that_was_dropped_and_taken_in_again_is_named(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        await see.do("inspect.edit_keywords", "keywords.drop")
        await settled(see)
        assert "keyword −pedestrian · u undoes" in see.title
        await see.press("right", "right")
        await see.do("keywords.drop")  # a dropped one is taken in again
        await settled(see)
        assert "keyword +pedestrian · u undoes" in see.title
        await see.press("u", "u")
        await settled(see)
        assert "Undone: keyword +pedestrian · ctrl+r redoes" in see.title
        assert see.home.question.keywords is None

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN))


def test_an_undo_that_asks_another_query_shows_the_clip_that_the_missed_list_would_hide(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    found = answer(encoder, PEDESTRIAN)
    place = int((~found.is_relevant[5:]).nonzero()[0][0]) + 5

    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        see.results.cursor = place
        await see.do("results.mark_not_relevant")
        await see.ask("bicyclist")
        await see.do("inspect.toggle_missed")
        await see.press("u")
        await see.answered(PEDESTRIAN)
        assert see.results.clip == found.clip(place)

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN))


def test_a_change_that_cannot_be_answered_leaves_what_can_be_redone(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        await see.do("results.mark_relevant")
        await see.press("u")
        wrong = replace(see.home.question, groups=("object_type", "no such group"))
        see.home.asker.change(wrong)
        await see.until(lambda: see.home.question != wrong, "the question that can be answered")
        await see.press("escape")  # what is wrong
        await see.do("app.redo")
        assert len(see.session().judgements("text", PEDESTRIAN)) == 1

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN))


def test_giving_up_takes_back_every_change_that_was_not_answered(
    own_encoder: Dataset, held: HeldLoads, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.do("results.mark_relevant")
        await see.press("slash")
        await see.type(PEDESTRIAN)
        await see.press("enter")
        await see.until(lambda: "loading" in see.keywords, "that it loads")
        await see.do("inspect.edit_keywords", "keywords.drop", "keywords.drop")
        await see.until(lambda: see.session().changes == 3, "both changes")
        await see.press("escape", "escape")
        assert see.home.question.query == CLIP
        assert see.session().changes == 1
        await see.press("u")
        assert see.home.question.query == CLIP and not see.session().judgements("video", CLIP)

    inspect(flow, tmp_path, encoder, dataset=own_encoder, query=("video", CLIP))


def test_an_undo_over_the_zoomed_picture_keeps_the_way_back_to_the_table(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("app.show_evaluate", "evaluate.run")
        table = see.app.evaluate_screen.query_one("#queries", LineTable)
        await see.until(lambda: table.cursor >= 0)
        await see.do("evaluate.dive")
        await see.until(lambda: see.app.screen is see.home)
        await see.answered()
        await see.do("inspect.edit_keywords", "keywords.drop")
        await settled(see)
        await see.do("inspect.back")
        see.home._zoom_picture()  # as its key does where there are pictures
        await see.pilot.pause()
        assert see.app.screen.is_modal
        await see.press("u")
        await settled(see)
        await see.press("escape")
        assert see.app.screen is see.home
        await see.do("inspect.back")
        assert see.app.screen is see.app.evaluate_screen

    inspect(flow, tmp_path, encoder, size=(120, 40))


def test_an_undone_change_of_another_window_leaves_what_is_asked_here(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        first = see.home.question
        second = replace(first, groups=GROUPS[:1])
        see.home.asker.change(second)
        await settled(see)
        third = replace(first, groups=GROUPS[1:])
        see.session().change_question(QuestionChange(first, third, None))  # from another window
        await see.press("u")
        await see.says("what is asked here stays")
        assert see.home.question == second and see.session().changes == 1
        await see.press("u")
        await settled(see)
        assert see.home.question == first and see.session().changes == 0
        await see.do("app.redo")
        await settled(see)
        assert see.home.question == second
        await see.do("app.redo")
        assert see.home.question == second and see.session().changes == 2

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN))


def test_a_mark_that_is_there_already_is_no_change(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        await see.do("results.mark_relevant")
        await see.press("g")
        await see.do("results.mark_relevant")
        assert see.session().changes == 1

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN))


def test_what_is_chosen_before_anything_is_asked_can_be_undone_too(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        first = see.home.question
        await see.do("inspect.pick")
        await see.press("G")
        await see.do("picker.choose")
        await see.until(lambda: len(see.home.question.groups) == 3)
        await see.press("u")
        assert see.home.question == first
        await see.do("app.redo")
        assert len(see.home.question.groups) == 3
        assert not see.store.summaries()  # nothing was asked: there is no session yet
        await see.press("escape")
        await see.ask("bicyclist")
        await see.press("u")
        await settled(see)
        expected = answer(encoder, "bicyclist").question
        assert see.home.question == expected == Question("text", "bicyclist", "alfa-0.1", GROUPS)

    inspect(flow, tmp_path, encoder)


def test_a_query_is_judged_in_its_row_and_that_is_undone_there(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.do("app.show_evaluate", "evaluate.run")
        table = see.app.evaluate_screen.query_one("#queries", LineTable)
        await see.until(lambda: table.cursor >= 0)
        query = see.rows(table)[0][0]
        await see.do("evaluate.mark_bias")
        await see.press("6")
        assert f"Note on “{query}”" in see.screen_text
        await see.type("no lamp in any of them")
        await see.press("enter")
        said = see.session().query_judgements("text")[query]
        assert (said.mark, said.reason, said.note) == ("bias", "other", "no lamp in any of them")
        assert said.seen is not None and (said.seen.model, said.seen.rank) == ("alfa-0.1", 0)
        assert see.rows(table)[0][0] == f"⚑✎ {query}"
        await see.press("j", "u", "u")
        assert f"Undone: bias case (other) → no mark on “{query}” · ctrl+r redoes" in see.title
        assert not see.toasts
        assert see.session().query_judgements("text") == {}
        assert see.rows(table)[0][0] == query
        assert (see.app.screen, table.cursor) == (see.app.evaluate_screen, 0)
        await see.do("app.redo")
        assert "⚑" in see.rows(table)[0][0]
        assert f"Redone: no mark → bias case (other) on “{query}” · u undoes" in see.title
        await see.do("evaluate.clear_mark")
        assert see.session().query_judgements("text") == {}

    inspect(flow, tmp_path, encoder)


def test_undo_goes_on_over_changes_of_a_model_that_is_gone(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def change(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        await see.do("app.next_model")
        await see.until(lambda: see.home.question.model == "alfa-0.2")
        await settled(see)
        await see.do("inspect.edit_keywords", "keywords.drop")
        await settled(see)
        await see.do("inspect.back", "app.next_model")
        await see.until(lambda: see.home.question.model == "alfa-0.1")
        await settled(see)
        await see.ask("bicyclist")
        assert see.session().changes == 3

    inspect(change, tmp_path, encoder, query=("text", PEDESTRIAN))
    whole = sample()
    rest = replace(whole, models={"alfa-0.1": whole.models["alfa-0.1"]})

    async def undo(see: Inspector) -> None:
        await see.answered("bicyclist")
        await see.press("u")
        await see.says("The dataset has no model alfa-0.2 any more: alfa-0.1 is asked.")
        await see.answered(PEDESTRIAN)
        assert see.session().changes == 2 and see.home.question.keywords is not None
        await see.press("u")
        await settled(see)
        assert see.session().changes == 1 and see.home.question.keywords is None
        await see.press("u")
        await settled(see)
        assert "what is asked here stays" not in see.screen_text
        assert see.session().changes == 0
        assert see.home.question == answer(encoder, PEDESTRIAN).question
        for done in (1, 2, 3):
            await see.do("app.redo")
            await settled(see)
            assert see.session().changes == done and see.home.question.model == "alfa-0.1"
        assert see.home.question.keywords is not None and see.field == PEDESTRIAN

    inspect(undo, tmp_path, encoder, dataset=rest, resume=True)


def test_an_undo_that_cannot_be_answered_leaves_the_focus_where_it_is(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        await see.do("inspect.edit_keywords", "keywords.drop")
        await settled(see)
        await see.do("inspect.back")
        await see.ask("bicyclist")

        def fail(*asked: Any, **_: Any) -> None:
            asked[3](InputError("the file is gone"))

        with monkeypatch.context() as broken:
            broken.setattr(see.app.services.questions, "ask", fail)
            await see.press("u")
        await see.says("the file is gone")
        assert see.app.focused is see.results and see.field == "bicyclist"
        assert see.session().changes == 1
        await see.press("u")
        await settled(see)
        assert see.home.question == answer(encoder, PEDESTRIAN).question

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN))
