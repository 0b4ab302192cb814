"""A text with a clip, and a vector, in the inspector: asked, judged, mended, resumed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.keywords.joint_query import JointQuery
from engine.keywords.question import AskedQuery
from engine.keywords.vector_query import VectorQuery
from engine.text.encoder import SentenceEncoder
from tests.tui.inspector import CLIP, Inspector, inspect

JOINT = str(JointQuery("at night", CLIP))
VECTOR = VectorQuery.of(np.random.default_rng(0).normal(size=384).astype(np.float32), "probe.npy")


def test_a_text_with_a_clip_is_asked_judged_and_mended(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(JOINT)
        assert see.field == JOINT and "Both" in see.screen_text
        first = see.rows()[0][3]
        await see.press("minus")
        assert see.session().judgements("joint", JOINT).keys() == {first}
        await see.press("ctrl+o", "q", "end", "backspace", "9", "enter")
        mended = str(JointQuery("at night", CLIP, 0.9))
        await see.answered(mended)
        assert see.home.question.joint == JointQuery("at night", CLIP, 0.9)
        assert see.session().judgements("joint", mended) == {}
        await see.press("ctrl+o", "q", "end", *["backspace"] * 3, "enter")
        await see.says("is no text with a clip")
        assert see.home.question.query == mended
        await see.press("escape", "escape")
        assert see.session().history("joint") == (JOINT, mended)

    inspect(flow, tmp_path, encoder, query=("joint", JOINT))


def test_a_vector_is_asked_again_by_its_name(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(VECTOR.name)
        before = see.rows()
        assert see.home.question.keywords == ("object_type:bicyclist",)
        see.home.asker.ask(see.home.question.about("video", CLIP))
        await see.answered(CLIP)
        see.home.action_previous_query()
        await see.answered(VECTOR.name)
        assert [row[3] for row in see.rows()] == [row[3] for row in before]

    asked = AskedQuery("vector", VECTOR.name, VECTOR.data)
    inspect(flow, tmp_path, encoder, query=asked, keywords=("object_type:bicyclist",))
