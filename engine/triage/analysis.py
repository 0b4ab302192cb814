"""Analysis: one question that triage asks of an embedding, and what answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.triage.finding import Finding
from engine.triage.study import Study


@dataclass(frozen=True, slots=True)
class Analysis:
    """An analysis of the registry.

    name      what it is called on the command line and in documents
    question  what it answers, as a person would ask it
    method    how, in one or two sentences with the formula
    needs     what it cannot do without
    find      yields at least one finding: that there is nothing is one as well
    """

    name: str
    question: str
    method: str
    needs: str
    find: Callable[[Study], Iterator[Finding]]
