"""Inspect and Evaluate where any keyword is enough: signs, counts and numbers are of one mind."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.keywords.run import RunRequest, run_request
from engine.metrics.policies import Policies
from engine.text.encoder import SentenceEncoder
from tests.conftest import CommandLine
from tests.tui.inspector import PEDESTRIAN, Inspector, answer, inspect, workbench

pytestmark = pytest.mark.slow


def test_signs_and_numbers_are_those_of_the_engine(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    by_any = answer(encoder, PEDESTRIAN, relevance="any")
    by_all = answer(encoder, PEDESTRIAN)
    assert by_any.relevant > by_all.relevant

    async def flow(see: Inspector) -> None:
        await see.ask(PEDESTRIAN)
        assert f"{by_any.relevant} relevant of" in " ".join(see.keywords.split())
        assert "relevance any" in see.screen_text
        assert f"Recall@5 {by_any.hits(5) / 5:.3f}" in see.metrics
        signs = [row[2].startswith("✅") for row in see.rows()[:5]]
        assert signs == by_any.is_relevant[:5].tolist()
        assert see.session().view.question.relevance == "any"  # type: ignore[union-attr]

    async def resumed(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        assert f"{by_any.relevant} relevant of" in " ".join(see.keywords.split())

    inspect(flow, tmp_path, encoder, relevance="any")
    inspect(resumed, tmp_path, encoder, resume=True)


def test_the_evaluation_uses_it_too(tmp_path: Path, encoder: SentenceEncoder) -> None:
    request = RunRequest(modes="video", policies=Policies(relevance="graded"))
    (expected,) = run_request(request, workbench(encoder)).evaluations

    async def flow(see: Inspector) -> None:
        await see.press("2", "t", "r")
        await see.says("mean of n")
        assert "relevance graded" in see.screen_text
        for measure in expected.scores.measures[:3]:
            assert f"{expected.scores.aggregate(measure):.3f}" in see.screen_text

    inspect(flow, tmp_path, encoder, relevance="graded")


def test_a_session_goes_on_with_the_relevance_that_it_had(tui_eval: CommandLine) -> None:
    done = tui_eval("inspect", "--resume", "--relevance", "any")

    assert done.returncode == 2
    assert "a session and --relevance were given" in done.stderr
