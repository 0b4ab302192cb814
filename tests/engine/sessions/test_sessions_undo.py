"""Judging, undoing and redoing in any order is what a list of states says it is."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from engine.keywords.judgement import Judgement
from engine.sessions import SessionStore
from tests.engine.sessions.sessions_by_hand import HUB, target
from tests.examples import examples

JUDGEMENTS = (Judgement(), HUB, Judgement("relevant"), Judgement("not relevant", note="no"))
STEPS = st.one_of(
    st.tuples(st.sampled_from("abc"), st.sampled_from(JUDGEMENTS)),
    st.sampled_from(["undo", "redo", "restart"]),
)


class Model:
    """Every state that can be gone back to, and which of them is now."""

    def __init__(self) -> None:
        self.states: list[dict[str, Judgement]] = [{}]
        self.now = 0

    def judge(self, clip: str, judgement: Judgement) -> None:
        state = dict(self.states[self.now])
        state[clip] = judgement
        if judgement.empty:
            del state[clip]
        if state != self.states[self.now]:
            self.states[self.now + 1 :] = [state]
            self.now += 1

    def move(self, by: int) -> bool:
        possible = 0 <= self.now + by < len(self.states)
        self.now += by if possible else 0
        return possible


@examples(60)
@given(st.lists(STEPS, max_size=25))
def test_any_sequence_equals_the_model(steps: list[tuple[str, Judgement] | str]) -> None:
    model = Model()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sessions.db"
        store = SessionStore(path)
        session = store.create("sample", "sample")
        for step in steps:
            if step == "restart":
                store.close()
                store = SessionStore(path)
                session = store.open(1)
            elif step == "undo":
                assert (session.undo() is not None) == model.move(-1)
            elif step == "redo":
                assert (session.redo() is not None) == model.move(+1)
            else:
                clip, judgement = step
                session.judge(target(clip), judgement)
                model.judge(clip, judgement)  # type: ignore[arg-type]
            assert session.judgements("text", "a cyclist") == model.states[model.now]
            assert session.can_undo == (model.now > 0)
            assert session.can_redo == (model.now + 1 < len(model.states))
        store.close()
