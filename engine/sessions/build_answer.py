"""What of an answer goes into a saved session, and asking its questions again on a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.base.json_text import nan_to_none
from engine.keywords.inspection import Inspection, MetricPair, pair_metrics
from engine.keywords.judgement import Judgement
from engine.keywords.question import Question
from engine.keywords.workbench import Workbench
from engine.metrics import Profile, find_profile, parse_measures
from engine.sessions import Answer, MetricValue
from engine.sessions.records import SessionContent
from engine.sessions.replay import SessionReplay, replay


def build_answer(
    inspection: Inspection,
    clips: int,
    pairs: Iterable[MetricPair] = (),
    language: Profile | None = None,
) -> Answer:
    """The question, its first `clips` results and its metrics, as plain values."""
    language = language or find_profile("alfa")
    rows = inspection.rows[:clips].tolist()
    short = inspection.policies.fewer_than_k
    return Answer(
        question=inspection.question,
        keywords=tuple(map(str, inspection.keywords)),
        clips=tuple(inspection.collection.truth.ids[row] for row in rows),
        scores=tuple(inspection.similarities[: len(rows)].astype(float).tolist()),
        relevant=inspection.relevant,
        collection=inspection.reachable,
        metrics=tuple(
            MetricValue(
                id=str(pair.measure),
                label=language.label(pair.measure),
                formula=pair.measure.formula_for(short),
                published=nan_to_none(pair.published),
                adjudicated=nan_to_none(pair.adjudicated),
            )
            for pair in pairs
        ),
    )


def replay_on_workbench(bench: Workbench, saved: SessionContent) -> SessionReplay:
    """Ask for as many results and the same metrics, adjudicated by the same judgements."""
    return replay(saved.answers, _asker(bench, saved))


def _asker(bench: Workbench, saved: SessionContent) -> Callable[[Question], Answer]:
    before = {answer.question: answer for answer in saved.answers}
    judged: dict[tuple[str, str], dict[str, Judgement]] = {}
    for item in saved.judged:
        own = judged.setdefault((item.target.mode, item.target.query), {})
        own[item.target.clip] = item.judgement

    language = find_profile(bench.dataset.profile)

    def ask(question: Question) -> Answer:
        names = [metric.id for metric in before[question].metrics]
        measures = parse_measures(names, language)
        clips = len(before[question].clips)
        found = bench.ask_whole(question, measures, max(1, clips))
        marks = judged.get((question.mode, question.query), {})
        return build_answer(found, clips, pair_metrics(found, marks), language)

    return ask
