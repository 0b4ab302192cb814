"""By how much one keyword, or one group, is more to blame than the others of the same queries.

    excess of w in a query = φ_w − mean φ of its other keywords
    excess of a group      = mean φ of its keywords − mean φ of those of other groups

A query that lacks much blames all of its keywords, and that says nothing of any of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.triage.finding import TopicKind
from engine.triage.mode_queries import ModeQueries
from engine.triage.permutations import count_fewest_permutations, leaves_hope
from engine.triage.study import Study
from engine.triage.workings.blame_shares import BlameShares
from engine.triage.workings.cell_permutations import compare_topics

FEWEST_QUERIES = 5
"""Queries with another keyword beside it that a keyword needs to be looked at."""

_FEWEST_PERMUTATIONS = 500


@dataclass(frozen=True, slots=True, eq=False)
class BlameExcess:
    """Pairs of a query and a keyword or a group that it asks for; the few are left out.

    names    of all keywords, or groups
    topics   (t,) those that are looked at, as numbers in `names`
    query    (p,) row of the query
    topic    (p,) place in `topics`
    own      (p,) how many keywords of the topic the query asks for
    blame    (p,) φ, summed over the keywords of a group
    excess   (p,) NaN: the query asks for nothing else
    reached  (p,) the excess of what could be reached
    """

    kind: TopicKind
    names: tuple[str, ...]
    topics: Ints
    query: Ints
    topic: Ints
    own: Floats
    blame: Floats
    excess: Floats
    reached: Floats

    @property
    def is_testable(self) -> bool:
        """Whether there are two topics to compare."""
        return len(self.topics) > 1

    def spread(self, values: Floats, queries: int) -> Floats:
        """(q, t) the value of each pair, NaN where a query does not ask for the topic."""
        table = np.full((queries, len(self.topics)), np.nan)
        table[self.query, self.topic] = values
        return table


def list_excesses(study: Study, shares: BlameShares) -> Iterator[BlameExcess]:
    """Those of keywords, and those of groups."""
    words, groups = study.truth.words.keywords, study.truth.words.groups
    number = {group: place for place, group in enumerate(groups)}
    group_of = np.array([number[word.group] for word in words], np.int64)
    names = tuple(str(word) for word in words)
    yield compare_within("keyword", names, shares, shares.column)
    yield compare_within("group", groups, shares, group_of[shares.column])


def compare_within(
    kind: TopicKind, names: tuple[str, ...], shares: BlameShares, topic: Ints
) -> BlameExcess:
    """Join the pairs of a query that have one topic, and compare them with its others."""
    keys = shares.query * len(names) + topic
    distinct, first, which = np.unique(keys, return_index=True, return_inverse=True)
    own = np.bincount(which).astype(np.float64)
    rest = shares.size[first] - own
    query, number = np.divmod(distinct, len(names))

    def exceed(values: Floats) -> Floats:
        within = np.bincount(which, weights=values)
        total = np.bincount(shares.query, weights=values)[query]
        others = np.full(len(own), np.nan)
        np.divide(total - within, rest, out=others, where=rest > 0)
        difference: Floats = within / own - others
        return difference

    blame: Floats = np.bincount(which, weights=shares.blame).astype(np.float64)
    many = np.bincount(number[rest > 0], minlength=len(names)) >= FEWEST_QUERIES
    kept, topics = many[number], np.flatnonzero(many)
    return BlameExcess(
        kind=kind,
        names=names,
        topics=topics,
        query=query[kept],
        topic=np.searchsorted(topics, number[kept]),
        own=own[kept],
        blame=blame[kept],
        excess=exceed(shares.blame)[kept],
        reached=exceed(shares.reached)[kept],
    )


def compute_excess_p(
    study: Study, asked: ModeQueries, found: BlameExcess, families: int
) -> tuple[Floats, int]:
    """(t,) p of no excess, over all topics and so many families of them; and of how many
    permutations: of as many as the settings say first, and of more if they leave any hope.

    Of φ and of what could be reached the larger p counts: whoever asks for a rare keyword finds
    little because there is little, and that is no fault of the keyword.
    """
    settings, wanted = study.settings, study.choose_permutations(families)
    p, count = _compare(study, asked, found, settings.resamples, 1)
    if count < wanted and leaves_hope(float(p.min()), settings):
        fewest = count_fewest_permutations(families, settings)
        p, wanted = _compare(study, asked, found, wanted, max(_FEWEST_PERMUTATIONS, fewest))
    return np.minimum(p * families, 1.0), wanted


def _compare(
    study: Study, asked: ModeQueries, found: BlameExcess, permutations: int, fewest: int
) -> tuple[Floats, int]:
    known = ~np.isnan(found.excess)
    cluster, topic = asked.clusters[found.query[known]], found.topic[known]
    (one, count), (other, _) = (
        compare_topics(
            values[known],
            cluster,
            topic,
            permutations=permutations,
            fewest=fewest,
            rng=study.make_rng("blame permutations"),
            twice=measure_mutual(asked, study.settings.k),
            beat=study.beat,
        )
        for values in (found.excess, found.reached)
    )
    return np.maximum(one, other), count


def measure_mutual(asked: ModeQueries, k: int) -> float:
    """Of the first k results of query clips, the share of those that find the query in turn and
    are of another cluster: such a pair says one thing twice. 0 for texts."""
    own = asked.own_rows
    if own is None:
        return 0.0
    clips, _ = asked.top(k)
    size = int(max(own.max(initial=0), clips.max(initial=0))) + 1
    cluster = np.full(size, -1)
    cluster[own] = asked.clusters
    there = clips >= 0
    from_, to = np.broadcast_to(own[:, None], clips.shape)[there], clips[there]
    apart = (cluster[to] >= 0) & (cluster[to] != cluster[from_])
    back = np.isin(from_ * size + to, to * size + from_)
    return float((back & apart).mean()) if len(back) else 0.0
