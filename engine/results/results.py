"""Results: what one system did, query by query. Comparisons, gates and reports are made of it.

A run that was just carried out, a saved run, a per-query file and a run file with its judgements
all become this value. A MetricRow is one number of it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.base.errors import InputError
from engine.base.json_text import dump_attributes
from engine.files.input_file import InputFile
from engine.metrics import Measure, Profile, Scores, ShortListPolicy
from engine.metrics.chance import ChanceLevels, ChanceTest, describe_sample, is_above_chance
from engine.results.first_hits import FirstHits

RANKED = "ranked"
"""The mode of queries of which only a ranking is known: those of run files."""


class QueryKey(NamedTuple):
    """What a query is known by in every system: its mode, its text or id, and, where a set asks the
    same more than once, which of them it is."""

    mode: str
    query: str
    nth: int = 0


@dataclass(frozen=True, slots=True)
class KeptResults:
    """The results of one query that were kept, best first."""

    ids: tuple[str, ...]
    scores: tuple[float, ...]
    gains: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def hits(self) -> set[str]:
        """The relevant ones."""
        return {one for one, gain in zip(self.ids, self.gains, strict=True) if gain > 0}


@dataclass(frozen=True, eq=False)
class Results:
    """Per-query values of one system.

    values    (q, m) float64; NaN: the query does not count for that measure
    keywords  per query, as "group:name"; empty where none are known
    relevant  (q,) R; −1 where it is not known
    ranked    per query its kept results; empty where none were kept
    videos    per query the video that its clip was cut from; empty where none is known
    first_hits  where each query's first hit stands; None where nobody looked
    policies  (name, value) of what was done where definitions differ; empty where not known
    inputs    (role, sha256) of the files behind the numbers; empty where not known
    model, dataset  what they are called in the saved run; empty where not known
    file      where the results were read from, if from a file
    notes     what a reader must know beside the numbers
    """

    name: str
    language: Profile
    measures: tuple[Measure, ...]
    keys: tuple[QueryKey, ...]
    values: Floats
    keywords: tuple[tuple[str, ...], ...]
    relevant: Ints
    ranked: tuple[KeptResults, ...] = ()
    videos: tuple[str, ...] = ()
    first_hits: FirstHits | None = None
    policies: tuple[tuple[str, str], ...] = ()
    inputs: tuple[tuple[str, str], ...] = ()
    model: str = ""
    dataset: str = ""
    notes: tuple[str, ...] = ()
    file: InputFile | None = None

    def __post_init__(self) -> None:
        shape = len(self.keys), len(self.measures)
        if self.values.shape != shape:
            raise ValueError(f"values have shape {self.values.shape}, not {shape}")
        for name in ("keywords", "relevant", "ranked", "videos"):
            length = len(getattr(self, name))
            may_be_empty = name in ("ranked", "videos")
            if length != len(self) and not (may_be_empty and length == 0):
                raise ValueError(f"{name} has {length} entries for {len(self)} queries")

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def modes(self) -> tuple[str, ...]:
        """Every mode that occurs, in order."""
        return tuple(dict.fromkeys(key.mode for key in self.keys))

    @cached_property
    def places(self) -> dict[QueryKey, int]:
        """Where each query stands."""
        return {key: place for place, key in enumerate(self.keys)}

    def column(self, measure: Measure) -> Floats:
        """(q,) the measure's value for every query; NaN where it does not count."""
        if measure not in self.measures:
            raise InputError(
                f"{self.name} has no {measure}",
                hint=f"it has {', '.join(map(str, self.measures))}",
            )
        return self.values[:, self.measures.index(measure)]

    @property
    def short(self) -> ShortListPolicy:
        """The policy for fewer than k results."""
        return "adaptive" if dict(self.policies).get("fewer_than_k") == "adaptive" else "fixed"

    @property
    def relevance(self) -> str | None:
        """What made clips relevant to queries of keywords, in words; None: other queries, or it is
        not known. It was to have all keywords before anything else could be asked for."""
        policies = dict(self.policies)
        return policies.get("relevance", "all" if "no_keyword" in policies else None)

    @property
    def one_per(self) -> str | None:
        """What had one place in a ranking, likewise: before it could be chosen, every clip."""
        policies = dict(self.policies)
        return policies.get("one_per", "clip" if "no_keyword" in policies else None)

    def formula(self, measure: Measure) -> str:
        """The measure's formula under the policies of these results."""
        return measure.formula_for(self.short)

    def kept(self, row: int) -> KeptResults:
        """The kept results of a query; none where none were kept."""
        return self.ranked[row] if self.ranked else KeptResults((), (), ())

    def only(self, rows: Sequence[int] | Ints) -> Results:
        """These queries, in this order."""
        rows = np.asarray(rows, np.int64)
        chosen = rows.tolist()
        return replace(
            self,
            keys=tuple(self.keys[row] for row in chosen),
            values=self.values[rows],
            keywords=tuple(self.keywords[row] for row in chosen),
            relevant=self.relevant[rows],
            ranked=tuple(self.ranked[row] for row in chosen) if self.ranked else (),
            videos=tuple(self.videos[row] for row in chosen) if self.videos else (),
            first_hits=None if self.first_hits is None else self.first_hits.take(rows),
        )

    def of_mode(self, mode: str) -> Results:
        """The queries of one mode."""
        return self.only([place for place, key in enumerate(self.keys) if key.mode == mode])


def number_queries(modes: Sequence[str], queries: Sequence[str]) -> tuple[QueryKey, ...]:
    """Keys of queries in the order in which they were asked.

    >>> number_queries(["text"] * 2, ["rain", "rain"])[1]
    QueryKey(mode='text', query='rain', nth=1)
    """
    seen: Counter[tuple[str, str]] = Counter()
    keys = []
    for pair in zip(modes, queries, strict=True):
        keys.append(QueryKey(*pair, seen[pair]))
        seen[pair] += 1
    return tuple(keys)


METRIC_COLUMNS = ("mode", "id", "label", "formula", "mean", "std", "n")
CHANCE_COLUMNS = (
    *METRIC_COLUMNS,
    *("chance", "chance_p", "above_chance", "chance_n", "chance_shuffles"),
)
"""Of a run, whose collection is known: what a random ranking would score, how sure it is that the
run is better, and what that was found from."""


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One number of a run, with all that a reader needs to know what it is.

    chance    what random rankings would score; NaN: that is not known, or there is no such level
    chance_p  how often they would do at least as well; NaN: that was not tested
    chance_n, chance_shuffles  with how many of the n queries that was tested, and how often their
              annotations were shuffled; None: not at all
    """

    mode: str
    id: str
    label: str
    formula: str
    mean: float
    std: float
    n: int
    is_mean: bool = True
    chance: float = math.nan
    chance_p: float = math.nan
    chance_n: int | None = None
    chance_shuffles: int | None = None

    def as_dict(self, columns: Sequence[str] = METRIC_COLUMNS) -> dict[str, Any]:
        """The row as plain values, ready for JSON; an undefined number is None."""
        return dump_attributes(self, *columns)

    @property
    def above_chance(self) -> bool | None:
        """None: that was not tested."""
        return is_above_chance(self.chance_p)

    @property
    def chance_sample(self) -> str:
        """What was tested, in words, if not all queries; else empty."""
        return "" if self.chance_n is None else describe_sample(self.chance_n, self.n)


def build_metric_rows(
    mode: str,
    scores: Scores,
    language: Profile,
    short: ShortListPolicy,
    chance: ChanceLevels | None = None,
    tested: ChanceTest | None = None,
) -> list[MetricRow]:
    """The numbers of one kind of queries, in the order of their measures."""
    rows = [
        MetricRow(
            mode=mode,
            id=str(measure),
            label=language.label(measure),
            formula=measure.formula_for(short),
            mean=scores.aggregate(measure),
            std=scores.std(measure),
            n=len(scores.counted(measure)),
            is_mean=measure.aggregate == "mean",
            chance=math.nan if chance is None else chance.level(measure),
        )
        for measure in scores.measures
    ]
    if tested is None:
        return rows
    return [
        replace(row, chance_p=p, chance_n=queries or None, chance_shuffles=shuffles or None)
        for row, p, queries, shuffles in zip(
            rows, tested.p.tolist(), tested.queries, tested.shuffles, strict=True
        )
    ]
