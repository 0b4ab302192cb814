"""Saved sessions for the eye: the list, one session, and what a replay found."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from engine.base.messages import pluralise
from engine.base.visible import spell_message
from tui.cli.shared.metric_table import folded, make_ruled_table
from tui.look.safe import escape

if TYPE_CHECKING:
    from rich.console import RenderableType

    from engine.sessions import Answer, Session, SessionSummary
    from engine.sessions.records import MetricValue
    from engine.sessions.repair import StoreRepair
    from engine.sessions.replay import AnswerChange, MetricChange, QuestionReplay, SessionReplay

_number_column = partial(folded, justify="right")  # an id that is cut is no id

_SHOWN = 5
"""Clips of one kind that a replay names; the rest is counted."""


def build_session_list(summaries: Sequence[SessionSummary], path: Path) -> list[RenderableType]:
    """The sessions of a store."""
    if not summaries:
        start = "No session is saved yet: they are made in the inspector, or by sessions import."
        return [Text(start), Text(escape(f"They will be saved in {path}"), style="dim")]
    counts = map(_number_column, ("Queries", "Judged", "Bias", "Notes"))
    texts = folded("Name"), folded("Last used")
    table = make_ruled_table(_number_column("Id"), *texts, *counts, folded("Last query"))
    for summary in summaries:
        table.add_row(
            str(summary.id),
            _text(summary.name),
            _when(summary.updated),
            *(f"{n:,}" for n in (summary.queries, summary.judgements)),
            *(f"{n:,}" for n in (summary.bias_cases, summary.notes)),
            _text(summary.last_query or "–"),
        )
    return [table, Text(escape(f"{pluralise(len(summaries), 'session')} in {path}"), style="dim")]


def build_session_view(session: Session) -> list[RenderableType]:
    """One session: its questions with their numbers, then what was judged."""
    answers, judged = session.answers(), session.all_judgements()
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_row("Session", Text(escape(f"{session.id}  {session.name}"), style="bold"))
    grid.add_row("Dataset", _text(f"{session.dataset_name} ({session.dataset_source})"))
    grid.add_row("Created", _when(session.created))
    grid.add_row("Last used", _when(session.updated))
    parts: list[RenderableType] = [grid]
    parts.append(_answers(answers) if answers else Text("No question was asked."))
    if not judged:
        return [*parts, Text("Nothing was judged.")]
    asked, said = map(folded, ("Query", "Clip")), map(folded, ("Judgement", "Note"))
    table = make_ruled_table(*asked, _number_column("Rank"), *said)
    for target, judgement, _ in judged:
        rank = str(judgement.seen.rank) if judgement.seen and not target.is_query else "–"
        mark, note = judgement.mark_in_words or "–", _text(judgement.note)
        table.add_row(_text(target.query), _text(target.clip_in_words), rank, mark, note)
    return [*parts, table]


def _answers(answers: Sequence[Answer]) -> RenderableType:
    from engine.report.session.markdown import describe_settings

    settings = describe_settings([answer.question for answer in answers])
    asked = ("Query", "Model", *(("Settings",) if any(settings) else ()), "Keywords")
    numbers = _number_column("Relevant"), folded("Published (adjudicated)")
    table = make_ruled_table(*map(folded, asked), *numbers)
    for answer, named in zip(answers, settings, strict=True):
        metrics = "  ".join(
            f"{m.label} {_number(m.published)}"
            + ("" if m.adjudicated == m.published else f" ({_number(m.adjudicated)})")
            for m in _choose_primary(answer.metrics)
        )
        keywords = ", ".join(k.partition(":")[2] or k for k in answer.keywords)
        relevant = f"{answer.relevant:,} of {answer.collection:,}"
        table.add_row(
            _text(answer.question.query),
            _text(answer.question.model),
            *((_text(named or "–"),) if any(settings) else ()),
            _text(keywords or "–"),
            relevant,
            _text(metrics or "–"),
        )
    return table


def _choose_primary(metrics: Sequence[MetricValue]) -> list[MetricValue]:
    """The first metric at all its cut-offs, as above the results; `--json` has every metric."""
    name = metrics[0].label.partition("@")[0] if metrics else ""
    return [metric for metric in metrics if metric.label.partition("@")[0] == name]


def describe_repair(repair: StoreRepair, out: Path | None = None) -> list[str]:
    """What was lost, judgements first, and what was saved of a damaged store, by count.

    The undo history is counted in neither: what was judged is in the judgements.
    """
    from engine.sessions.losses import describe_loss

    counts = {kind: count for kind, count in repair.counts.items() if kind != "change"}
    saved = ", ".join(pluralise(count.saved, kind) for kind, count in counts.items())
    if repair.is_sound:
        unwritten = f", and {out} was not written" if out else ""
        return [f"{repair.path} is sound: {saved}; nothing was changed{unwritten}"]
    lost = describe_loss(repair.counts, repair.bad_pages)
    first = f"lost: {lost}" if lost else "nothing is known to be lost"
    lines = [first, f"saved in {repair.made}: {saved}"]
    if rebuilt := repair.counts["judgement"].rebuilt:
        lines.append(f"of these, {pluralise(rebuilt, 'judgement')} came from the undo history")
    if repair.counts["change"].lost:
        lines.append("part of the undo history is lost: not everything can be undone any more")
    if rebuilt := repair.counts["session"].rebuilt:
        names = pluralise(rebuilt, "session")
        store = f"--store {shlex.quote(str(repair.made))}"
        start = f"tui-eval {store} --session NUMBER --dataset FOLDER"
        lines.append(
            f"the name and dataset of {names} are lost: tui-eval sessions list {store} shows "
            f"which; name the dataset when you open one: {start}"
        )
    return [*lines, f"the damaged file is kept as {repair.kept or repair.path}"]


def build_replay_view(replay: SessionReplay, name: str, source: str) -> list[RenderableType]:
    """What changed, question by question; those that are as before are only counted."""
    parts: list[RenderableType] = [Text(escape(f"{name} on {source}"), style="dim"), Text("")]
    for item in replay.questions:
        if item.status != "same":
            parts += [*_replayed(item), Text("")]
    style = "yellow" if replay.changed or replay.failed else "green"
    return [*parts, Text(replay.verdict, style=style)]


def _replayed(item: QuestionReplay) -> list[RenderableType]:
    head = Text(escape(item.question.query), style="bold")
    head.append(escape(f"  {item.question.mode}, {item.question.model}  "), style="not bold dim")
    head.append(item.status, style="red" if item.error else "yellow")
    if item.difference is None:
        return [head, Text(spell_message(f"  {item.error}"))]
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    for name, value in _differences(item.difference):
        grid.add_row(f"  {name}", _text(value))
    return [head, grid]


def _differences(found: AnswerChange) -> Iterable[tuple[str, str]]:
    """The lines that say something."""
    keywords = [f"+ {name}" for name in found.keywords_added]
    keywords += [f"- {name}" for name in found.keywords_dropped]
    if keywords:
        yield "keywords", "  ".join(keywords)
    for name, (before, after) in (("relevant", found.relevant), ("clips", found.collection)):
        if before != after:
            yield name, f"{before:,} → {after:,}"
    if found.entered:
        yield "entered", _some([f"{place.clip} at {place.rank}" for place in found.entered])
    if found.left:
        yield "left", _some([f"{place.clip} from {place.rank}" for place in found.left])
    if found.moved:
        yield "moved", _some([f"{m.clip} {m.before} → {m.after}" for m in found.moved])
    if found.drifted:
        largest = f"the largest by {found.largest_drift:.2g}"
        yield "scores", f"{pluralise(found.drifted, 'clip')} with another score, {largest}"
    for change in found.metrics:
        yield escape(change.before.label), _metric_words(change)


def _metric_words(change: MetricChange) -> str:
    old, new = change.before, change.after
    if new is None:
        return f"{_number(old.published)} → not computed any more"
    words = f"{_number(old.published)} → {_number(new.published)}"
    if (old.adjudicated, new.adjudicated) == (old.published, new.published):
        return words
    return f"{words}, adjudicated {_number(old.adjudicated)} → {_number(new.adjudicated)}"


def _some(words: Sequence[str]) -> str:
    rest = len(words) - _SHOWN
    return ", ".join(words[:_SHOWN]) + (f" and {rest:,} more" if rest > 0 else "")


def _text(text: str) -> Text:
    return Text(escape(text))


def _when(moment: datetime) -> str:
    """In the zone of the reader."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"
