"""Finding: what an analysis says in one sentence, how sure it is, and what shows it.

An analysis yields findings as it measured them; `engine.triage.correction` then corrects their p
over all that is shown, and only with that is it decided which of a finding's three sentences holds.
"""

from __future__ import annotations

import math
import re
import zlib
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from engine.base.arrays import Floats
from engine.base.choices import Mode
from engine.base.messages import make_slug
from engine.stats import Interval

Outcome: TypeAlias = Literal["found", "nothing", "unsure", "unknown", "fact"]
"""What is known of what an analysis asks.

found    it is there: the corrected p is below alpha
nothing  it is not: the interval leaves out whatever would matter
unsure   neither: the interval has both in it, and `needed` says how much data would tell
unknown  it could not be measured: data or an input are missing, `remedy` says which
fact     a number that is not tested, such as a share of the shortfall
"""

TopicKind: TypeAlias = Literal["slice", "keyword", "swap", "group", "query", "clip", "model"]
"""A swap is a keyword that was asked for, and the one that came instead."""

UNDEFINED = Interval(math.nan, math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class Topic:
    """What a finding is about; keywords are written "group:name".

    >>> Topic("slice", ("way:crossing", "who:pedestrian")).label
    'crossing + pedestrian'
    """

    kind: TopicKind
    names: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """In words, as it is shown."""
        if self.kind in ("slice", "keyword", "swap"):
            join = " → " if self.kind == "swap" else " + "
            return join.join(name.partition(":")[2] or name for name in self.names)
        if self.kind == "group":
            return " + ".join(name.replace("_", " ") for name in self.names)
        return " + ".join(self.names)


@dataclass(frozen=True, slots=True)
class Exhibit:
    """What shows a finding: queries by name, worst first, and clips by id."""

    queries: tuple[str, ...] = ()
    clips: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """One claim of one analysis.

    analysis   its name in the registry
    subject    what the claim is about
    mode       of the queries it is about; None: it is about the clips alone
    claim      one sentence, said if it is found
    otherwise  what is said if it is not: never more than the numbers behind it
    unsure     what is said if nobody can tell; the same if it is empty
    effect     in `unit`; the sign is the unit's own
    interval   of the effect
    p          of no effect, corrected for all that this analysis looked at; NaN: nothing is tested
    tests      whether p is of a test: an analysis whose findings test nothing is not corrected for
    cost       points of m that one unit of the effect costs each of the affected queries; negative
               where a negative effect is the harmful one
    limit      the effect from which on it costs anything: 0, but where too little does harm
    most_harm  points of m that it may cost at most, whatever the effect
    support    how many queries, clips or pairs are concerned, as `support_of` says
    share      which part of all that count these are
    needed     how much support would tell, where it is too little; 0: not known
    remedy     what to do next
    numbers    others behind the claim, by name
    notes      what a reader must know: what was sampled, or left out
    chosen_from  of how many of its analysis, mode and kind of topic it was chosen as one of the
               worst; 1: it is always listed
    summary    whether it only sums up others of the same analysis: left out where one is found
    corrected  p, corrected over all findings that are shown
    outcome    None until it was decided
    draws      the effect in resamples that are the same for every model: differences of two
               models have their intervals from them
    clusters   that the draws are of; 0: nobody knows
    """

    analysis: str
    subject: Topic
    claim: str
    otherwise: str
    effect: float
    unit: str
    interval: Interval = UNDEFINED
    p: float = math.nan
    cost: float = 0.0
    limit: float = 0.0
    most_harm: float = math.inf
    support: int = 0
    support_of: str = "query"
    share: float = 0.0
    needed: int = 0
    mode: Mode | None = None
    evidence: Exhibit = Exhibit()
    remedy: str = ""
    numbers: tuple[tuple[str, float], ...] = ()
    notes: tuple[str, ...] = ()
    chosen_from: int = 1
    unsure: str = ""
    summary: bool = False
    corrected: float = math.nan
    outcome: Outcome | None = None
    draws: Floats | None = field(default=None, repr=False)
    clusters: int = 0

    @property
    def tests(self) -> bool:
        """Whether its p is that of a test."""
        return not math.isnan(self.p)

    @property
    def id(self) -> str:
        """The same for the same question to another model: how `--baseline` finds the other one."""
        return make_finding_id(self.analysis, self.mode, self.subject.names)

    @property
    def sentence(self) -> str:
        """What can be said."""
        if self.outcome in ("found", "fact", "unknown"):
            return self.claim
        return self.otherwise if self.outcome == "nothing" else self.unsure or self.otherwise

    @property
    def harm(self) -> float:
        """Points of m lost per affected query; 0 if nothing is.

        >>> Finding("a", Topic("model"), "", "", -0.25, "P@5", cost=-1.0).harm
        0.25
        >>> Finding("a", Topic("group", ("who",)), "", "", 0.25, "AUC", cost=-1.0, limit=0.5).harm
        0.25

        What is lost already is the most that can be:

        >>> who = Topic("group", ("who",))
        >>> Finding("a", who, "", "", -0.5, "P@5", cost=-2, limit=0.1, most_harm=0.2).harm
        0.2
        """
        lost = self.cost_of(self.effect)
        return lost if lost > 0 else 0.0

    def cost_of(self, effect: float) -> float:
        """Points of m per affected query, were the effect so large; negative where it gains some.

        >>> Finding("a", Topic("model"), "", "", -0.25, "P@5", cost=-1.0).cost_of(0.5)
        -0.5
        """
        lost = self.cost * (effect - self.limit)
        return self.most_harm if lost > self.most_harm else lost

    @property
    def certainty(self) -> float:
        """1 − the corrected p; 0 where nothing was tested or found."""
        return 1.0 - self.corrected if self.outcome == "found" else 0.0

    @property
    def severity(self) -> float:
        """harm × share × certainty: points of the mean of m, as far as they are sure."""
        return self.harm * self.share * self.certainty

    def decided(self, corrected: float, outcome: Outcome) -> Finding:
        """The same, with what the correction made of it."""
        return replace(self, corrected=corrected, outcome=outcome)


def make_finding_id(analysis: str, mode: Mode | None, names: tuple[str, ...]) -> str:
    """The id of a finding about these names: what a person can type. Names that lose something in
    it (signs, capitals, other alphabets) have a number behind them that tells them apart.

    >>> make_finding_id("blame", "text", ("way:crossing",))
    'blame/text/way-crossing'
    >>> make_finding_id("blame", None, ("way:犬",)) == make_finding_id("blame", None, ("way:猫",))
    False
    """
    parts = [make_slug(part) for part in (analysis, mode or "", "+".join(names)) if part]
    if not all(map(_FAITHFUL.fullmatch, names)):
        parts[-1] += f"-{zlib.crc32(chr(0).join(names).encode()):08x}"
    return "/".join(parts)


_FAITHFUL = re.compile(
    r"[a-z0-9]+(?:[_-][a-z0-9]+)*(?::[a-z0-9]+(?: [a-z0-9]+)*)?|[a-z0-9]+(?: [a-z0-9]+)*"
)
"""Groups, keywords and texts of which a slug tells all: underscores of the first, spaces of the
others."""


def make_unknown(analysis: str, why: str, remedy: str, *, mode: Mode | None = None) -> Finding:
    """What an analysis says that has not what it needs.

    >>> found = make_unknown("looks", "No frames can be read.", "name --visual MODEL")
    >>> found.outcome, found.sentence, found.id
    ('unknown', 'No frames can be read.', 'looks')
    """
    return Finding(
        analysis=analysis,
        subject=Topic("model"),
        claim=why,
        otherwise=why,
        effect=math.nan,
        unit="",
        mode=mode,
        remedy=remedy,
        outcome="unknown",
    )
