"""A session to paste into a ticket: the queries with their numbers, then what was found, and why.

The rankings are not in it; the JSON document has them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from engine.base.choices import Mode
from engine.files.envelope import find_tool_version
from engine.keywords.judgement import MARK_NAMES, REASONS
from engine.keywords.question import Question
from engine.report.tables.numbers import NO_VALUE
from engine.report.tables.report_table import escape_markdown, format_markdown_table
from engine.sessions import Answer, MetricValue, Session
from engine.sessions.records import SavedJudgement

SESSION_METRICS = ("P@1", "P@3", "P@5")
"""Ids of the metrics that are shown; if no answer has any of them, the first three are."""

UNKNOWN = "?"
LATER = "below"
"""In place of marks that stand in a later row of the same query."""

_SHOWN = 5
"""Left-out keywords that are named; the rest is counted."""


def format_session_markdown(session: Session) -> str:
    """The session for a reader: what was found, why, and what it does to the numbers."""
    answers = session.answers()
    judged = session.all_judgements()
    adjudicated = [item for item in judged if item.judgement.decides]
    parts = [
        f"# Session: {escape_markdown(session.name)}",
        _head(session, answers, judged),
        *_queries(answers, judged),
        *_bias_cases([item for item in judged if item.judgement.mark == "bias"]),
        *_others("Adjudicated results", adjudicated),
        *_others("Notes", [item for item in judged if item.judgement.mark is None]),
    ]
    return "\n\n".join(parts) + "\n"


def _head(session: Session, answers: Sequence[Answer], judged: Sequence[SavedJudgement]) -> str:
    models = dict.fromkeys(answer.question.model for answer in answers)
    place = f" ({session.dataset_source})" if session.dataset_source != session.dataset_name else ""
    lines = [
        f"Dataset: {session.dataset_name}{place}",
        f"Models: {', '.join(models) or NO_VALUE}",
        f"Time: {session.created:%Y-%m-%d %H:%M} to {session.updated:%Y-%m-%d %H:%M} UTC",
        f"Marks: {_counted_marks(judged) or 'none'}",
        f"Written by: tui-eval {find_tool_version()}",
    ]
    return "\n".join(f"- {escape_markdown(line)}" for line in lines)


def _counted_marks(judged: Sequence[SavedJudgement]) -> str:
    """Marks and notes in few words: "2 bias cases, 1 relevant after all, 1 note"."""
    counts = Counter(item.judgement.mark for item in judged)
    found = [(counts[mark], word) for mark, word in MARK_NAMES.items()]
    found.append((sum(bool(item.judgement.note) for item in judged), "note"))
    nouns = (MARK_NAMES["bias"], "note")
    return ", ".join(
        f"{count} {word}{'s' * (count > 1 and word in nouns)}" for count, word in found if count
    )


def _queries(answers: Sequence[Answer], judged: Sequence[SavedJudgement]) -> list[str]:
    if not answers:
        return ["## Queries", "None was asked."]
    shown = _shown_metrics(answers)
    several = len({answer.question.model for answer in answers}) > 1
    settings = describe_settings([answer.question for answer in answers])
    rows = [
        (
            _query(answer.question.mode, answer.question.query),
            *((answer.question.model,) if several else ()),
            *((named or NO_VALUE,) if any(settings) else ()),
            ", ".join(answer.keywords) or NO_VALUE,
            f"{answer.relevant:,} of {answer.collection:,}",
            *(_number(answer, metric.id) for metric in shown),
            marks,
        )
        for answer, named, marks in zip(
            answers, settings, _marks_once(answers, judged), strict=True
        )
    ]
    labels = [metric.label for metric in shown]
    asked = [*(["Model"] if several else []), *(["Settings"] if any(settings) else [])]
    head = ("Query", *asked, "Keywords", "Relevant", *labels, "Marks")
    return [
        f"## Queries ({len(answers)})",
        format_markdown_table(head, rows),
        *_legend(shown, rows),
    ]


def _marks_once(answers: Sequence[Answer], judged: Sequence[SavedJudgement]) -> list[str]:
    """The marks of every answer. They are of the query, whatever it was asked with, so that they
    stand beside its last answer only."""
    marks: dict[tuple[Mode, str], list[SavedJudgement]] = {}
    for item in judged:
        marks.setdefault((item.target.mode, item.target.query), []).append(item)
    queries = [(answer.question.mode, answer.question.query) for answer in answers]
    last = {query: place for place, query in enumerate(queries)}
    counted = (_counted_marks(marks.get(query, [])) or NO_VALUE for query in queries)
    return [
        said if said == NO_VALUE or last[query] == place else LATER
        for place, (query, said) in enumerate(zip(queries, counted, strict=True))
    ]


def _shown_metrics(answers: Sequence[Answer]) -> list[MetricValue]:
    found = {metric.id: metric for answer in reversed(answers) for metric in answer.metrics}
    chosen = [found[name] for name in SESSION_METRICS if name in found]
    return chosen or list(answers[0].metrics[:3])


def _number(answer: Answer, name: str) -> str:
    """A metric as published, and as adjudicated where that differs."""
    metric = next((metric for metric in answer.metrics if metric.id == name), None)
    if metric is None or metric.published == metric.adjudicated:
        return _plain(metric.published if metric else None)
    # Without an adjudicated number there is one to be had; without a published one, no clip
    # was relevant by its keywords.
    adjudicated = UNKNOWN if metric.adjudicated is None else _plain(metric.adjudicated)
    return f"{_plain(metric.published)} → {adjudicated}"


def _plain(value: float | None) -> str:
    return NO_VALUE if value is None else f"{value:.4g}"


def _legend(shown: Sequence[MetricValue], rows: Sequence[Sequence[str]]) -> list[str]:
    if not shown:
        return []
    formulas = "Metrics: " + "; ".join(f"{metric.label} = {metric.formula}" for metric in shown)
    cells = [cell for row in rows for cell in row if "→" in cell]
    arrow = "published → adjudicated, by the marks of this session" if cells else ""
    unknown = f"{UNKNOWN}: not adjudicated yet; open the query to have it"
    unseen = unknown if any(cell.endswith(f"→ {UNKNOWN}") for cell in cells) else ""
    return [escape_markdown(". ".join(filter(None, (formulas, arrow, unseen))) + ".")]


def _bias_cases(cases: Sequence[SavedJudgement]) -> list[str]:
    if not cases:
        return ["## Bias cases", "None was marked."]
    parts = [f"## Bias cases ({len(cases)})"]
    for reason in (*REASONS, None):
        own = [item for item in cases if item.judgement.reason == reason]
        if own:
            parts.append(f"### {(reason or 'no reason given').capitalize()} ({len(own)})")
            parts.append(format_markdown_table(_CASE, map(_case, own)))
    return parts


_CASE = ("Query", "Clip", "Rank", "Score", "Lacks", "Model", "Note")


def _case(item: SavedJudgement) -> tuple[str, ...]:
    seen = item.judgement.seen
    context = (NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE)
    if seen is not None:
        lacks = NO_VALUE if seen.lacking is None else ", ".join(seen.lacking) or "nothing"
        at = (NO_VALUE,) * 2 if item.target.is_query else (str(seen.rank), f"{seen.score:.4f}")
        context = (*at, lacks, seen.model)
    query = _query(item.target.mode, item.target.query)
    return (query, item.target.clip_in_words, *context, item.judgement.note or NO_VALUE)


def _others(title: str, items: Sequence[SavedJudgement]) -> list[str]:
    if not items:
        return []
    rows = [(item.judgement.mark_in_words or NO_VALUE, *_case(item)) for item in items]
    return [f"## {title} ({len(items)})", format_markdown_table(("Mark", *_CASE), rows)]


def _query(mode: Mode, query: str) -> str:
    names = {"video": "clip ", "vector": "vector "}
    return f"{names.get(mode, '')}{query}"


def describe_settings(questions: Sequence[Question]) -> list[str]:
    """For each question the settings that explain its numbers; empty if there is none to name.

    Groups are named where they are not the same for all. Keywords left out, edited or given and the
    least similarity are named wherever there are any. The model is not among them.

    >>> asked = Question("text", "a car", "m", ("object",), min_similarity=0.3)
    >>> describe_settings([asked, Question("text", "a car", "m", ("place",), ("place:road",))])
    ['groups: object; similarity ≥ 0.3', 'groups: place; without place:road']
    """
    several = len({question.groups for question in questions}) > 1
    # What few questions leave out tells them apart best, so it is named first.
    common = Counter(name for question in questions for name in set(question.left_out))
    return ["; ".join(_settings(question, several, common)) for question in questions]


def _settings(question: Question, several: bool, common: Counter[str]) -> Iterable[str]:
    if several:
        yield f"groups: {', '.join(question.groups) or 'none'}"
    if question.left_out:
        names = sorted(question.left_out, key=lambda name: (common[name], name))
        more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
        yield f"without {', '.join(names[:_SHOWN])}{more}"
    if question.keywords is not None:
        yield f"keywords edited: {', '.join(question.keywords) or 'none'}"
    elif question.given is not None:
        yield f"keywords of the query set: {', '.join(question.given) or 'none'}"
    if question.min_similarity is not None:
        yield f"similarity ≥ {question.min_similarity:.9g}"
    if question.relevance is not None:
        yield f"relevance {question.relevance}"
    if question.one_per is not None:
        yield f"one per {question.one_per}"
