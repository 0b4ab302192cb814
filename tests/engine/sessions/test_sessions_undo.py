"""Judging, asking otherwise, undoing and redoing in any order is what a list of states says it is:
one stack for all of it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from engine.keywords.judgement import Judgement
from engine.keywords.question import Question
from engine.sessions import QuestionChange, SessionStore
from tests.engine.sessions.sessions_by_hand import HUB, target, ticking
from tests.examples import examples

JUDGEMENTS = (Judgement(), HUB, Judgement("relevant"), Judgement("not relevant", note="no"))
QUESTIONS = tuple(
    Question("text", "a cyclist", model, groups, keywords=keywords)
    for model in ("alfa", "beta")
    for groups in (("object",), ("object", "scene"))
    for keywords in (None, (), ("object:bus",))
)
STEPS = st.one_of(
    st.tuples(st.sampled_from("abc"), st.sampled_from(JUDGEMENTS)),
    st.sampled_from(QUESTIONS),
    st.sampled_from(["undo", "redo", "restart"]),
)


class Model:
    """Every state that can be gone back to, and which of them is now."""

    def __init__(self) -> None:
        self.states: list[tuple[dict[str, Judgement], Question]] = [({}, QUESTIONS[0])]
        self.now = 0

    @property
    def state(self) -> tuple[dict[str, Judgement], Question]:
        return self.states[self.now]

    def judge(self, clip: str, judgement: Judgement) -> None:
        judged = dict(self.state[0])
        judged[clip] = judgement
        if judgement.empty:
            del judged[clip]
        self._go_on((judged, self.state[1]))

    def ask(self, question: Question) -> None:
        self._go_on((self.state[0], question))

    def _go_on(self, state: tuple[dict[str, Judgement], Question]) -> None:
        if state != self.state:
            self.states[self.now + 1 :] = [state]
            self.now += 1

    def move(self, by: int) -> bool:
        possible = 0 <= self.now + by < len(self.states)
        self.now += by if possible else 0
        return possible


@examples(60)
@given(st.lists(STEPS, max_size=25))
def test_any_sequence_equals_the_model(
    steps: list[tuple[str, Judgement] | Question | str],
) -> None:
    model = Model()
    asked = QUESTIONS[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sessions.db"
        store = SessionStore(path)
        session = store.create("sample", "sample")
        for step in steps:
            if step == "restart":
                store.close()
                store = SessionStore(path)
                session = store.open(1)
            elif isinstance(step, str):
                change = session.undo() if step == "undo" else session.redo()
                assert (change is not None) == model.move(-1 if step == "undo" else +1)
                if isinstance(change, QuestionChange):
                    assert (change.before, change.clip) == (asked, "clip 7")
                    asked = change.after
            elif isinstance(step, Question):
                session.change_question(QuestionChange(asked, step, "clip 7"))
                asked = step
                model.ask(step)
            else:
                clip, judgement = step
                session.judge(target(clip), judgement)
                model.judge(clip, judgement)
            assert (session.judgements("text", "a cyclist"), asked) == model.state
            assert session.can_undo == (model.now > 0)
            assert session.can_redo == (model.now + 1 < len(model.states))
        store.close()


def test_a_change_that_came_to_nothing_leaves_what_was_undone_to_be_redone(tmp_path: Path) -> None:
    with SessionStore(tmp_path / "sessions.db") as store:
        session = store.create("sample", "sample")
        session.judge(target("a"), HUB)
        session.change_question(QuestionChange(*QUESTIONS[:2], None))
        session.undo()
        session.undo()

        undone = session.change_question(QuestionChange(QUESTIONS[0], QUESTIONS[3], None))
        assert not session.can_redo
        session.drop_last(undone)

        assert session.changes == 0
        session.redo()
        assert session.judgement(target("a")) == HUB
        again = session.redo()
        assert isinstance(again, QuestionChange) and again.after == QUESTIONS[1]
        assert not session.can_redo


def test_the_time_of_the_newest_change_is_that_of_a_question_too(tmp_path: Path) -> None:
    with SessionStore(tmp_path / "sessions.db", clock=ticking()) as store:
        session = store.create("sample", "sample")
        assert session.last_changed is None
        session.judge(target("a"), HUB)
        judged = session.last_changed
        session.change_question(QuestionChange(*QUESTIONS[:2], None))
        asked = session.last_changed
        assert judged is not None and asked is not None and asked > judged
        session.undo()
        assert session.last_changed == judged
