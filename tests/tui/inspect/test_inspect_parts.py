"""The parts of Inspect, each by itself: no app, no engine in the background, no store."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest
from textual.app import App, ComposeResult

from engine.keywords.judgement import Judgement, Target
from engine.keywords.question import Question
from engine.sessions import Answer, JudgementChange, QuestionChange, SessionView
from tests.engine.keywords.workbench_by_hand import ALFA, asked_of
from tui.inspect.change_text import describe_change, describe_question_change
from tui.inspect.host import InspectHost
from tui.inspect.judging import ResultJudge
from tui.inspect.panes import AnswerPanes, Detail, MetricStrip
from tui.inspect.results import ResultTable
from tui.look.glyphs import UNICODE
from tui.look.nouns import OF_CLIPS
from tui.look.themes import VARIABLE_DEFAULTS
from tui.work.questions import QueryAnswer, score_answer


@dataclass
class Notebook:
    """A recorder that keeps what it is reported."""

    said: dict[str, Judgement] = field(default_factory=dict)
    saved: list[Answer] = field(default_factory=list)
    views: list[SessionView] = field(default_factory=list)
    full: bool = False

    def judge(self, target: Target, change: Callable[[Judgement], Judgement]) -> bool:
        if not self.full:
            before = self.said.get(target.clip, Judgement())
            self.said = {**self.said, target.clip: change(before)}
        return not self.full

    def read_judgement(self, target: Target, otherwise: Judgement) -> Judgement:
        return self.said.get(target.clip, otherwise)

    def judgements(self, mode: str, query: str) -> dict[str, Judgement]:
        return self.said

    def record(self, answer: Answer) -> None:
        self.saved.append(answer)

    @property
    def place(self) -> Notebook:
        return self

    def remember(self, view: SessionView) -> None:
        self.views.append(view)


class Desk:
    """Scores when it is reported to; the newest request wins."""

    def __init__(self) -> None:
        self.asked: Callable[[], None] | None = None

    def score(
        self, found: Any, judgements: Any, done: Callable[[QueryAnswer], None], _: Any
    ) -> None:
        self.asked = lambda: done(score_answer(found, judgements, ALFA))

    def settle(self) -> None:
        asked, self.asked = self.asked, None
        if asked is not None:
            asked()


class Bare(App[None]):
    """The panes of an answer, and the little that they need of an app."""

    def __init__(self) -> None:
        super().__init__()
        self.glyphs, self.nouns, self.models = UNICODE, OF_CLIPS, ("alfa",)
        self.recorder = Notebook()
        self.desk = Desk()
        self.warnings: list[str] = []
        bench = type("Bench", (), {"language": ALFA})
        self.services = type("Services", (), {"questions": self.desk, "bench": bench})
        self.results, self.strip = ResultTable(id="results"), MetricStrip(id="metrics")
        host = cast(InspectHost, self)
        self.panes = AnswerPanes(self.results, Detail(id="detail"), self.strip, host)
        self.judge = ResultJudge(self.panes, host, self._find_asked)

    def _find_asked(self) -> Question:
        assert self.panes.inspection is not None
        return self.panes.inspection.question

    def compose(self) -> ComposeResult:
        yield self.results
        yield self.panes._detail
        yield self.strip

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return VARIABLE_DEFAULTS

    def is_earlier_model(self, one: str, other: str) -> bool:
        return False

    def other_model(self, model: str) -> None:
        return None

    def show_error(self, error: Exception) -> None:
        raise error

    def say_done(self, text: str) -> None:
        pass

    def warn(self, text: str) -> None:
        self.warnings.append(text)


def shown(flow: Callable[[Bare], Awaitable[None]]) -> None:
    """Run something with an answer on the screen: hits at ranks 1 and 7, a miss between them."""

    async def run() -> None:
        app = Bare()
        async with app.run_test(size=(120, 40)):
            found = asked_of({"g": [["x"], ["x"], *[["y"]] * 5, ["x"]]})
            app.panes.show(score_answer(found, {}, ALFA), None)
            await flow(app)

    asyncio.run(run())


def adjudicated(app: Bare) -> float | None:
    """The last metric that was saved."""
    return app.recorder.saved[-1].metrics[0].adjudicated


def test_an_answer_is_saved_when_it_is_shown() -> None:
    async def flow(app: Bare) -> None:
        assert adjudicated(app) == 1.0
        assert app.recorder.views[-1].view == "ranking"
        assert "Recall@1 1.000" in app.strip.text

    shown(flow)


def test_a_mark_is_kept_and_seen_at_once_and_its_numbers_follow() -> None:
    async def flow(app: Bare) -> None:
        app.judge.mark("not relevant")

        assert app.recorder.said["c1"].mark == "not relevant"
        assert app.results.cursor == 1  # marking moves on
        assert app.panes.shown is not None and app.panes.shown.judgement(0).mark == "not relevant"
        assert "adjudicated" not in app.strip.text and adjudicated(app) == 1.0
        app.desk.settle()
        assert "Recall@1 1.000→0.000" in app.strip.text and adjudicated(app) == 0.0

    shown(flow)


def test_what_is_listed_stays_when_it_is_judged() -> None:
    async def flow(app: Bare) -> None:
        app.panes.toggle_missed()
        app.results.cursor = 5
        app.judge.mark("not relevant")
        app.desk.settle()

        assert app.panes.shown is not None and app.panes.shown.missed
        assert app.recorder.views[-1].view == "missed"
        assert app.recorder.said.keys() == {"c7"}

    shown(flow)


def test_a_result_with_only_a_note_is_still_to_be_judged() -> None:
    async def flow(app: Bare) -> None:
        app.recorder.said = {"c2": Judgement(note="look again"), "c3": Judgement("relevant")}
        app.panes.judge_again()
        app.judge.mark("not relevant")
        assert app.results.clip == "c2"
        app.judge.mark("relevant")
        assert app.results.clip == "c4"  # the third has a mark

    shown(flow)


def test_a_filter_that_cannot_be_read_of_the_next_answer_is_dropped_and_that_is_said() -> None:
    async def flow(app: Bare) -> None:
        app.panes.filter("-x", None)
        assert app.panes.shown is not None and len(app.panes.shown.places) == 5
        both = {"g": [["x"], ["x"], *[["y"]] * 5, ["x"]], "h": [["x"]] * 8}
        app.panes.show(score_answer(asked_of(both), {}, ALFA), None)
        assert app.panes.shown.filtered == "" and len(app.panes.shown.places) == 7
        (said,) = app.warnings
        assert "The filter -x is dropped, all results are listed" in said

    shown(flow)


def test_another_answer_leaves_the_one_before_its_numbers() -> None:
    async def flow(app: Bare) -> None:
        app.judge.mark("not relevant")
        app.panes.show(score_answer(asked_of({"g": [["z"], ["z"]]}), {}, ALFA), None)

        saved = [answer.metrics[0].adjudicated for answer in app.recorder.saved]
        assert saved == [1.0, 0.0, 1.0]

    shown(flow)


def test_a_mark_that_cannot_be_kept_is_not_shown() -> None:
    async def flow(app: Bare) -> None:
        app.recorder.full = True
        app.judge.mark("relevant")

        assert app.results.cursor == 0
        assert app.desk.asked is None
        assert app.panes.shown is not None and app.panes.shown.judgement(0) == Judgement()

    shown(flow)


def test_judgements_of_another_window_are_shown_and_not_saved_again() -> None:
    async def flow(app: Bare) -> None:
        app.recorder.said = {"c1": Judgement("not relevant")}
        app.panes.judge_again(save=False)
        app.desk.settle()

        assert "Recall@1 1.000→0.000" in app.strip.text
        assert len(app.recorder.saved) == 1

    shown(flow)


def test_an_undo_says_what_it_changed_on_which_clip_and_of_which_query() -> None:
    marked, noted = Judgement("bias", "hub"), Judgement(note="see ticket")
    change = JudgementChange(Target("text", "a bus", "c"), marked, noted)
    asked = Question("text", "a bus", "alfa", ("scene",))

    assert describe_change(change, "Undone", asked) == "Undone: bias case (hub) → no mark on c"
    elsewhere = describe_change(change, "Undone", asked.about("text", "a car"))
    assert elsewhere == "Undone: bias case (hub) → no mark on c for “a bus”"


OWN = ("object:car", "object:pedestrian")
ASKED = Question("text", "a bus", "alfa", ("object",))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (None, ("object:car",), "keyword −pedestrian"),
        (("object:car",), None, "keyword +pedestrian"),
        (None, ("object:pedestrian", "object:bus"), "keywords −car +bus"),
        (("object:car", "object:bus"), ("object:car",), "keyword −bus"),
        (OWN[::-1], None, "the query's own keywords"),
    ],
)
def test_edited_keywords_are_named_by_what_went_and_what_came(
    before: tuple[str, ...] | None, after: tuple[str, ...] | None, said: str
) -> None:
    was, now = (replace(ASKED, keywords=keywords) for keywords in (before, after))
    given = (replace(one, given=OWN) for one in (was, now))

    assert describe_question_change(QuestionChange(was, now, None), OWN) == said
    assert describe_question_change(QuestionChange(*given, None)) == said


def test_where_the_querys_own_keywords_are_not_known_those_of_now_are_named() -> None:
    edited = replace(ASKED, keywords=("object:car",))

    assert describe_question_change(QuestionChange(ASKED, edited, None)) == "keywords car"
    back = describe_question_change(QuestionChange(edited, ASKED, None))
    assert back == "the query's own keywords"
