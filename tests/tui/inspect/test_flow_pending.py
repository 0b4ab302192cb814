"""What is done while a query still waits for its answer: nothing of it is lost or misplaced."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.dataset.dataset import Dataset
from engine.dataset.settings_file import open_dataset
from engine.keywords.workbench import Workbench
from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, GROUPS, Inspector, answer, inspect
from tests.tui.piloted import LIMIT

pytestmark = pytest.mark.slow

OTHER = "urban_pedestrian_0040"


class Held:
    """Holds the answers to one query until it is let go."""

    def __init__(self) -> None:
        self.query = ""
        self.free = threading.Event()

    def hold(self, query: str) -> None:
        self.query, self.free = query, threading.Event()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    hold, ask = Held(), Workbench.ask

    def waiting(bench: Workbench, question: Any, *rest: Any, **others: Any) -> Any:
        if question.query == hold.query:
            hold.free.wait(LIMIT)
        return ask(bench, question, *rest, **others)

    monkeypatch.setattr(Workbench, "ask", waiting)
    yield hold
    hold.free.set()


def row_of(see: Inspector, name: str) -> int:
    """The row of the picker with a group or keyword."""
    return next(n for n, row in enumerate(see.rows(see.picker)) if name in row[0])


async def go_to(see: Inspector, name: str) -> None:
    await see.press("p")
    see.picker.cursor = row_of(see, name)
    await see.pilot.pause()


def test_a_keyword_that_is_added_meanwhile_goes_to_the_query_that_is_asked(
    held: Held, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    own = answer(encoder, OTHER, "video").keywords
    bollard = "object_type:bollard"

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        held.hold(OTHER)
        await see.press("c")
        await see.type(OTHER)
        await see.press("enter")
        await go_to(see, "bollard")
        await see.press("space")
        assert see.inspection is not None and see.inspection.query == CLIP
        assert "bollard" not in see.keywords
        held.free.set()
        await see.answered(OTHER)
        await see.until(lambda: "bollard" in see.keywords, "the keyword that was added")
        assert set(map(str, see.inspection.keywords)) == {*map(str, own), bollard}
        assert "dropped" not in see.keywords

    inspect(flow, tmp_path, encoder, query=("video", CLIP), size=(200, 50))


@pytest.mark.parametrize("pending", [False, True])
def test_two_groups_that_are_chosen_one_after_the_other_are_both_chosen(
    pending: bool, held: Held, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        held.hold(CLIP if pending else "")
        await go_to(see, "ego behavior")
        see.burst("space", "G", "space")  # the last one is the scene type
        await see.until(lambda: len(see.home.question.groups) == 4, "both groups")
        held.free.set()
        await see.answered(CLIP)
        assert set(see.inspection.selection.groups) == {*GROUPS, "ego_behavior", "scene_type"}  # type: ignore[union-attr]

    inspect(flow, tmp_path, encoder, query=("video", CLIP), size=(200, 50))


@pytest.mark.parametrize("pending", [False, True])
def test_two_keywords_that_are_added_one_after_the_other_are_both_added(
    pending: bool, held: Held, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        before = see.inspection.keywords if see.inspection else ()
        held.hold(CLIP if pending else "")
        await go_to(see, "bollard")
        see.burst("space", "j", "space", "j", "j", "x")
        await see.until(lambda: len(see.home.question.left_out) == 1, "all of it")
        held.free.set()
        await see.answered(CLIP)
        assert see.inspection is not None
        assert len(see.inspection.keywords) == len(before) + 2
        assert len(see.home.question.left_out) == 1

    inspect(flow, tmp_path, encoder, query=("video", CLIP), size=(200, 50))


def test_what_waited_for_a_query_that_was_given_up_is_forgotten(
    held: Held, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    own = answer(encoder, CLIP, "video").keywords

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        held.hold(OTHER)
        await see.press("c")
        await see.type(OTHER)
        await see.press("enter")
        await go_to(see, "bollard")
        await see.press("space", "escape")
        await see.press("c")
        await see.type(CLIP)
        await see.press("enter")
        held.free.set()
        await see.answered(CLIP)
        await see.pilot.pause(0.2)
        assert see.inspection is not None
        assert (see.inspection.query, see.inspection.keywords) == (CLIP, own)

    inspect(flow, tmp_path, encoder, query=("video", CLIP), size=(200, 50))


def test_a_new_session_has_no_way_back_into_the_old_one(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.ask_clip(OTHER)
        await see.press("3", "i")
        await see.ask_clip(CLIP)
        await see.press("left_square_bracket")
        await see.says("No earlier query.")
        assert see.inspection is not None and see.inspection.query == CLIP

    inspect(flow, tmp_path, encoder, query=("video", CLIP), size=(200, 50))


# Models that do not know the same clips


@pytest.fixture
def uneven(tmp_path: Path) -> Dataset:
    """Ten clips; the second model has embedded six of them."""
    folder = tmp_path / "uneven"
    folder.mkdir()
    ids = [f"c{n}" for n in range(10)]
    lines = [f"{name},{'car' if n % 2 else 'bus'}" for n, name in enumerate(ids)]
    (folder / "clips.csv").write_text("\n".join(("slice_id,object_type", *lines, "")))
    rng = np.random.default_rng(2)
    for model, known in (("one", ids), ("two", ids[4:])):
        vectors = rng.standard_normal((len(known), 384)).astype(np.float32)
        np.savez(folder / f"{model}.npz", ids=np.array(known), embeddings=vectors)
    (folder / "dataset.toml").write_text(
        'schema = "tui-eval/dataset@1"\nname = "uneven"\nannotations = "clips.csv"\n'
        '[models.one]\nembeddings = "one.npz"\n[models.two]\nembeddings = "two.npz"\n'
    )
    return open_dataset(folder)


def counts(see: Inspector) -> dict[str, str]:
    """The clips that the picker counts for each keyword."""
    return {row[0].strip(" □■"): row[1] for row in see.rows(see.picker)[1:]}


def test_title_counts_and_completion_are_those_of_the_model_that_is_asked(
    uneven: Dataset, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered("c5")
        assert "one (1/2) · 10 clips" in see.title
        assert counts(see) == {"bus": "5", "car": "5"}
        await see.press("m")
        await see.until(lambda: "two (2/2) · 6 clips" in see.title, "the other model")
        await see.answered("c5")
        assert counts(see) == {"bus": "3", "car": "3"}

    async def resumed(see: Inspector) -> None:
        await see.answered("c5")
        assert "two (2/2) · 6 clips" in see.title
        assert counts(see) == {"bus": "3", "car": "3"}
        await see.press("m")
        await see.answered("c5")
        await see.press("c")
        await see.type("c1")
        await see.press("enter")
        await see.answered_alone("c1")
        await see.press("3", "enter")  # the session, of the first model now
        await see.answered_alone("c1")
        assert "one (1/2) · 10 clips" in see.title

    inspect(flow, tmp_path, encoder, dataset=uneven, query=("video", "c5"), size=(200, 50))
    inspect(resumed, tmp_path, encoder, dataset=uneven, resume=True, size=(200, 50))


def test_a_model_that_lacks_the_query_clip_says_so_and_everything_stays(
    uneven: Dataset, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered_alone("c0")
        await see.press("m")
        await see.says('the model two has no vector of the clip "c0"')
        await see.until(lambda: "one (1/2) · 10 clips" in see.title, "the model before")
        assert counts(see) == {"bus": "5", "car": "5"}
        assert see.inspection is not None and see.inspection.question.model == "one"

    inspect(flow, tmp_path, encoder, dataset=uneven, query=("video", "c0"), size=(200, 50))


def test_another_keyword_left_out_makes_a_table_old(
    uneven: Dataset, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await go_to(see, "bus")
        await see.press("x", "2", "t", "r")
        await see.says("mean of n")
        assert "1 keyword left out" in see.screen_text
        assert "made with other settings" not in see.screen_text
        await see.press("1")
        await go_to(see, "bus")
        await see.press("x", "j", "x", "2")
        await see.says("made with other settings")

    only = replace(uneven, models={"one": uneven.models["one"]})
    inspect(flow, tmp_path, encoder, dataset=only)


def test_a_mark_that_is_made_meanwhile_says_of_which_query_it_is(
    held: Held, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        clip = see.results.clip
        held.hold(OTHER)
        await see.press("c")
        await see.type(OTHER)
        await see.press("enter", "plus")
        said = f"relevant after all on #1 {clip} for “{CLIP}”"
        await see.until(lambda: said in see.screen_text, said)
        held.free.set()
        await see.answered(OTHER)
        assert said in see.screen_text
        await see.press("plus")
        await see.until(lambda: "for “" not in see.screen_text.split("\n")[0], "this one's own")

    inspect(flow, tmp_path, encoder, query=("video", CLIP), images="off", size=(200, 50))
