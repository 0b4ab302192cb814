"""What was not understood is said, the nearest keyword is a key away, and edits are remembered."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from engine.dataset.dataset import Dataset
from engine.dataset.settings_file import open_dataset
from engine.text.encoder import SentenceEncoder
from tests.tui.inspect.wildlife import wildlife
from tests.tui.inspector import CLIP, Inspector, inspect
from tui.evaluate.screen import EvaluateScreen

pytestmark = pytest.mark.slow

DOE = "napping doe"


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is learned beside a dataset belongs to one test alone."""
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path / "data"))


def settings(dataset: Dataset) -> dict[str, Any]:
    return tomllib.loads((dataset.source / "dataset.toml").read_text())


async def keywords_are(see: Inspector, *names: str) -> None:
    def shown() -> bool:
        found = see.inspection
        return found is not None and {word.name for word in found.keywords} == set(names)

    await see.until(shown, f"the keywords {names}")
    await see.answered()


def test_what_was_not_understood_stands_below_the_keywords(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask("red truck turning left")
        lines = see.keywords.splitlines()
        assert lines[0].startswith('large vehicle "truck" synonym 0.95')
        assert lines[1].startswith("not understood: red · turning · left")
        assert "no keyword near: add one with e, i" in lines[1]
        assert "Nearest" not in see.footer and "Remember" not in see.footer
        await see.ask_clip(CLIP)
        assert "not understood" not in see.keywords

    inspect(flow, tmp_path, encoder)


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (140, 40)])
def test_no_keyword_is_hidden_by_what_was_not_understood(
    size: tuple[int, int], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    words = " ".join(f"gizmo{number}" for number in range(20))
    text = f"pedestrian, bicyclist, motorcyclist, bollard, small vehicle, large vehicle {words}"

    async def flow(see: Inspector) -> None:
        await see.ask(text)
        assert see.inspection is not None and len(see.inspection.keywords) == 6
        for keyword in see.inspection.keywords:
            assert keyword.name in see.screen_text
        shown = sum(f"gizmo{number}" in see.keywords.split() for number in range(20))
        assert shown == 20 or f"+{20 - shown} more" in see.keywords
        assert "relevant of 284" in see.screen_text.replace("\n ", " ")
        await see.press("e", "right", "right")
        assert '[large vehicle] "large vehicle" exact' in see.keywords  # the third

    inspect(flow, tmp_path, encoder, size=size)


def test_one_key_takes_the_nearest_keyword_and_again_the_next(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask(DOE)
        found = see.inspection
        assert found is not None and found.mapping is not None and not found.keywords
        near = found.mapping.near
        assert [item.keyword.name for item in near] == ["resting", "deer"]
        assert f"nearest: resting {near[0].score:.2f} (E adds it), deer" in see.keywords
        assert see.footer["Nearest"] == "E"
        await see.press("E")
        await keywords_are(see, "resting")
        assert "nearest: deer" in see.keywords
        await see.press("E")
        await keywords_are(see, "resting", "deer")
        assert "no other keyword near" in see.keywords
        assert "Nearest" not in see.footer
        await see.press("e", "R")
        await keywords_are(see)

    inspect(flow, tmp_path, encoder, dataset=wildlife(tmp_path / "wild"))


def test_two_quick_presses_take_two_keywords(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask(DOE)
        see.burst("E", "E")
        await keywords_are(see, "resting", "deer")

    inspect(flow, tmp_path, encoder, dataset=wildlife(tmp_path / "wild"))


def test_an_added_keyword_is_remembered_mapped_at_once_and_after_a_restart(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = wildlife(tmp_path / "wild")

    async def teach(see: Inspector) -> None:
        await see.ask(DOE)
        await see.press("e", "i")
        await see.type("deer")
        await see.press("enter")
        await keywords_are(see, "deer")
        assert "press L to remember which words mean deer" in see.keywords
        assert see.footer["Remember"] == "L"
        await see.press("L")
        await see.says("Which words mean deer?")
        await see.press("escape")  # no
        assert "synonyms" not in settings(dataset)
        await see.press("L")
        await see.press("1")  # the words that came near to it
        await see.says(f'Remembered: "doe" means deer. It is in {dataset.source}/dataset.toml')
        await see.until(lambda: '[deer] "doe" synonym' in see.keywords, "it is mapped")
        await see.answered(DOE)
        assert settings(dataset)["synonyms"] == {"deer": ["doe"]}
        assert see.home.question.keywords is None  # as mapped: nothing is pinned any more
        assert "not understood: napping" in see.keywords and "press L" not in see.keywords

    inspect(teach, tmp_path, encoder, dataset=dataset)

    async def later(see: Inspector) -> None:
        await see.ask("a doe")
        await keywords_are(see, "deer")
        assert "not understood" not in see.keywords

    inspect(later, tmp_path / "later", encoder, dataset=open_dataset(dataset.source))


def test_a_dropped_keyword_is_never_meant_again_and_u_takes_that_back(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = wildlife(tmp_path / "wild")
    before = (dataset.source / "dataset.toml").read_bytes()

    async def flow(see: Inspector) -> None:
        await see.ask("boar after dark")
        await keywords_are(see, "wild boar", "night")
        await see.press("e", "right", "x")
        await keywords_are(see, "wild boar")
        assert 'press L to remember: "after dark" never means night' in see.keywords
        await see.press("L")
        await see.says('Remembered: "after dark" never means night.')
        await see.until(lambda: "not understood: dark" in see.keywords)
        await see.answered()
        assert settings(dataset)["never_means"] == {"night": ["after dark"]}
        await see.press("escape", "u")
        await see.says('Undone: "after dark" never means night')
        await see.until(lambda: "not understood" not in see.keywords)
        await keywords_are(see, "wild boar")  # still dropped by hand
        assert "night (dropped)" in see.keywords
        assert (dataset.source / "dataset.toml").read_bytes() == before
        assert 'press L to remember: "after dark" never means night' in see.keywords

    inspect(flow, tmp_path, encoder, dataset=dataset)


def test_marks_and_lessons_are_undone_in_the_order_in_which_they_were_done(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = wildlife(tmp_path / "wild")

    async def flow(see: Inspector) -> None:
        await see.ask(DOE)
        await see.press("minus")  # a mark, then a lesson, then a mark
        await see.press("E")
        await keywords_are(see, "resting")
        assert "press L to remember which words mean resting" in see.keywords
        await see.press("L", "1")
        await see.says('Remembered: "napping" means resting')
        await see.until(lambda: 'resting "napping" synonym' in see.keywords)
        await see.answered()
        await see.press("plus", "u")
        await see.says("Undone: relevant")
        assert "synonyms" in settings(dataset)
        await see.press("u")
        await see.says('Undone: "napping" means resting')
        assert "synonyms" not in settings(dataset)
        assert see.session().judgements("text", DOE)
        await see.answered()
        await see.press("u")
        await see.says("Undone: keyword −resting")
        await see.answered()
        await see.press("u")
        await see.says("Undone: not relevant")
        assert not see.session().judgements("text", DOE)

    inspect(flow, tmp_path, encoder, dataset=dataset)


@pytest.mark.parametrize("is_later", [True, False])
def test_after_a_restart_no_older_mark_is_undone_in_place_of_a_lesson(
    is_later: bool, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = wildlife(tmp_path / "wild")
    file = dataset.source / "dataset.toml"

    async def teach(see: Inspector) -> None:
        await see.ask(DOE)
        await see.press("minus", "E")
        await keywords_are(see, "resting")
        await see.press("L", "1")
        await see.says('Remembered: "napping" means resting')
        (judged,) = see.session().all_judgements()
        changed = see.session().last_changed
        assert changed is not None and changed > judged.time  # the keyword came after the mark
        when = changed.timestamp() + 0.5 if is_later else judged.time.timestamp() - 0.5
        os.utime(file, (when, when))  # the clock of the session is not that of the files

    async def undo(see: Inspector) -> None:
        await see.answered(DOE)
        if is_later:
            await see.press("u")
            await see.says(f"{file} was changed after all that is still to undo: phrases")
            assert see.session().judgements("text", DOE) and "synonyms" in settings(dataset)
        await see.press("u")
        await see.says("Undone: the query's own keywords")
        await see.answered()
        await see.press("u")
        await see.says("Undone: not relevant")
        assert not see.session().judgements("text", DOE)

    inspect(teach, tmp_path, encoder, dataset=dataset)
    inspect(undo, tmp_path, encoder, dataset=open_dataset(dataset.source), resume=True)


def test_what_was_taken_back_is_learned_again_in_its_turn_and_said(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = wildlife(tmp_path / "wild")

    async def flow(see: Inspector) -> None:
        await see.ask(DOE)
        await see.press("E")
        await keywords_are(see, "resting")
        await see.press("L", "1")
        await see.says('Remembered: "napping" means resting')
        await see.answered()
        held = (dataset.source / "dataset.toml").read_bytes()
        await see.press("plus", "u")
        await see.says("Undone: relevant")
        await see.press("u")
        await see.says('Undone: "napping" means resting')
        await see.answered()
        await see.press("ctrl+r")
        await see.says('Redone: "napping" means resting. It is in')
        await see.answered()
        assert (dataset.source / "dataset.toml").read_bytes() == held
        await see.press("ctrl+r")
        await see.says("Redone: no mark → relevant")
        await see.press("u", "u")
        await see.says('Undone: "napping" means resting')
        await see.answered()
        await see.press("plus", "u")  # judged since: only that can be done again
        await see.press("ctrl+r")
        await see.says("Redone: no mark → relevant")
        assert "synonyms" not in settings(dataset)

    inspect(flow, tmp_path, encoder, dataset=dataset)


def test_what_was_taken_back_is_void_once_something_new_was_done(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = wildlife(tmp_path / "wild")

    async def flow(see: Inspector) -> None:
        await see.ask(DOE)
        await see.press("E")
        await keywords_are(see, "resting")
        assert "u undoes" in see.title
        await see.press("L", "1")
        await see.says('Remembered: "napping" means resting')
        await see.answered()
        assert "u undoes" not in see.title  # of the keyword: that was not the last
        await see.press("u")
        await see.says('Undone: "napping" means resting')
        await see.answered()
        await see.press("u")
        await see.says("Undone: keyword −resting")
        await see.answered()
        await see.press("plus")
        before = (dataset.source / "dataset.toml").read_bytes()
        assert not see.home.editor.can_learn_again
        await see.press("ctrl+r")
        await see.pilot.pause(0.3)
        assert (dataset.source / "dataset.toml").read_bytes() == before

    inspect(flow, tmp_path, encoder, dataset=dataset)


def test_keys_that_have_nothing_to_do_say_why(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.press("L")
        await see.says("Nothing to remember: ask a text first.")
        await see.press("E")
        await see.says("No keyword is near: ask a text first.")
        await see.ask("deer")
        await see.press("L")
        await see.says("Nothing to remember: add or drop a keyword first.")
        await see.press("E")
        await see.says("No keyword is near: e, then i adds one.")
        await see.press("e", "i")
        await see.type("night")
        await see.press("enter")
        await keywords_are(see, "deer", "night")
        await see.press("L")
        await see.says("Nothing to remember: no words of the text could mean it.")
        assert "Nearest" not in see.footer and "Remember" not in see.footer

    inspect(flow, tmp_path, encoder, dataset=wildlife(tmp_path / "wild"))


def test_an_undo_leaves_a_file_alone_that_somebody_has_changed_since(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = wildlife(tmp_path / "wild")
    file = dataset.source / "dataset.toml"

    async def flow(see: Inspector) -> None:
        await see.ask(DOE)
        await see.press("E")
        await keywords_are(see, "resting")
        await see.press("L", "1")
        await see.says("Remembered: ")
        await see.answered()
        file.write_text(file.read_text() + "# mine\n")
        await see.press("u")
        await see.says("was changed since")
        assert file.read_text().endswith("# mine\n") and "synonyms" in settings(dataset)

    inspect(flow, tmp_path, encoder, dataset=dataset)


def test_the_offer_goes_with_the_next_question_and_with_a_restored_keyword(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask(DOE)
        await see.press("E")
        await keywords_are(see, "resting")
        assert "press L" in see.keywords
        await see.press("e", "R")
        await keywords_are(see)
        assert "press L" not in see.keywords
        await see.press("escape", "E")
        await keywords_are(see, "resting")
        await see.ask("boar")
        assert "press L" not in see.keywords and "Remember" not in see.footer
        await see.ask(DOE)
        assert "press L" not in see.keywords

    inspect(flow, tmp_path, encoder, dataset=wildlife(tmp_path / "wild"))


def test_a_keyword_chosen_in_the_picker_is_offered_too(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask(DOE)
        await see.press("p", "slash")
        await see.type("deer")
        await see.press("enter", "space")
        await see.until(lambda: "deer added by you" in see.keywords)
        assert "press L to remember which words mean deer" in see.keywords
        assert see.focused == "picker" and see.footer["Remember"] == "L"

    inspect(flow, tmp_path, encoder, dataset=wildlife(tmp_path / "wild"))


def test_what_the_sample_learns_is_kept_with_the_sessions(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask("hedgehog")
        await see.press("e", "i")
        await see.type("other")
        await see.press("enter")
        await see.answered()
        await see.press("L")
        await see.says('Remembered: "hedgehog" means other')
        (file,) = (tmp_path / "data" / "learned").glob("*.toml")
        assert tomllib.loads(file.read_text())["synonyms"] == {"other": ["hedgehog"]}
        await see.until(lambda: '[other] "hedgehog" synonym' in see.keywords)

    inspect(flow, tmp_path, encoder)


def test_the_written_answer_has_what_was_not_understood(
    tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def flow(see: Inspector) -> None:
        await see.ask(DOE)
        await see.press("w")
        await see.says("Wrote ")
        (file,) = tmp_path.glob("search-*.json")
        written = json.loads(file.read_text())
        assert written["unexplained"] == ["napping", "doe"]
        assert [near["keyword"] for near in written["near"]] == ["resting", "deer"]

    inspect(flow, tmp_path, encoder, dataset=wildlife(tmp_path / "wild"))


def test_evaluate_says_what_was_not_understood_and_when_the_mapper_has_learned_since(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = wildlife(tmp_path / "wild", "red fox napping\nowl napping\ndeer at night\n")

    async def flow(see: Inspector) -> None:
        await see.press("2", "r")
        await see.says("not understood in 2 of 3 mapped queries (67%): napping (2)")
        await see.press("1")
        await see.ask("owl napping")
        await see.press("e", "i")
        await see.type("resting")
        await see.press("enter")
        await keywords_are(see, "owl", "resting")
        await see.press("L")
        await see.says('Remembered: "napping" means resting')
        await see.answered()
        await see.press("2")
        await see.says("made with other settings: r runs it again")
        await see.press("r")
        screen = see.app.screen
        assert isinstance(screen, EvaluateScreen)
        await see.until(lambda: "not understood" not in see.screen_text, "all is understood")

    inspect(flow, tmp_path, encoder, dataset=dataset)


def test_undo_waits_for_a_phrase_that_is_written_or_taken_back(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    dataset = wildlife(tmp_path / "wild")
    before = (dataset.source / "dataset.toml").read_bytes()

    async def flow(see: Inspector) -> None:
        await see.ask("boar after dark")
        await keywords_are(see, "wild boar", "night")
        await see.press("e", "right", "x")
        await keywords_are(see, "wild boar")
        await see.press("escape")
        see.burst("L", "u")  # the phrase, not the keyword that was dropped before
        await see.says('Undone: "after dark" never means night')
        await keywords_are(see, "wild boar")
        assert see.session().changes == 1
        assert (dataset.source / "dataset.toml").read_bytes() == before
        await see.press("L")
        await see.says('Remembered: "after dark" never means night.')
        await see.answered()
        see.burst("u", "u")  # both
        await see.says("Undone: the query's own keywords")
        await keywords_are(see, "wild boar", "night")
        await see.pilot.pause(0.3)
        assert see.home.question.keywords is None and see.session().changes == 0
        assert (dataset.source / "dataset.toml").read_bytes() == before

    inspect(flow, tmp_path, encoder, dataset=dataset)
