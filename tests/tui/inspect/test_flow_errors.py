"""What goes wrong is said, with what to do about it, and the app goes on."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from textual import events

from engine.keywords.workbench import Workbench
from engine.sessions import SessionStore
from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, GROUPS, Inspector, inspect, small_dataset
from tests.tui.piloted import LIMIT

SIX = "\n".join(f"{name},,,{kind},city" for name, kind in zip("abcdef", ["car", "bus"] * 3))  # noqa: B905


def test_an_unknown_clip_is_a_toast_and_what_was_shown_stays(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        before = see.rows()
        await see.press("c")
        await see.type("urban_bicyclist_9999")
        await see.press("enter")
        await see.says("urban_bicyclist_9999")
        await see.until(lambda: see.toasts, "a toast")
        assert see.rows() == before
        assert see.home.question.query == CLIP  # the question is again what the list answers
        assert f"not answered; below is still “{CLIP}”" in see.keywords
        await see.press("escape")
        assert "6 relevant of 283" in see.keywords
        await see.press("minus")
        assert see.session().judgements("video", CLIP).keys() == {before[0][3]}

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_markup_and_control_characters_in_a_query_are_shown_as_they_are(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press("c")
        await see.type("[red]x[/]")
        await see.press("enter")
        await see.until(lambda: any("[red]x[/]" in toast for toast in see.toasts), "the toast")
        assert see.field == "[red]x[/]"

    inspect(flow, tmp_path, encoder)


def test_a_pasted_text_that_is_too_long_is_refused_in_words(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press("slash")
        see.app.post_message(events.Paste("bicyclist " * 600))
        await see.pilot.pause()
        await see.press("enter")
        await see.says("5,000")
        assert len(see.field) > 5_000  # nothing that was typed is lost
        assert not any("paste" in toast for toast in see.toasts)

    inspect(flow, tmp_path, encoder)


def test_of_a_much_longer_paste_it_is_said_first_how_much_the_field_takes(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press("slash")
        see.app.post_message(events.Paste("bicyclist\n" * 10_000))
        await see.says("The paste is too long: 6,000 characters fit here. Only its first 6,000")
        assert see.field.startswith("bicyclist bicyclist ") and len(see.field) == 6_000

    inspect(flow, tmp_path, encoder)


@pytest.mark.slow
def test_a_text_of_5000_characters_is_answered(tmp_path: Path, encoder: SentenceEncoder) -> None:
    text = ("bollard " * 625).strip()

    async def flow(see: Inspector) -> None:
        await see.press("slash")
        see.app.post_message(events.Paste(text))
        await see.pilot.pause()
        assert len(see.field) == len(text)
        await see.press("enter")
        await see.answered(text)
        assert "8 relevant of 284" in see.keywords

    inspect(flow, tmp_path, encoder)


@pytest.mark.slow
def test_text_of_another_dimension_is_a_message_and_clips_still_work(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "narrow", SIX, width=8)

    async def flow(see: Inspector) -> None:
        await see.press("slash")
        await see.type("car")
        await see.press("enter")
        await see.says("384")
        await see.press("escape")
        await see.ask_clip("a")
        assert len(see.rows()) == 5

    inspect(flow, tmp_path, encoder, dataset=dataset)


@pytest.mark.parametrize("damage", ["missing", "broken"])
def test_a_model_whose_embeddings_cannot_be_read_leaves_the_one_before(
    damage: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "two", SIX, "one two")
    file = tmp_path / "two" / "two.npz"
    if damage == "missing":
        file.unlink()
    else:
        file.write_bytes(b"PK no")

    async def flow(see: Inspector) -> None:
        await see.until(lambda: see.inspection is not None, "an answer")
        before = [row[:5] for row in see.rows()]
        await see.press("m")
        await see.says("two.npz")
        if see.app.screen.is_modal:
            await see.press("escape")
        await see.until(lambda: "one (1/2)" in see.title, "the model before")
        assert [row[:5] for row in see.rows()] == before
        await see.press("minus")
        assert see.rows()[0][4] == "✗ "

    inspect(flow, tmp_path, encoder, dataset=dataset, query=("video", "a"))


def test_a_mark_that_cannot_be_saved_is_kept_in_memory_until_it_can(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        see.store._database._connection.execute("PRAGMA query_only = ON")
        await see.press("minus")
        await see.says("Nothing can be saved: ")
        assert any("cannot be written" in toast for toast in see.toasts)
        assert see.rows()[0][4] != "" and see.results.cursor == 1  # it counts all the same
        await see.says("all that was kept in memory is saved in it")
        with SessionStore(see.store.path) as other:
            (judged,) = other.open(see.session().id).all_judgements()
        assert judged.target.query == CLIP

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_a_session_that_another_window_deletes_does_not_end_this_one(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        with SessionStore(see.store.path) as other:
            other.delete(see.session().id)
        await see.press("j", "minus")
        await see.says("was deleted")
        await see.ask_clip("urban_pedestrian_0004")
        assert see.rows()
        await see.press("3", "1")
        assert see.app.screen is see.home

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_a_store_that_is_deleted_while_running_does_not_end_the_app(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        for file in tmp_path.glob("sessions.db*"):
            file.unlink()
        await see.press("minus", "u", "j")
        await see.ask_clip("urban_pedestrian_0004")
        assert see.rows()
        await see.press("3", "1")
        assert see.app.screen is see.home

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


@pytest.mark.slow
def test_a_query_without_a_keyword_of_the_chosen_groups_is_unjudged_and_teaches(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask("rainy night")
        assert "no keyword of the chosen groups" in see.keywords
        assert "rainy, nighttime (scene type)" in see.keywords  # what it would mean elsewhere
        assert "p chooses groups" in see.keywords
        assert {row[2] for row in see.rows()} == {"· "}
        assert "No keyword, so nothing is judged" in see.metrics
        assert not {"Next miss", "Missed"} & see.footer.keys()
        await see.press("M")  # no metric to show, and no crash
        await see.press("escape", "p", "G", "space")
        await see.until(lambda: "scene_type" in see.home.question.groups)
        await see.answered("rainy night")
        assert "relevant of 284" in see.keywords
        assert "Recall@5" in see.metrics

    inspect(flow, tmp_path, encoder, size=(200, 50))


def test_where_no_clip_is_relevant_the_strip_says_so_and_what_to_press(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered("urban_pedestrian_0040")
        assert "0 relevant of 283" in see.keywords
        assert "No clip has all these keywords: no metric is defined." in see.metrics
        assert "e drops a keyword" in see.metrics
        await see.press("plus")  # one that is relevant after all defines them
        await see.until(lambda: "adjudicated" in see.metrics, "adjudicated metrics")
        assert "n/a adjudicated 1" in see.metrics

    inspect(flow, tmp_path, encoder, query=("video", "urban_pedestrian_0040"))


def test_a_dataset_of_one_clip_has_nothing_to_find_and_says_so(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "one", "a,,,car,city")

    async def flow(see: Inspector) -> None:
        await see.says("the collection has no other clip to find")

    inspect(flow, tmp_path, encoder, dataset=dataset, query=("video", "a"))


def test_a_dataset_with_fewer_clips_than_k_can_be_searched(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "few", "a,,,car,city\nb,,,car,rain\nc,,,bus,rain")

    async def flow(see: Inspector) -> None:
        await see.until(lambda: see.inspection is not None or see.toasts, "an answer")
        assert see.toasts == []
        assert len(see.rows()) == 2
        await see.press("j", "minus", "d", "d", "M")

    inspect(flow, tmp_path, encoder, dataset=dataset, query=("video", "a"))


def test_a_first_query_waits_for_the_groups_of_a_dataset_that_names_none(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "plain", SIX, groups="")

    async def flow(see: Inspector) -> None:
        await see.until(lambda: see.inspection is not None or see.toasts, "an answer")
        assert see.toasts == []
        assert len(see.rows()) == 5

    inspect(flow, tmp_path, encoder, dataset=dataset, query=("video", "a"))


def test_a_dataset_whose_annotations_cannot_be_read_says_where_and_the_app_lives(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = small_dataset(tmp_path / "bad", SIX)
    (tmp_path / "bad" / "clips.csv").write_text("slice_id\n")

    async def flow(see: Inspector) -> None:
        await see.says("clips.csv")
        if see.app.screen.is_modal:
            await see.press("escape")
        await see.press("2", "1", "p", "escape")
        assert see.app.screen is see.home

    inspect(flow, tmp_path, encoder, dataset=dataset, ready=False)


def test_an_error_that_is_nobodys_input_is_a_dialog_with_its_text_to_keep(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    real = Workbench.ask

    def ask(bench: Workbench, question: Any, *args: Any, **options: Any) -> Any:
        if question.query == "urban_pedestrian_0004":
            raise RuntimeError("the [bold]index[/] is gone")
        return real(bench, question, *args, **options)

    monkeypatch.setattr(Workbench, "ask", ask)

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("c")
        await see.type("urban_pedestrian_0004")
        await see.press("enter")
        await see.until(lambda: see.app.screen.is_modal, "a dialog")
        assert "RuntimeError: the [bold]index[/] is gone" in see.screen_text
        await see.press("w")
        (file,) = tmp_path.glob("tui-eval-problem*.txt")
        assert "Traceback" in file.read_text()
        await see.press("y")
        assert "RuntimeError" in see.app.clipboard
        await see.press("escape", "escape")  # the dialog, and the field with what was typed
        assert see.home.question.query == CLIP
        assert see.field == CLIP
        await see.press("minus")
        assert see.rows()[0][4] == "✗ "

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_quitting_does_not_wait_for_a_question_that_is_being_answered(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold, asked, given_up = threading.Event(), threading.Event(), threading.Event()

    def ask(*args: Any, **options: Any) -> Any:
        asked.set()
        if not hold.wait(LIMIT):
            given_up.set()

    monkeypatch.setattr(Workbench, "ask", ask)

    async def flow(see: Inspector) -> None:
        await see.until(asked.is_set, "the question")
        await see.says("searching …")
        await see.press("q")

    try:
        inspect(flow, tmp_path, encoder, query=("video", CLIP))
        assert not given_up.is_set(), "it ended with the question only"
    finally:
        hold.set()


def test_a_newer_question_is_answered_and_the_older_one_is_not_shown(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold, real = threading.Event(), Workbench.ask

    def ask(bench: Workbench, question: Any, *args: Any, **options: Any) -> Any:
        if question.query == CLIP:
            hold.wait(LIMIT)
        return real(bench, question, *args, **options)

    monkeypatch.setattr(Workbench, "ask", ask)

    async def flow(see: Inspector) -> None:
        await see.says("searching …")
        await see.press("c")
        await see.type("urban_pedestrian_0004")
        await see.press("enter")
        hold.set()
        await see.answered("urban_pedestrian_0004")
        assert see.session().history("video") == ("urban_pedestrian_0004",)

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


NARROW = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from tui.widgets.lines_view import Line, wrap
print(len(wrap(Line.of("✅ bicyclist"), 1)) < 100)
"""


@pytest.mark.slow
def test_a_sign_that_is_wider_than_its_pane_does_not_hang_the_app() -> None:
    run = subprocess.run(
        [sys.executable, "-c", NARROW], capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert run.stdout == "True\n", run.stderr[-300:]


def test_a_group_is_chosen_while_the_picker_stands_in_place_of_the_detail(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("p", "G", "space")
        await see.until(lambda: see.home.question.groups == (*GROUPS, "scene_type"))
        await see.press("escape")
        await see.answered(CLIP)
        assert "scene type" in see.detail

    inspect(flow, tmp_path, encoder, size=(120, 40), query=("video", CLIP))


def test_ctrl_c_says_which_key_leaves(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.press("ctrl+c")
        await see.says("q leaves; everything is saved already")

    inspect(flow, tmp_path, encoder)
