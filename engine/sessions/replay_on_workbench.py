"""Replaying on a dataset: the questions are asked as the inspector asked them."""

from __future__ import annotations

from collections.abc import Callable

from engine.keywords.inspection import pair_metrics
from engine.keywords.judgement import Judgement
from engine.keywords.question import Question
from engine.keywords.workbench import Workbench
from engine.metrics import find_profile as profile_named
from engine.metrics import parse_measures
from engine.sessions.build_answer import build_answer
from engine.sessions.records import Answer, SessionContent
from engine.sessions.replay import SessionReplay, replay


def replay_on_workbench(bench: Workbench, saved: SessionContent) -> SessionReplay:
    """Ask for as many results and the same metrics, adjudicated by the same judgements."""
    return replay(saved.answers, _asker(bench, saved))


def _asker(bench: Workbench, saved: SessionContent) -> Callable[[Question], Answer]:
    before = {answer.question: answer for answer in saved.answers}
    judged: dict[tuple[str, str], dict[str, Judgement]] = {}
    for item in saved.judged:
        own = judged.setdefault((item.target.mode, item.target.query), {})
        own[item.target.clip] = item.judgement

    language = profile_named(bench.dataset.profile)

    def ask(question: Question) -> Answer:
        names = [metric.id for metric in before[question].metrics]
        measures = parse_measures(names, language)
        clips = len(before[question].clips)
        found = bench.ask_whole(question, measures, max(1, clips))
        marks = judged.get((question.mode, question.query), {})
        return build_answer(found, clips, pair_metrics(found, marks), language)

    return ask
