"""Looks against meaning: is similar what looks alike, or what means the same?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.base.messages import pluralise
from engine.triage.analysis import Analysis
from engine.triage.finding import Exhibit, Finding, Topic, make_unknown
from engine.triage.study import Study
from engine.triage.wording import format_confidence, format_points, format_signed_points
from engine.triage.workings.look_balance import (
    FEWEST_SOURCES,
    LOOK_TESTS,
    Balance,
    LookBalance,
    measure_looks,
)
from engine.triage.workings.look_cost import LookCost, measure_look_cost

_NAME = "looks"

_MOST_SHOWN = 10
_MOST_GROUPS = 20
_LEAST = 0.05
"""An index nearer to 0 than this is no share to divide by."""

_HARMLESS = 1e-6
"""Points of m where looks cost none: no finding is worse for it, and none is undecided for it."""


_REMEDY = (
    "open the query clips whose wrong results look most alike; train on pairs of clips that look "
    "alike and mean something else"
)


def find_looks(study: Study) -> Iterator[Finding]:
    """One finding about all chosen keywords, one for each group of them, and one about the wrong
    results of query clips. The last is a test of another kind: Bonferroni over both."""
    if study.visual is None:
        yield make_unknown(
            _NAME,
            "No frames can be read, and no other model says how the clips look.",
            "name a model of how clips look: --visual MODEL",
        )
        return
    balance = study.once(measure_looks)
    if balance is None:
        yield make_unknown(
            _NAME,
            f"Clips with a look and a keyword come from fewer than {FEWEST_SOURCES} sources: "
            "too few to tell looks from meaning.",
            f"study clips of at least {FEWEST_SOURCES} sources",
        )
        return
    cost = study.once(measure_look_cost)
    if cost is not None and np.isfinite(cost.points).any():
        yield _describe_cost(study, balance, cost)
    yield _describe(study, balance, balance.whole, cost)
    groups = balance.groups if len(balance.groups) > 1 else ()
    for one in sorted(groups, key=lambda one: -one.index.value)[:_MOST_GROUPS]:
        yield _describe(study, balance, one, cost)


def _describe(study: Study, balance: LookBalance, one: Balance, cost: LookCost | None) -> Finding:
    topic = Topic("model") if one.group is None else Topic("group", (one.group,))
    points = _count_points(study, one, cost)
    looks = balance.looks.correlation
    shares = (
        f"index {format_signed_points(one.index.value, 2)} "
        f"({format_confidence(one.index.interval, 2)}), partial ρ {format_points(looks, 2)} with "
        f"looks, {format_points(one.meaning, 2)} with "
    )
    shares += "keywords." if one.group is None else f"{topic.label}."
    return Finding(
        analysis=_NAME,
        subject=topic,
        claim=_claim(one, topic, shares),
        otherwise=_say_otherwise(one, topic, shares),
        unsure=f"Whether the similarity follows looks more than "
        f"{'meaning' if one.group is None else topic.label} is open: {shares}",
        effect=one.index.value,
        unit="index",
        interval=one.index.interval,
        # Both must be shown. Whether looks matter at all is one hypothesis for all balances.
        p=_correct(max(_read_p(balance.looks.p), one.p)),
        cost=_scale_cost(one, points),
        support=len(balance.clips),
        support_of="clip",
        share=1.0,
        chosen_from=1 if one.group is None else len(balance.groups),
        evidence=_show(study, cost),
        remedy=_REMEDY,
        numbers=_list_numbers(balance, one, points, cost),
        notes=_list_notes(study, balance, cost),
        draws=one.index.draws,
    )


def _describe_cost(study: Study, balance: LookBalance, cost: LookCost) -> Finding:
    lost, measure = cost.lost, study.settings.measure
    looked = int(np.count_nonzero(np.isfinite(cost.points)))
    shares = (
        f"in {100 * cost.nearer:.0f} % of comparisons they look more like the query clip than "
        f"relevant clips that were missed, clips that share as much with it in "
        f"{100 * cost.chance:.0f} %"
        if np.isfinite(cost.nearer)
        else "there are no wrong results to compare"
    )
    points = f"{format_points(lost.value)}, {format_confidence(lost.interval)}"
    return Finding(
        analysis=_NAME,
        subject=Topic("model"),
        mode="video",
        claim=f"Wrong results look alike: {shares}, which may cost up to "
        f"{format_points(lost.value)} of {measure} ({format_confidence(lost.interval)}).",
        otherwise=f"Looks cost nothing: {points} of {measure}, {shares}.",
        unsure=f"Whether looks cost anything cannot be told: {points} of {measure}, {shares}.",
        effect=lost.value,
        unit=measure,
        interval=lost.interval,
        p=_correct(cost.p),
        cost=1.0,
        support=looked,
        share=1.0,
        evidence=_show(study, cost),
        remedy=_REMEDY,
        numbers=(
            ("wrong results that look more alike than missed ones", cost.nearer),
            ("the same of clips that share as much", cost.chance),
        ),
        notes=_list_cost_notes(balance, cost, looked)
        + study.note_permutations(LOOK_TESTS, study.choose_permutations(LOOK_TESTS)),
        draws=lost.draws,
    )


def _list_cost_notes(balance: LookBalance, cost: LookCost, looked: int) -> tuple[str, ...]:
    notes = [f"Looks by {balance.reference}; results of the query clip's source are left out."]
    if looked < len(cost.asked):
        notes.append(f"{looked:,} of {pluralise(len(cost.asked), 'query')} were looked at.")
    return tuple(notes)


def _correct(p: float) -> float:
    return min(1.0, LOOK_TESTS * p)


def _claim(one: Balance, topic: Topic, shares: str) -> str:
    if one.group is None:
        return f"The similarity follows looks beyond meaning: {shares}"
    return f"The similarity follows looks more than {topic.label}: {shares}"


def _say_otherwise(one: Balance, topic: Topic, shares: str) -> str:
    meaning = "meaning" if one.group is None else topic.label
    if one.index.interval.high < 0:
        return f"The similarity follows {meaning} more than looks: {shares}"
    return f"Looks cost nothing, whether or not they weigh more than {meaning}: {shares}"


def _read_p(p: float) -> float:
    """Where similarity or looks do not vary, nothing follows them."""
    return p if np.isfinite(p) else 1.0


def _count_points(study: Study, one: Balance, cost: LookCost | None) -> float:
    """Points of m that went to looks; NaN where no clip asks."""
    if cost is None or not np.isfinite(cost.points).any():
        return float("nan")
    if one.group is None:
        return cost.lost.value
    return float(np.nanmean(cost.by_group[:, study.groups.index(one.group)]))


def _scale_cost(one: Balance, points: float) -> float:
    """So that the harm is the points that went to looks."""
    if one.index.interval.high < 0 or points <= 0:
        return _HARMLESS
    return points / max(one.index.value, _LEAST) if np.isfinite(points) else 0.0


def _show(study: Study, cost: LookCost | None) -> Exhibit:
    """The query clips whose wrong results look most alike, and for each the one that does most."""
    if cost is None:
        return Exhibit()
    worst = cost.misled[:_MOST_SHOWN]
    queries = tuple(cost.asked.queries.names[query] for query, _ in worst)
    return Exhibit(queries, tuple(dict.fromkeys(study.truth.ids[clip] for _, clip in worst)))


def _list_numbers(
    balance: LookBalance, one: Balance, points: float, cost: LookCost | None
) -> tuple[tuple[str, float], ...]:
    found = [
        ("partial ρ with looks", balance.looks.correlation),
        ("p of the looks", balance.looks.p),
        ("partial ρ with keywords", one.meaning),
        ("pairs", float(balance.looks.pairs)),
    ]
    if cost is not None:
        found.append(("points that went to looks", points))
    return tuple(found)


def _list_notes(study: Study, balance: LookBalance, cost: LookCost | None) -> tuple[str, ...]:
    total = len(study.collection)
    notes = [f"Looks by {balance.reference}; pairs of clips of one source are left out."]
    if len(balance.clips) < total:
        notes.append(
            f"{len(balance.clips):,} of {total:,} clips were compared, each with each: a sample of "
            "those with a look and a keyword."
        )
    notes += study.note_permutations(LOOK_TESTS, balance.permutations)
    if cost is None:
        notes.append("What looks cost is not estimated: no clip asks.")
    return tuple(notes)


LOOKS = Analysis(
    _NAME,
    "Does the similarity follow how clips look rather than what they mean?",
    "Partial Spearman of similarity with looks given keyword overlap (Jaccard), and with overlap "
    "given looks, over pairs of clips of different sources; index (ρ_look − ρ_mean) / "
    "(|ρ_look| + |ρ_mean|). Mantel's permutation of whole sources, bootstrap of sources.",
    f"Frames, or a second model, for clips of at least {FEWEST_SOURCES} sources.",
    find_looks,
)
