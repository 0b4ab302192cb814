"""Marks, reasons, notes, undo: everything is in the store at once, and metrics follow."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.keywords.inspection import pair_metrics
from engine.keywords.judgement import REASONS, Judgement, JudgementContext, Target
from engine.sessions import SessionView
from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, GROUPS, PEDESTRIAN, Inspector, answer, inspect
from tui.inspect.metric_lines import format_metric_value


@pytest.mark.slow
def test_a_whole_session_is_saved_as_it_happens_and_resumed_where_it_was_left(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    three = (*GROUPS, "scene_type")
    text = "rainy bicyclist"
    expected = answer(encoder, text, groups=three)
    assert expected.keywords
    clips = [expected.clip(place) for place in range(5)]
    seen = JudgementContext("alfa-0.1", three, tuple(map(str, expected.keywords)), 2, 0.0)

    async def first(see: Inspector) -> None:
        await see.press("p", "G", "space")
        await see.until(lambda: see.home.question.groups == three)
        await see.press("escape")
        await see.ask(text)
        await see.press("j", "b")
        assert "Why is it a bias case?" in see.screen_text
        assert "look-alike" in see.screen_text
        await see.press("1")
        assert see.results.cursor == 4  # marking goes on to the next miss
        assert f"bias case (look-alike) on #2 {clips[1]} · u undoes" in see.title
        assert see.rows()[1][4] == "⚑ "
        said = see.session().judgements("text", text)[clips[1]]
        assert (said.mark, said.reason) == ("bias", "look-alike")
        assert said.seen is not None
        assert (said.seen.model, said.seen.groups, said.seen.keywords, said.seen.rank) == (
            seen.model, seen.groups, seen.keywords, seen.rank,
        )  # fmt: skip
        assert said.seen.score == pytest.approx(float(expected.similarities[1]))

        await see.press("a")
        assert f"Note on {clips[4]}" in see.screen_text
        await see.type("see ticket 7: [bold]lamp[/]")
        await see.press("enter")
        assert see.results.cursor == 4  # a note stays where it is
        assert (
            see.session().judgements("text", text)[clips[4]].note == "see ticket 7: [bold]lamp[/]"
        )
        await see.until(lambda: "see ticket 7: [bold]lamp[/]" in see.detail)
        assert see.rows()[4][4] == "✎"

        await see.press("u")
        await see.says(f"Undone: the note on {clips[4]}")
        assert clips[4] not in see.session().judgements("text", text)
        assert "ticket" not in see.detail
        await see.press("u")
        assert see.session().judgements("text", text) == {}
        assert see.rows()[1][4] == ""
        assert see.results.cursor == 1  # where it happened
        await see.press("u")  # the group came first
        await see.until(lambda: see.home.question.groups == GROUPS)
        await see.answered(text)
        assert "Undo" not in see.footer
        await see.press("ctrl+r")
        await see.until(lambda: see.home.question.groups == three)
        await see.answered(text)
        await see.press("ctrl+r", "ctrl+r")
        assert see.footer["Undo"] == "u"
        assert see.session().judgements("text", text).keys() == {clips[1], clips[4]}
        assert see.rows()[1][4] == "⚑ "
        await see.press("G")
        await see.shows(expected.clip(283))

    inspect(first, tmp_path, encoder, size=(200, 50))

    async def second(see: Inspector) -> None:
        await see.answered(text)
        assert see.inspection is not None
        assert see.inspection.question == expected.question
        assert see.results.clip == expected.clip(283)
        assert see.field == text
        assert [row[4] for row in see.rows()[:5]] == ["", "⚑ ", "", "", "✎"]
        assert any(row[0] == "▾■ scene type (18)" for row in see.rows(see.picker))
        assert "sample 2026-11-16 04:30" in see.title
        assert len(see.store.summaries()) == 1
        await see.press("u")  # also undo goes on where it was
        assert see.session().judgements("text", text).keys() == {clips[1]}

    inspect(second, tmp_path, encoder, resume=True)


def test_the_list_of_missed_clips_and_the_model_are_resumed_too(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    expected = answer(encoder, CLIP, "video", "alfa-0.2")
    rank = int(expected.missed(5)[2]) + 1

    async def first(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("m")
        await see.until(lambda: see.home.question.model == "alfa-0.2")
        await see.answered(CLIP)
        await see.press("d", "g", *("j" for _ in range(7)))
        await see.shows(expected.clip(rank - 1))

    inspect(first, tmp_path, encoder, query=("video", CLIP))

    async def second(see: Inspector) -> None:
        await see.answered(CLIP)
        assert "alfa-0.2 (2/2)" in see.title
        assert "6 missed below" in see.screen_text
        assert see.rows()[see.results.cursor][0] == str(rank)
        wanted = SessionView(expected.question, expected.clip(rank - 1), "missed")
        assert see.session().view == wanted

    inspect(second, tmp_path, encoder, resume=True)


@pytest.mark.slow
def test_relevant_after_all_and_not_relevant_change_the_adjudicated_metrics_only(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    found = answer(encoder, PEDESTRIAN)
    assert found.matched[:3].tolist() == [2, 1, 2]
    marks = {found.clip(1): Judgement("relevant")}
    both = {**marks, found.clip(0): Judgement("not relevant")}

    def strip(judgements: dict[str, Judgement]) -> list[str]:
        texts = []
        for k, pair in zip((1, 3, 5), pair_metrics(found, judgements), strict=False):
            text = f"@{k} {format_metric_value(pair.published)}"
            if pair.published != pair.adjudicated:
                text += f"→{format_metric_value(pair.adjudicated)}"
            texts.append(text)
        return [*texts, "adjudicated = hits@K / K · chance 0.039: above chance at every K"]

    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        assert "adjudicated" not in see.metrics
        await see.press("n", "plus")
        assert see.results.cursor == 4
        assert strip(marks)[1] == "@3 0.667→1.000"
        for text in strip(marks):
            assert text in see.metrics
        assert see.rows()[1][4] == "✓ "
        await see.press("g", "minus")
        assert strip(both)[0] == "@1 1.000→0.000"
        for text in strip(both):
            assert text in see.metrics
        assert see.rows()[0][4] == "✗ "
        saved = {metric.id: metric for metric in see.session().answers()[0].metrics}
        for pair in pair_metrics(found, both):
            assert saved[str(pair.measure)].published == pytest.approx(pair.published)
            assert saved[str(pair.measure)].adjudicated == pytest.approx(pair.adjudicated)
        await see.press("M")
        assert "adjudicated" in see.screen_text
        await see.press("escape", "g", "backspace")  # takes the mark off
        assert found.clip(0) not in see.session().judgements("text", PEDESTRIAN)
        for text in strip(marks):
            assert text in see.metrics
        assert see.results.cursor == 0

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN))


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
def test_chance_stays_beside_the_metrics_while_they_are_judged(
    tmp_path: Path, encoder: SentenceEncoder, size: tuple[int, int]
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        assert "= hits@K / K · chance 0.039: above" in see.metrics
        await see.press("n", "plus")
        assert "0.667" in see.metrics and "1.000" in see.metrics
        assert "= hits@K / K · chance 0.039" in see.metrics
        await see.press("g", "minus")  # three numbers are changed now: the most that there can be
        assert "= hits@K / K · chance 0.039" in see.metrics

    inspect(flow, tmp_path, encoder, size=size, query=("text", PEDESTRIAN))


def test_each_reason_has_a_digit_and_escape_marks_nothing(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("b", "escape")
        assert see.session().judgements("video", CLIP) == {}
        assert see.results.cursor == 0
        clips = []
        for number, reason in enumerate(REASONS, start=1):
            assert see.results.clip is not None
            clips.append(see.results.clip)
            await see.press("b")
            assert reason in see.screen_text
            await see.press(str(number))
        assert f"Note on {clips[-1]}" in see.screen_text  # the last one asks for a note
        await see.press("escape")
        said = see.session().judgements("video", CLIP)
        assert [said[clip].reason for clip in clips] == list(REASONS)
        assert "adjudicated" not in see.metrics  # a bias case does not change what is relevant
        await see.press("g", "b")  # the reason it has is the one that is offered first
        await see.press("j", "enter")
        assert see.session().judgements("video", CLIP)[clips[0]].reason == REASONS[1]

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_a_mark_keeps_the_note_and_a_note_keeps_the_mark(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        clip = see.rows()[0][3]

        def said() -> Judgement:
            return see.session().judgements("video", CLIP).get(clip, Judgement())

        await see.press("a")
        await see.type("dark")
        await see.press("enter", "b", "5")
        assert (said().mark, said().reason, said().note) == ("bias", "hub", "dark")
        await see.press("k", "a")
        await see.type("er")  # goes on after what is there
        await see.press("enter")
        assert (said().mark, said().note) == ("bias", "darker")
        await see.until(lambda: "bias case (hub)" in see.detail and "darker" in see.detail)
        await see.press("a", "ctrl+u", "enter")  # an empty note takes it off
        assert (said().mark, said().note) == ("bias", "")
        await see.press("a")
        await see.type("never mind")
        await see.press("escape")
        assert said().note == ""

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_the_mark_on_the_last_result_stays_on_the_last_result(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("G", "minus")
        assert see.results.cursor == 282
        assert see.rows()[282][4] == "✗ "

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_in_the_list_of_missed_clips_a_mark_goes_on_to_the_next_one_that_was_missed(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("d")
        rows = len(see.rows())
        see.results.cursor = rows - 2  # the first of the last two, both missed
        await see.press("minus")
        assert see.results.cursor == rows - 1 and "none left" not in see.title
        await see.press("minus")
        assert see.results.cursor == rows - 1
        assert "none left below · u undoes" in see.title
        await see.press("g", "n")
        assert see.results.cursor < rows - 1

    inspect(flow, tmp_path, encoder, query=("video", CLIP), size=(200, 50))


def test_marks_belong_to_their_query_and_come_back_with_it(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        first = see.rows()[0][3]
        await see.press("minus", "G", "v")
        await see.until(lambda: see.home.question.query != CLIP)
        await see.answered()
        assert all(row[4] == "" for row in see.rows())
        await see.press("left_square_bracket")
        await see.answered(CLIP)
        assert see.rows()[0][3:5] == [first, "✗ "]

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_a_key_pressed_twice_answers_a_dialog_once(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.press("b")
        await see.says("look-alike")
        await see.type("11")

        await see.until(lambda: see.session().all_judgements(), "the mark")
        await see.pilot.pause()
        assert not see.app.screen.is_modal
        assert len(see.session().all_judgements()) == 1

    inspect(flow, tmp_path, encoder)


def test_a_mark_that_another_window_made_stays_when_a_note_is_saved(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        await see.do("results.note")
        await see.type("mine")
        target = Target("text", PEDESTRIAN, str(see.results.clip))
        see.session().judge(target, Judgement("bias", "hub"))  # while the editor is open
        await see.press("enter")
        said = see.session().judgement(target)
        assert (said.mark, said.reason, said.note) == ("bias", "hub", "mine")
        see.session().judge(target, Judgement("relevant", note="theirs"))
        await see.do("results.note")  # at once: this window has not heard of it
        await see.type("!")
        await see.press("enter")
        said = see.session().judgement(target)
        assert (said.mark, said.note) == ("relevant", "theirs!")

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN))


def test_a_note_that_another_window_wrote_stays_when_something_is_marked(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        target = Target("text", PEDESTRIAN, str(see.results.clip))
        await see.do("results.mark_bias")
        see.session().judge(target, Judgement(note="theirs"))  # while the reasons are asked for
        await see.press("1")
        said = see.session().judgement(target)
        assert (said.mark, said.reason, said.note) == ("bias", REASONS[0], "theirs")
        await see.press("g")
        see.session().judge(target, Judgement(note="theirs, unmarked"))
        await see.do("results.mark_bias")  # here it is marked so still
        await see.press("1")
        said = see.session().judgement(target)
        assert (said.mark, said.reason, said.note) == ("bias", REASONS[0], "theirs, unmarked")

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN))


@pytest.mark.parametrize("wants_note", ["tab", "6"])
def test_keys_that_follow_a_reason_at_once_are_typed_into_its_note(
    wants_note: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        clip = str(see.results.clip)
        see.burst("b", wants_note, *"hello", "enter")
        await see.until(lambda: see.session().changes == 2, "the mark and the note")
        await see.until(lambda: see.app.screen is see.home, "the end of the note")
        said = see.session().judgements("text", PEDESTRIAN)
        assert [(one, found.mark, found.note) for one, found in said.items()] == [
            (clip, "bias", "hello")
        ]
        assert see.results.clip != clip  # and on to the next
        await see.do("results.note")
        await see.type("still heard")
        await see.press("enter")
        assert len(see.session().judgements("text", PEDESTRIAN)) == 2

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN))
