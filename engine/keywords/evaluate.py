"""The two algorithms, text to video and video to video, over a query set.

Queries stream through in chunks: encode, search, judge, score, keep the top K and the per-query
values. Memory does not grow with queries × collection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from engine.base.arrays import Ints
from engine.base.choices import Mode
from engine.base.errors import InputError
from engine.base.progress import ProgressHook, Step
from engine.base.ranking import Ranking
from engine.dataset.collection import Collection
from engine.dataset.query_set import QuerySet
from engine.keywords.first_hits import find_first_hits
from engine.keywords.judge import JudgedRanking, judge
from engine.keywords.searching import (
    PartRankings,
    adapt_policies,
    count_reachable,
    find_sources,
    rank_parts,
)
from engine.keywords.shuffled import ChanceTrial
from engine.metrics import (
    Measure,
    Scores,
    find_required_depth,
    score,
)
from engine.metrics.chance import ChanceLevels, ChanceTest, compute_chance
from engine.metrics.policies import KEYWORD_POLICIES, Policies
from engine.results.first_hits import FirstHits
from engine.text.encoder import TextEncoder

FULL_RANKING_LIMIT = 20_000
"""Largest collection whose whole ranking is computed when a measure needs it."""

TREC_DEPTH = 1_000
"""Depth to which a larger collection is ranked instead, as TREC does; results say so."""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Per-query scores of one query set against one collection, and the top K behind them.

    chance      what random rankings would score
    tested      how sure it is that the scores are above that; None: that was not tested
    first_hits  where each query's first hit stands, if within 500 results; None: nobody looked
    """

    queries: QuerySet
    scores: Scores
    judged: JudgedRanking
    policies: Policies
    depth: int
    complete: bool
    chance: ChanceLevels | None = None
    tested: ChanceTest | None = None
    first_hits: FirstHits | None = None

    @property
    def mode(self) -> Mode:
        return self.queries.mode

    @property
    def skipped(self) -> dict[str, int]:
        """How many queries do not count, by reason."""
        return {"no_keyword": len(self.queries.left_out), "no_relevant": self.scores.skipped}


def evaluate(
    collection: Collection,
    queries: QuerySet,
    measures: Sequence[Measure],
    *,
    k: int,
    encoder: TextEncoder | None = None,
    policies: Policies = KEYWORD_POLICIES,
    depth: int | None = None,
    report: ProgressHook | None = None,
) -> Evaluation:
    """Search, judge and score every query; `k` results of each are kept.

    Texts need an `encoder`; clips are searched by their stored vectors.
    """
    if not len(queries):
        raise InputError(
            "no query is left to evaluate: none has a keyword of the chosen groups",
            hint="choose other groups or keywords",
        )
    policies = adapt_policies(collection, policies)
    check_measures(measures, policies)
    reachable = count_reachable_clips(collection, queries, policies)
    depth = choose_ranking_depth(measures, k, reachable, depth, clips=len(collection))
    chunks: list[tuple[Scores, JudgedRanking, FirstHits]] = []
    chances: list[ChanceLevels] = []
    has_chance = has_chance_levels(policies)
    trial = ChanceTrial.plan(
        collection.truth,
        queries,
        measures if has_chance else (),
        policies,
        depth=depth,
        complete=depth >= reachable,
        own_removed=bool(_removes_own(queries, policies)),
    )
    done = 0
    for ranked in rank_parts(collection, queries, depth, encoder, policies):
        part, ranking = ranked.part, ranked.ranking
        scores, judged = assess(collection, queries, ranking, measures, policies, part=part)
        first_hits = find_first_hits(judged, partial(_judge_deeper, ranked, queries, policies))
        chunks.append((scores, judged.top(k), first_hits))
        if has_chance:
            chances.append(compute_judged_chance(judged, scores, policies, depth >= reachable))
        trial.keep(judged, part)
        done += len(ranking)
        if report:
            report(Step(queries.mode, "evaluating", done, len(queries)))
    all_scores, all_judged, all_first_hits = zip(*chunks, strict=True)
    judged, chance = JudgedRanking.concat(all_judged), None
    if has_chance:
        chance = ChanceLevels.concat(chances)
    return Evaluation(
        queries=queries,
        scores=Scores.concat(all_scores),
        judged=judged,
        policies=policies,
        depth=depth,
        complete=depth >= reachable,
        chance=chance,
        tested=None if chance is None else trial.carry_out(chance),
        first_hits=FirstHits.concat(all_first_hits),
    )


def check_measures(measures: Sequence[Measure], policies: Policies) -> None:
    """Refuse what cannot be counted where one clip of each source stays: a source that is returned
    with a clip that is no hit, and has one that would be, is found and missed at once."""
    uncounted = [measure for measure in measures if measure.name == "TN"]
    if policies.one_per == "source" and uncounted:
        raise InputError(
            f"{uncounted[0]} cannot be counted where one clip of each source stays",
            hint="leave it and --confusion out, or let each clip have its place",
        )


def has_chance_levels(policies: Policies) -> bool:
    """Whether it is known what random rankings would score.

    Where one clip of each source stays it is not: which clip of a source comes first, and how early
    a source comes, depends on how many clips it has, so that queries of one N and R differ.
    """
    return policies.one_per == "clip"


def compute_judged_chance(
    judged: JudgedRanking, scores: Scores, policies: Policies, complete: bool
) -> ChanceLevels:
    """What random rankings would score in place of these."""
    return compute_chance(
        judged.relevance(complete=complete, short=policies.fewer_than_k),
        scores.measures,
        no_relevant=policies.no_relevant,
        ties=policies.ties,
    )


def count_reachable_clips(collection: Collection, queries: QuerySet, policies: Policies) -> int:
    """How many clips a query can find: all, or all but the query clip; or how many sources."""
    policies = adapt_policies(collection, policies)
    sources, removed = find_sources(collection, policies), _removes_own(queries, policies)
    reachable = count_reachable(collection, sources, bool(removed))
    if reachable < 1 and sources is not None:
        raise InputError(
            "all clips are of one source: a clip that asks could find none",
            hint="name the source of each clip by a column or a pattern, or search without "
            "--one-per source",
        )
    if reachable < 1:
        raise InputError(
            "the collection has no other clip to find",
            collection.model.embeddings,
            hint="add embeddings of more annotated clips",
        )
    return reachable


def assess(
    collection: Collection,
    queries: QuerySet,
    ranking: Ranking,
    measures: Sequence[Measure],
    policies: Policies = KEYWORD_POLICIES,
    *,
    part: slice = slice(None),
) -> tuple[Scores, JudgedRanking]:
    """Judge and score the rankings of `queries[part]`."""
    policies = adapt_policies(collection, policies)
    removed = _removes_own(queries, policies)
    judged = judge(
        ranking,
        collection.truth,
        queries.bits[part],
        own_rows=queries.rows[part] if queries.rows is not None and removed else None,
        min_similarity=policies.min_similarity,
        relevance=policies.relevance,
        one_per=policies.one_per,
    )
    complete = ranking.depth >= count_reachable_clips(collection, queries, policies)
    return score_judged(judged, measures, policies, complete, queries.names[part]), judged


def score_judged(
    judged: JudgedRanking,
    measures: Sequence[Measure],
    policies: Policies,
    complete: bool,
    names: Sequence[str] | None = None,
) -> Scores:
    """Per-query values of judged rankings under the policies."""
    return score(
        judged.relevance(complete=complete, short=policies.fewer_than_k),
        measures,
        no_relevant=policies.no_relevant,
        ties=policies.ties,
        names=names,
    )


def _removes_own(queries: QuerySet, policies: Policies) -> int:
    return 1 if queries.rows is not None and policies.self_clip == "remove" else 0


def choose_ranking_depth(
    measures: Sequence[Measure],
    k: int,
    reachable: int,
    asked: int | None = None,
    *,
    clips: int | None = None,
) -> int:
    """How deep to rank so that k results are there and the measures see what they need; `clips`:
    how many must be ranked to reach all, if more than there are results."""
    if asked is not None and asked < k:
        raise InputError(f"a depth of {asked} is less than K = {k}", hint="rank at least K deep")
    needed = find_required_depth(measures)
    if needed is not None:
        depth = max(needed, k, asked or 0)
    elif asked is not None:
        depth = max(asked, *(measure.cutoff or 0 for measure in measures))
    else:
        is_small = max(reachable, clips or 0) <= FULL_RANKING_LIMIT
        depth = reachable if is_small else max(TREC_DEPTH, k)
    return min(depth, reachable)


def _judge_deeper(
    ranked: PartRankings, queries: QuerySet, policies: Policies, some: Ints, depth: int
) -> JudgedRanking:
    """Some queries of a part, ranked to a depth and judged."""
    bits, own = queries.bits[ranked.part][some], ranked.own_of(some)
    pieces = [
        judge(
            ranking,
            ranked.collection.truth,
            bits[piece],
            own_rows=None if own is None else own[piece],
            min_similarity=policies.min_similarity,
            relevance=policies.relevance,
            one_per=policies.one_per,
        )
        for piece, ranking in ranked.search_deeper(some, depth)
    ]
    return JudgedRanking.concat(pieces)
