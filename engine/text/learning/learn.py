"""What labelled queries teach the mapper, and whether it helps: measured on queries that were not
learned from.

Learning from some queries is: propose phrases; split the queries into folds; propose again without
each fold and see what these proposals do to the fold. What helps more than it breaks is taken, and
so is a phrase that only one query says, for which nothing can be measured: it is marked as seen
once. The effect of all that is measured by cross-validation around the whole of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.text.learning.folds import deal_folds, fold_case
from engine.text.learning.labelled import (
    LabelledMapping,
    LabelledText,
    map_labelled,
    measure_mapped,
)
from engine.text.learning.proposals import Proposal, Proposer
from engine.text.learning.said_phrases import Stems
from engine.text.mapping.accuracy import Accuracy
from engine.text.mapping.mapper import Mapper

FOLDS = 5

_ROUNDS = ((2, False), (1, False), (1, True), (1, True), (1, True))
"""In which order phrases are proposed: by how many queries must agree, and whether they forbid."""


@dataclass(frozen=True, slots=True)
class LearnedPhrase:
    """A proposal and what is known of it.

    support  queries that say the phrase and agree
    said     queries that say it
    fixes    queries that it was not learned from and that get better by it
    breaks   those that get worse
    once     only one query says it: its fixes and breaks are of that query itself
    """

    proposal: Proposal
    support: int
    said: int
    fixes: int
    breaks: int
    once: bool

    @property
    def helps(self) -> bool:
        return self.fixes > self.breaks


@dataclass(frozen=True, slots=True)
class LearningOutcome:
    """What was learned, what was not, and what it does to queries that were not learned from."""

    folds: int
    before: Accuracy
    after: Accuracy
    taken: tuple[LearnedPhrase, ...]
    refused: tuple[LearnedPhrase, ...]


def learn_phrases(
    mapper: Mapper, asked: Sequence[LabelledText], *, folds: int = FOLDS, least: int = 1
) -> LearningOutcome:
    """Phrases for the dataset of the mapper, from queries whose keywords are known.

    least  how many queries must speak for a phrase
    """
    every = frozenset(range(len(asked)))
    parts = deal_folds(asked, sorted(every), folds)
    if len(parts) < 2:
        raise InputError("one query is too few to learn from", hint="label at least two")
    learner = _Learner(mapper, asked, folds, least)
    held_out: dict[int, LabelledMapping] = {}
    for part in parts:
        taken = [one.proposal for one in learner.learn(every - set(part)) if one.helps]
        held_out |= learner.map(taken, part)
    learned = learner.learn(every)
    return LearningOutcome(
        folds=len(parts),
        before=measure_mapped(learner.mapped),
        after=measure_mapped([held_out.get(one.number, one) for one in learner.mapped]),
        taken=tuple(one for one in learned if one.helps),
        refused=tuple(one for one in learned if not one.helps),
    )


class _Learner:
    """Learns from parts of the same queries. What is mapped once is not mapped again."""

    def __init__(
        self, mapper: Mapper, asked: Sequence[LabelledText], folds: int, least: int
    ) -> None:
        self._mapper, self._asked, self._folds = mapper, asked, folds
        self.mapped = map_labelled(mapper, asked)
        self._least = least
        self._proposer = Proposer(mapper.vocabulary, self.mapped)
        self._known: dict[tuple[int, frozenset[Proposal]], LabelledMapping] = {}

    def learn(self, among: frozenset[int]) -> list[LearnedPhrase]:
        """What these queries teach, the best supported first."""
        proposals = self._propose(among)
        effects = {proposal: [0, 0] for proposal in proposals}
        parts = deal_folds(self._asked, sorted(among), self._folds)
        for part in parts if len(parts) > 1 else ():
            without = self._propose(among - set(part))
            known = [p for p in proposals if any(_same(p, other) for other in without)]
            self._add_effects(effects, known, part)
        learned = []
        for proposal in proposals:
            support, said = self._proposer.count_support(proposal, among)
            texts = {fold_case(self._asked[n].text) for n in self._where(proposal, among)}
            once = len(texts) == 1
            if once:
                self._add_effects(effects, [proposal], sorted(among))
            fixes, breaks = effects[proposal]
            learned.append(LearnedPhrase(proposal, support, said, fixes, breaks, once))
        return sorted(learned, key=lambda one: (one.once, -one.support, one.proposal.phrase))

    def _propose(self, among: frozenset[int]) -> list[Proposal]:
        """First what several queries agree on; then what is still wrong with that; and so on:
        a phrase that is forbidden for one keyword may then be taken for the next."""
        found: dict[tuple[Stems, Keyword], Proposal] = {}
        for least, never in _ROUNDS:
            now = self.map(list(found.values()), sorted(among))
            propose = self._proposer.propose_never if never else self._proposer.propose_synonyms
            for proposal in propose(among, now, max(least, self._least)):
                found.setdefault((proposal.stems, proposal.keyword), proposal)
        return list(found.values())

    def _where(self, proposal: Proposal, among: Iterable[int]) -> list[int]:
        return self._proposer.said.where(proposal.stems, frozenset(among))

    def map(
        self, proposals: Sequence[Proposal], numbers: Sequence[int]
    ) -> dict[int, LabelledMapping]:
        """The queries that say one of the phrases, mapped with them."""
        said: dict[int, set[Proposal]] = {}
        for proposal in proposals:
            for number in self._where(proposal, numbers):
                said.setdefault(number, set()).add(proposal)
        keys = {number: (number, frozenset(own)) for number, own in said.items()}
        new = [number for number, key in keys.items() if key not in self._known]
        if new:
            mapper = self._mapper.with_phrases(
                _tabulate(p for p in proposals if not p.never),
                _tabulate(p for p in proposals if p.never),
            )
            again = map_labelled(mapper, [self._asked[number] for number in new])
            for number, one in zip(new, again, strict=True):
                self._known[keys[number]] = LabelledMapping(
                    number, one.asked, one.mapping, one.reading, one.estimates
                )
        return {number: self._known[key] for number, key in keys.items()}

    def _add_effects(
        self,
        effects: Mapping[Proposal, list[int]],
        proposals: Sequence[Proposal],
        numbers: Sequence[int],
    ) -> None:
        """Count for each proposal which of the queries that say it get better, and which worse."""
        mapped = self.map(proposals, numbers)
        for proposal in proposals:
            for number in self._where(proposal, mapped):
                meant = self._asked[number].meant
                before, after = self.mapped[number].found, mapped[number].found
                was, now = before ^ meant, after ^ meant
                group = proposal.keyword.group
                right = sum(keyword.group == group for keyword in was - now)
                # A phrase answers also for keywords of other groups that lose their words to it.
                wrong = len(now - was)
                effects[proposal][0] += right > wrong
                effects[proposal][1] += right < wrong


def _same(one: Proposal, other: Proposal) -> bool:
    return (one.stems, one.keyword, one.never) == (other.stems, other.keyword, other.never)


def _tabulate(proposals: Iterable[Proposal]) -> dict[str, list[str]]:
    table: dict[str, list[str]] = {}
    for proposal in proposals:
        table.setdefault(proposal.keyword.name, []).append(proposal.phrase)
    return table
