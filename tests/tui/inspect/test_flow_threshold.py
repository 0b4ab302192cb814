"""The least similarity: what does not reach it is shown, and does not count."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.keywords.run import RunRequest, run_request
from engine.metrics.policies import Policies
from engine.text.encoder import SentenceEncoder
from tests.conftest import CommandLine
from tests.tui.inspector import PEDESTRIAN, Inspector, answer, inspect, workbench

pytestmark = pytest.mark.slow


def test_s_sets_the_least_similarity_and_everything_follows(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    plain = answer(encoder, PEDESTRIAN)
    scores = plain.similarities
    least = round(float(scores[2] + scores[3]) / 2, 4)  # three results reach it
    hits = [plain.result(place).matched == plain.result(place).total for place in range(3)]

    async def flow(see: Inspector) -> None:
        await see.ask(PEDESTRIAN)
        await see.press("l")
        await see.says("Least similarity")
        await see.type(f"{least}")
        await see.press("enter")
        await see.answered(PEDESTRIAN)
        assert f"3 reach similarity {least:g}" in " ".join(see.keywords.split())
        marks = [row[2] for row in see.rows()]
        assert not any(mark.startswith("·") for mark in marks[:3])
        assert all(mark.startswith("·") for mark in marks[3:])
        # By hand: what is not retrieved is no hit, and K stays the denominator.
        assert f"Recall@5 {sum(hits) / 5:.3f}" in see.metrics
        assert see.session().view.question.min_similarity == least  # type: ignore[union-attr]

        await see.press("G")
        await see.until(lambda: "not retrieved" in " ".join(see.detail.split()), "the verdict")

        await see.press("l", "ctrl+u", "enter")
        await see.answered(PEDESTRIAN)
        assert "reach similarity" not in see.keywords
        assert not any(row[2].startswith("·") for row in see.rows())

    inspect(flow, tmp_path, encoder)


def test_where_nothing_reaches_it_the_screen_says_so_and_what_to_press(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    best = float(answer(encoder, PEDESTRIAN).similarities[0])

    async def flow(see: Inspector) -> None:
        await see.ask(PEDESTRIAN)
        assert f"No result reaches 0.99 (the best has {best:.3f})" in see.metrics
        assert "l changes the least similarity" in see.metrics
        assert "Recall@5 0.000" in see.metrics
        assert "0 reach similarity 0.99" in " ".join(see.keywords.split())

    inspect(flow, tmp_path, encoder, min_similarity=0.99)


def test_what_is_no_number_is_refused_and_nothing_changes(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask(PEDESTRIAN)
        before = see.metrics
        for wrong in ("much", "nan", "1e999"):
            await see.press("l")
            await see.type(wrong)
            await see.press("enter")
            await see.says(f"'{wrong}' is no similarity; type a number such as 0.15")
        assert see.metrics == before

    inspect(flow, tmp_path, encoder)


def test_the_evaluation_uses_it_too(tmp_path: Path, encoder: SentenceEncoder) -> None:
    request = RunRequest(modes="video", policies=Policies(min_similarity=0.9))
    (expected,) = run_request(request, workbench(encoder)).evaluations

    async def flow(see: Inspector) -> None:
        await see.press("2", "t", "r")
        await see.says("mean of n")
        assert "similarity ≥ 0.9" in see.screen_text
        for measure in expected.scores.measures[:3]:
            assert f"{expected.scores.aggregate(measure):.3f}" in see.screen_text

    inspect(flow, tmp_path, encoder, min_similarity=0.9)


def test_a_resumed_session_keeps_it(tmp_path: Path, encoder: SentenceEncoder) -> None:
    async def ask(see: Inspector) -> None:
        await see.ask(PEDESTRIAN)

    async def resumed(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)
        assert "reach similarity 0.7" in " ".join(see.keywords.split())

    inspect(ask, tmp_path, encoder, min_similarity=0.7)
    inspect(resumed, tmp_path, encoder, resume=True)


def test_the_command_line_refuses_what_is_no_number(tui_eval: CommandLine) -> None:
    done = tui_eval("inspect", "--min-similarity", "nan")

    assert done.returncode == 2
    assert "--min-similarity is nan; give a finite number" in done.stderr
