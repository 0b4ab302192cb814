"""A session as a document: JSON that can be imported and replayed, Markdown to hand over.

Schema tui-eval/session@1; `engine.sessions.document` reads it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from engine.judgement import REASONS
from engine.report.run import tool_version
from engine.sessions import Answer, Session
from engine.sessions.document import SCHEMA
from engine.sessions.plain import asked_plain, judged_plain, moment_text, view_plain
from engine.sessions.values import Judged


def session_document(session: Session) -> dict[str, Any]:
    """The whole session as plain values, ready for JSON."""
    view = session.view
    return {
        "schema": SCHEMA,
        "tool": {"name": "tui-eval", "version": tool_version()},
        "name": session.name,
        "dataset": {"name": session.dataset_name, "source": session.dataset_source},
        "created": moment_text(session.created),
        "updated": moment_text(session.updated),
        "view": None if view is None else view_plain(view),
        "answers": [asked_plain(asked) for asked in session.asked()],
        "judgements": [judged_plain(judged) for judged in _judged(session)],
    }


def _judged(session: Session) -> list[Judged]:
    return [Judged(*row) for row in session.all_judgements()]


def session_markdown(session: Session) -> str:
    """The session for a reader: what was found, why, and what it does to the numbers."""
    answers, judged = session.answers(), _judged(session)
    parts = [f"# Session: {escaped(session.name)}", _summary(session, answers, judged)]
    parts += _bias_cases([item for item in judged if item.judgement.mark == "bias"])
    parts += _others(
        "Adjudicated results",
        [item for item in judged if item.judgement.mark in ("relevant", "not relevant")],
    )
    parts += _others("Notes", [item for item in judged if item.judgement.mark is None])
    parts += _queries(answers)
    return "\n\n".join(parts) + "\n"


def _summary(session: Session, answers: Sequence[Answer], judged: Sequence[Judged]) -> str:
    marks = [item.judgement.mark for item in judged]
    models = dict.fromkeys(answer.question.model for answer in answers)
    return _table(
        ("", ""),
        [
            ("Dataset", f"{session.dataset_name} ({session.dataset_source})"),
            ("Models", ", ".join(models) or "–"),
            ("Created", f"{session.created:%Y-%m-%d %H:%M} UTC"),
            ("Last used", f"{session.updated:%Y-%m-%d %H:%M} UTC"),
            ("Queries", str(len(answers))),
            ("Judgements", str(len(judged))),
            ("Bias cases", str(marks.count("bias"))),
            ("Relevant after all", str(marks.count("relevant"))),
            ("Not relevant", str(marks.count("not relevant"))),
            ("Notes", str(sum(bool(item.judgement.note) for item in judged))),
            ("Written by", f"tui-eval {tool_version()}"),
        ],
    )


_CASE = ("Query", "Clip", "Rank", "Score", "Query keywords", "Model", "Note")


def _bias_cases(cases: Sequence[Judged]) -> list[str]:
    parts = ["## Bias cases"]
    for reason in (*REASONS, None):
        own = [item for item in cases if item.judgement.reason == reason]
        if own:
            parts.append(f"### {(reason or 'no reason given').capitalize()} ({len(own)})")
            parts.append(_table(_CASE, map(_case, own)))
    return parts if len(parts) > 1 else [*parts, "None was marked."]


def _case(item: Judged) -> tuple[str, ...]:
    seen = item.judgement.seen
    context = ("–", "–", "–", "–")
    if seen is not None:
        keywords = ", ".join(seen.keywords)
        context = (str(seen.rank), f"{seen.score:.4f}", keywords or "–", seen.model)
    return (item.target.query, item.target.clip, *context, item.judgement.note)


def _others(title: str, items: Sequence[Judged]) -> list[str]:
    if not items:
        return []
    rows = [(item.judgement.mark or "–", *_case(item)) for item in items]
    return [f"## {title}", _table(("Mark", *_CASE), rows)]


def _queries(answers: Sequence[Answer]) -> list[str]:
    if not answers:
        return ["## Queries", "None was asked."]
    head = ("Query", "Model", "Keywords", "Relevant", "Metric", "Published", "Adjudicated")
    rows = [row for answer in answers for row in _metric_rows(answer)]
    formulas = {m.label: m.formula for answer in answers for m in answer.metrics}
    legend = [_table(("Metric", "Formula"), formulas.items())] if formulas else []
    return ["## Queries", _table(head, rows), *legend]


def _metric_rows(answer: Answer) -> list[tuple[str, ...]]:
    about = (
        answer.question.query,
        answer.question.model,
        ", ".join(answer.keywords) or "–",
        f"{answer.relevant:,} of {answer.collection:,}",
    )
    numbers = [(m.label, _number(m.published), _number(m.adjudicated)) for m in answer.metrics]
    first, *rest = numbers or [("–", "–", "–")]
    return [(*about, *first), *(("", "", "", "", *row) for row in rest)]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *([escaped(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


_MARKDOWN = re.compile(
    r"[\\`*_{}\[\]<>#|~&!$]|(?<=:)(?=//)|(?<=www)(?=\.)|(?<!\w)@|@(?=[\w-]+\.)", re.IGNORECASE
)  # what is markup anywhere in a line, then what becomes a link or a mention by itself
_LINE_BREAK = re.compile(r"\r\n|[\n\r]")
_TURNING = frozenset("LRE RLE LRO RLO PDF LRI RLI FSI PDI".split())


def escaped(text: str) -> str:
    """A user's text as it stands, on one line: neither markup, link, HTML nor control character.

    >>> escaped("a|b_c <i> http://x\\nnext\\x1b")
    'a\\\\|b\\\\_c \\\\<i\\\\> http:\\\\//x<br>next\\\\\\\\x1b'
    """
    lines = _LINE_BREAK.split(text)
    shown = ("".join(map(_visible, line)) for line in lines)
    return "<br>".join(_MARKDOWN.sub(lambda match: "\\" + match.group(), line) for line in shown)


def _visible(character: str) -> str:
    """What would speak to a terminal, or turn the writing around, spelt out."""
    hidden = (
        unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(character) in _TURNING
        or character in "\u200e\u200f"
    )
    return character.encode("unicode_escape").decode() if hidden else character
