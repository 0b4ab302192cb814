"""What a person changed, in a few words: for the header, and for undo and redo."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.keywords.question import Question
    from engine.sessions import Change, JudgementChange, QuestionChange


def describe_change(
    change: Change, done: str, asked: Question, own: Sequence[str] | None = None
) -> str:
    """What an undo or redo changed, and of which query, if another is asked now.

    `own`: the keywords that the query of the change means by itself, if they are known.
    """
    from engine.sessions import JudgementChange

    if isinstance(change, JudgementChange):
        return f"{done}: {_describe_judgement(change, asked)}"
    query = change.after.query
    elsewhere = bool(query) and (change.after.mode, query) != (asked.mode, asked.query)
    where = f" for “{query}”" if elsewhere else ""
    return f"{done}: {describe_question_change(change, own)}{where}"


def _describe_judgement(change: JudgementChange, asked: Question) -> str:
    target = change.target
    elsewhere = (target.mode, target.query) != (asked.mode, asked.query)
    where = f"{target.clip} for “{target.query}”" if elsewhere else target.clip
    if target.is_query:
        where = f"“{target.query}”"
    before, after = (one.mark_in_words or "no mark" for one in (change.before, change.after))
    if change.before.mark == change.after.mark and change.before.reason == change.after.reason:
        what = "the note" if change.before.note or change.after.note else before
        return f"{what} on {where}"
    return f"{before} → {after} on {where}"


def describe_question_change(change: QuestionChange, own: Sequence[str] | None = None) -> str:
    """What is asked otherwise now; `own`: what the query means by itself, if that is known.

    >>> from engine.keywords.question import Question
    >>> from engine.sessions import QuestionChange
    >>> before = Question("text", "a car", "alfa", ("object_type",), keywords=("object_type:car",))
    >>> after = Question("text", "a car", "alfa", ("object_type", "scene"), keywords=())
    >>> describe_question_change(QuestionChange(before, after, None))
    'group +scene, keyword −car'
    """
    return ", ".join(_list_differences(change.before, change.after, own))


def _list_differences(
    before: Question, after: Question, own: Sequence[str] | None
) -> Iterator[str]:
    if before.model != after.model:
        yield f"model {before.model} → {after.model}"
    if before.groups != after.groups:
        yield f"group {_signed(before.groups, after.groups)}"
    if before.left_out != after.left_out:
        yield f"left out {_signed(before.left_out, after.left_out)}"
    if before.keywords != after.keywords:
        yield _describe_keywords(before, after, own)
    if before.min_similarity != after.min_similarity:
        least = ("none" if one is None else f"{one:g}" for one in _least(before, after))
        yield f"least similarity {' → '.join(least)}"
    if before.relevance != after.relevance:
        yield f"relevance {before.relevance or 'all'} → {after.relevance or 'all'}"
    if before.one_per != after.one_per:
        yield f"one per {before.one_per or 'clip'} → {after.one_per or 'clip'}"


def _describe_keywords(before: Question, after: Question, own: Sequence[str] | None) -> str:
    """Which came and went; where the query's own are not known, those that it has now."""
    own = after.given or before.given or own
    was, now = (own if one.keywords is None else one.keywords for one in (before, after))
    if was is not None and now is not None and {*was} != {*now}:
        several = "s" if len({*was} ^ {*now}) > 1 else ""
        return f"keyword{several} {_signed(was, now)}"
    if after.keywords is None:
        return "the query's own keywords"
    return f"keywords {', '.join(map(_name, after.keywords)) or 'none'}"


def _least(before: Question, after: Question) -> tuple[float | None, float | None]:
    return before.min_similarity, after.min_similarity


def _signed(before: Sequence[str], after: Sequence[str]) -> str:
    """What came and what went, without the groups of keywords."""
    came = [f"+{_name(one)}" for one in after if one not in before]
    went = [f"−{_name(one)}" for one in before if one not in after]
    return " ".join([*went, *came]) or "in another order"


def _name(name: str) -> str:
    return name.rpartition(":")[2].replace("_", " ")
