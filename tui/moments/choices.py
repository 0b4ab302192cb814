"""What one can choose: the next task, IoU or k, and which queries are listed: the class, and words
that the text, the id or the video must hold, or must not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from engine.moments.tasks import HitRule
from tui.moments.signs import WORST_FIRST, describe_class, find_sign

if TYPE_CHECKING:
    from engine.base.arrays import Bools
    from engine.keywords.query_filter import Filter
    from engine.moments.judged_predictions import MomentTruth
    from engine.moments.tasks import Task
    from tui.work.explained_task import ExplainedTask

ALL_CLASSES = "all classes"
_TERM = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')
T = TypeVar("T")


def _after(now: T, choices: Sequence[T]) -> T:
    return choices[(choices.index(now) + 1) % len(choices)]


def choose_next_task(explained: ExplainedTask) -> Task:
    return _after(explained.task, explained.source.tasks)


def list_ious(explained: ExplainedTask) -> list[float]:
    """The IoUs that one key goes through: those of the request, and the one that is used."""
    now = [] if explained.at.iou is None else [explained.at.iou]
    return sorted({*explained.source.request.ious, *now})


def choose_next_iou(explained: ExplainedTask) -> HitRule:
    """The metric at the next IoU; the same where there is none."""
    at = explained.at
    return at if at.iou is None else HitRule(_after(at.iou, list_ious(explained)), at.k)


def choose_next_k(explained: ExplainedTask) -> HitRule:
    at = explained.at
    return HitRule(at.iou, _after(at.k, sorted({*explained.source.request.ks, at.k})))


def list_class_options(explained: ExplainedTask) -> list[tuple[str, str, str]]:
    """The classes with the digit that chooses each, the worst first, and what they mean."""
    failures = explained.failures
    counts = failures.counts()
    codes = [code for code in WORST_FIRST if code in failures.possible]
    options = [("0", ALL_CLASSES, f"{len(failures):,} queries")]
    for number, code in enumerate(codes, start=1):
        about = f"{int(counts[code]):,}: {describe_class(failures, code)}"
        options.append((str(number), find_sign(code, explained.task).name, about))
    return options


def parse_words(text: str) -> Filter:
    """Words and "several words", each with a minus before it if it must not be there.

    >>> parse_words('Sheldon -"his phone"').terms
    (WordTerm(text='sheldon', negated=False), WordTerm(text='his phone', negated=True))
    """
    from engine.keywords.query_filter import Filter, WordTerm

    found = (
        WordTerm((phrase or word).strip().casefold(), bool(minus))
        for minus, phrase, word in _TERM.findall(text)
    )
    return Filter(tuple(term for term in found if term.text))


class Haystack:
    """What is searched of every query; made once, as it does not change with the metric."""

    def __init__(self, truth: MomentTruth) -> None:
        self.truth = truth

    @cached_property
    def _texts(self) -> list[str]:
        truth = self.truth
        parts = zip(truth.ids, truth.texts, truth.videos, strict=True)
        return [f"{id_}\n{text}\n{video}".casefold() for id_, text, video in parts]

    def matching(self, chosen: Filter | None) -> Bools:
        """Which queries hold every term; without a filter, all."""
        import numpy as np

        from engine.keywords.query_filter import WordTerm

        found = np.ones(len(self.truth), bool)
        for term in chosen.terms if chosen else ():
            if isinstance(term, WordTerm):
                holds = (term.text in text for text in self._texts)
                found &= np.fromiter(holds, bool, len(found)) != term.negated
        return found
