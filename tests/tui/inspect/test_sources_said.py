"""What Inspect says where one clip of each source stays."""

from __future__ import annotations

from dataclasses import replace

from engine.dataset.ground_truth import GroundTruth
from engine.keywords.inspection import Inspection
from engine.keywords.question import Question
from engine.sessions.records import QuestionChange
from tests.engine.keywords.workbench_by_hand import ALFA, MEASURES, at_cosine, workbench
from tui.inspect.change_text import describe_question_change
from tui.inspect.keyword_bar import describe_relevant
from tui.inspect.metric_lines import describe_missed
from tui.inspect.shown_answer import ShownAnswer
from tui.look.glyphs import UNICODE
from tui.work.questions import score_answer
from tui.work.scope import Scope

ASKED = Question("video", "query", "m", ("g",), one_per="source")


def ask(*keywords: str) -> Inspection:
    """The clips rank as a, b, c, d; a and b are of one drive, c and d of another."""
    words = [["x"], *([word] if word else [] for word in keywords)]
    truth = GroundTruth.from_columns(["query", *"abcd"], {"g": words}, ["0", "1", "1", "2", "2"])
    vectors = {"query": (1.0, 0.0)}
    vectors |= {clip: at_cosine(0.9 - 0.1 * rank) for rank, clip in enumerate("abcd")}
    return workbench(truth, {"m": vectors}).ask_whole(ASKED, MEASURES, 5)


def test_counts_are_those_of_sources_and_the_title_says_so() -> None:
    found = ask("x", "", "x", "x")

    assert describe_relevant(found) == "2 relevant of 2 sources"
    assert ShownAnswer(score_answer(found, {}, ALFA)).title == (
        "Results ── 2 of 2 hits, 2 ranked, one per source"
    )
    missed = "".join(text for text, _ in describe_missed(found, 5, UNICODE).spans)
    assert missed == "All 2 relevant sources are in the top 5."


def test_a_source_whose_relevant_clip_is_behind_another_is_missed() -> None:
    found = ask("", "x", "x", "")

    missed = "".join(text for text, _ in describe_missed(found, 5, UNICODE).spans)
    assert missed == ("1 of 2 relevant below the top 5: 1 behind another clip of the same source")


def test_an_evaluation_says_it_in_its_title() -> None:
    assert Scope("m", ("g",), one_per="source").describe(" · ") == "m · g · one per source"


def test_a_change_of_it_can_be_told() -> None:
    change = QuestionChange(ASKED, replace(ASKED, one_per=None), None)

    assert "one per source → clip" in describe_question_change(change)
