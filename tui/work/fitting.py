"""What was asked of a dataset once, made such that it can be asked of it as it is now."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.base.errors import InputError
from engine.base.messages import list_names
from engine.keywords.question import Question
from tui.look.nouns import OF_CLIPS, Nouns

if TYPE_CHECKING:
    from engine.dataset.ground_truth import GroundTruth

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class QuestionFit:
    """A question that the dataset can answer, and what had to go for it.

    groups    chosen groups that there are not
    left_out  keywords that cannot be left out: unknown ones; all, if nothing else would be left
    keywords  keywords, edited or of the query set, that there are not
    clip      the query clip, if there is none such; then nothing is asked
    """

    question: Question
    groups: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    clip: str | None = None

    def complaint(self, nouns: Nouns = OF_CLIPS) -> str:
        """What had to go, for the user; empty if nothing had to.

        >>> asked = Question("text", "", "m", ("g",))
        >>> QuestionFit(asked, groups=("h",), left_out=("g:a", "g:b")).complaint()
        'What was asked does not fit the annotations. Dropped: group h; left-out keywords g:a, g:b.'
        """
        clip = () if self.clip is None else (self.clip,)
        dropped = [
            *_named("group", self.groups),
            *_named(nouns.spell("left-out keyword"), self.left_out),
            *_named(nouns.spell("query keyword"), self.keywords),
            *_named(nouns.spell("query clip"), clip),
        ]
        if not dropped:
            return ""
        ask = " Ask another query." if clip else ""
        return f"What was asked does not fit the annotations. Dropped: {'; '.join(dropped)}.{ask}"


def fit_question(question: Question, truth: GroundTruth) -> QuestionFit:
    """The question without what the annotations do not know.

    If no group of it is left, all are chosen. If none of the edited keywords is left, or none of
    those that a query set gave, they are found again.
    """
    from engine.keywords.workbench import select

    groups, no_groups = find_known_groups(question.groups, truth)

    def find(name: str) -> str:
        return str(truth.words.find(name))

    left_out, not_left_out = _known(question.left_out, find)
    try:
        select(truth, groups, left_out)
    except InputError:  # the keywords that were not left out are those that are gone
        left_out, not_left_out = (), question.left_out
    keywords, no_keywords = _known_of(question.keywords, find)
    given, not_given = _known_of(question.given, find)
    no_keywords = tuple(dict.fromkeys((*no_keywords, *not_given)))
    fits = replace(question, groups=groups, left_out=left_out, keywords=keywords, given=given)
    clip = question.clip if question.query else None
    if clip is None or truth.rows_of([clip])[0] >= 0:
        return QuestionFit(fits, no_groups, not_left_out, no_keywords)
    return QuestionFit(fits.about("text", ""), no_groups, not_left_out, no_keywords, clip)


def find_known_groups(
    names: tuple[str, ...], truth: GroundTruth
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The groups of these names that there are (all, if there is none of them), and the others."""
    known, unknown = _known(names, truth.words.group)
    return known or truth.words.groups, unknown


def _known(
    names: Iterable[str], find: Callable[[str], str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names as the dataset writes them, and those that it does not know."""
    known, unknown = [], []
    for name in names:
        try:
            known.append(find(name))
        except InputError:
            unknown.append(name)
    return tuple(dict.fromkeys(known)), tuple(unknown)


def _known_of(
    names: tuple[str, ...] | None, find: Callable[[str], str]
) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Of names that may not be said at all; not said either if none of them is known."""
    known, unknown = _known(names or (), find)
    return None if names is None or (unknown and not known) else known, unknown


def _named(what: str, names: tuple[str, ...]) -> list[str]:
    plural = "" if len(names) == 1 else "s"
    return [f"{what}{plural} {list_names(names, _SHOWN)}"] if names else []
