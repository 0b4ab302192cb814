"""Marks and notes: what a key means for the result under the cursor."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.base.mode import Mode
from engine.keywords.judgement import MEANINGS, REASONS, Judgement, Mark, Reason, Seen, Target
from engine.sessions import Change
from tui.look.nouns import OF_CLIPS, Nouns

if TYPE_CHECKING:
    from engine.keywords.inspection import Inspection

_OF_KEYWORDS: tuple[Reason, ...] = ("missing keyword", "mapper error")


def target_of(inspection: Inspection, place: int) -> Target:
    """The result as what is judged."""
    return Target(inspection.mode, inspection.query, inspection.clip(place))


def seen_of(inspection: Inspection, place: int) -> Seen:
    """What stands on the screen while it is judged."""
    question = inspection.question
    marks = [mark for group in inspection.result(place).groups for mark in group.marks]
    return Seen(
        model=question.model,
        groups=question.groups,
        keywords=tuple(map(str, inspection.keywords)),
        rank=place + 1,
        score=float(inspection.similarities[place]),
        lacking=tuple(str(keyword) for keyword, has in marks if not has),
    )


def marked(
    before: Judgement, mark: Mark | None, seen: Seen, reason: Reason | None = None
) -> Judgement:
    """The judgement with another mark; the note stays."""
    return replace(before, mark=mark, reason=reason, seen=seen)


def noted(before: Judgement, note: str, seen: Seen) -> Judgement:
    """The judgement with another note; the mark stays."""
    return replace(before, note=note.strip(), seen=before.seen or seen)


def reason_options(nouns: Nouns = OF_CLIPS, mode: Mode = "text") -> list[tuple[str, Reason, str]]:
    """The reasons with the digit that chooses each; no item lacks a label, and only texts are
    mapped to labels."""
    never: list[Reason] = ["missing keyword"] if mode == "text" else list(_OF_KEYWORDS)
    reasons = [one for one in REASONS if not (nouns.has_labels and one in never)]
    return [(str(n), one, nouns.spell(MEANINGS[one])) for n, one in enumerate(reasons, start=1)]


def in_words(judgement: Judgement) -> str:
    """A judgement in few words.

    >>> in_words(Judgement("bias", "hub")), in_words(Judgement(note="see ticket"))
    ('bias case: hub', 'no mark')
    """
    return judgement.mark_in_words or "no mark"


def change_in_words(change: Change, done: str) -> str:
    """What an undo or redo changed."""
    before, after = in_words(change.before), in_words(change.after)
    if change.before.mark == change.after.mark and change.before.reason == change.after.reason:
        what = "the note" if change.before.note or change.after.note else before
        return f"{done}: {what} on {change.target.clip}"
    return f"{done}: {before} → {after} on {change.target.clip}"
