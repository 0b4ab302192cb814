"""Minimal pairs: which keywords the similarity tells apart, all else being equal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.base.arrays import Bools, Ints
from engine.base.choices import Mode
from engine.stats import holm
from engine.triage.analysis import Analysis
from engine.triage.finding import Exhibit, Finding, Topic, make_finding_id, make_unknown
from engine.triage.study import Study
from engine.triage.workings.swap_loss import SwapLoss, measure_swap_loss
from engine.triage.workings.swap_shares import (
    FEWEST_PARTS,
    FEWEST_TRIALS,
    TOLD_APART,
    SwapShare,
    list_shares,
)
from engine.triage.workings.swap_trials import MOST_SWAPPED, TrialKind, collect_trials

_NAME = "pairs"

_CHANCE = 0.5
_MOST_FOUND = 20
_MOST_SHOWN = 10
_HARMLESS = 1e-6
_KINDS: tuple[TrialKind, ...] = ("video", "text", "reverse")


def find_pairs(study: Study) -> Iterator[Finding]:
    """One finding for all pairs of a mode and for each group, and one for each keyword, and each
    two of them, that may not be told apart. All that were tested are one family, by Holm."""
    shares: list[SwapShare] = []
    for kind in _KINDS:
        trials = study.once(collect_trials, kind)
        study.beat()
        if trials is not None:
            shares += list_shares(study, trials)
    for mode in dict.fromkeys(asked.mode for asked in study.asked):
        if not any(_find_mode(one) == mode for one in shares):
            yield _say_unknown(mode)
    corrected = holm([one.tail for one in shares])
    # Groups and all pairs are always listed; of keywords and pairs of them the worst.
    keywords = {
        kind: sum(one.topic.kind == "keyword" and one.trials.kind == kind for one in shares)
        for kind in _KINDS
    }
    shown: dict[tuple[TrialKind, str, int], int] = {}
    for place in np.lexsort((np.array([one.value for one in shares]), corrected)).tolist():
        one = shares[place]
        key = one.trials.kind, one.topic.kind, len(one.topic.names)
        shown[key] = shown.get(key, 0) + 1
        wanted = make_finding_id(_NAME, _find_mode(one), one.topic.names) in study.wanted
        harmless = one.topic.kind == "keyword" and one.value >= TOLD_APART
        if wanted or (not harmless and shown[key] <= _MOST_FOUND):
            is_chosen = one.topic.kind == "keyword"
            chosen_from = keywords[one.trials.kind] if is_chosen else 1
            yield _describe(study, one, float(corrected[place]), chosen_from)


def _say_unknown(mode: Mode) -> Finding:
    asks = "third clip" if mode == "video" else "text"
    return make_unknown(
        _NAME,
        f"There are too few pairs of clips that differ in one keyword, with a {asks} that asks: "
        f"{FEWEST_TRIALS} pairs of {FEWEST_PARTS} clips are the least.",
        "study more clips, or fewer groups: of fewer keywords, more clips differ in one",
        mode=mode,
    )


def _find_mode(one: SwapShare) -> Mode:
    return "video" if one.trials.kind == "video" else "text"


def _name(one: SwapShare) -> str:
    if one.topic.kind == "group":
        return f"Keywords of {one.topic.label}"
    if one.topic.kind == "keyword":
        names = [f"“{name.partition(':')[2]}”" for name in one.topic.names]
        return " and ".join(names) if len(names) > 1 else f"{names[0]} and other keywords"
    differ = "Texts" if one.trials.kind == "reverse" else "Clips"
    return f"{differ} that differ in one keyword"


def _describe(study: Study, one: SwapShare, p: float, chosen_from: int) -> Finding:
    trials, interval, label = one.trials, one.interval, _name(one)
    ends = " to ".join(f"{100 * end:.0f}" for end in (interval.low, interval.high))
    share = (
        f"by {'texts' if trials.kind == 'text' else 'clips'} in {100 * one.value:.0f} % of "
        f"{len(one.own):,} pairs ({100 * interval.level:g} % CI {ends}; chance 50)."
    )
    lowered = label if label.startswith("“") else label[:1].lower() + label[1:]
    points = _count_points(study, one)
    return Finding(
        analysis=_NAME,
        subject=one.topic,
        mode=_find_mode(one),
        claim=f"{label} are hardly told apart: {share}",
        otherwise=f"{label} are told apart {share}"
        if interval.low >= TOLD_APART
        else f"{label} cost nothing, as hardly a place went to such swaps: told apart {share}",
        unsure=f"Whether {lowered} are told apart well is open: {share}",
        effect=one.value,
        unit="share of pairs",
        interval=interval,
        p=p,
        # Of guessing, all places that went to swaps are the cost; of the limit, none.
        cost=-max(points, _HARMLESS) / (TOLD_APART - min(_CHANCE, one.value)),
        limit=TOLD_APART,
        support=len(one.own),
        support_of="pair",
        share=1.0,
        chosen_from=chosen_from,
        evidence=_show(study, one),
        remedy="train on such pairs; until then filter the results by these keywords, or accept "
        "either of them",
        numbers=(
            ("median margin", float(np.median(trials.margins[one.own]))),
            ("independent pairs that these are worth", one.worth),
            ("points that went to clips with one keyword swapped", points),
        ),
        notes=_list_notes(study, one),
        draws=one.draws,
    )


def _count_points(study: Study, one: SwapShare) -> float:
    """Points of m that went to the swaps that the trials are of."""
    own, modes = _find_mode(one), [asked.mode for asked in study.asked]
    loss = study.once(measure_swap_loss, modes.index(own))
    return loss.average(_select(study, loss, one.topic))


def _select(study: Study, loss: SwapLoss, topic: Topic) -> Bools:
    words = study.truth.words
    if topic.kind == "group":
        columns: Ints = study.columns_of(topic.names[0])
        return np.isin(loss.right, columns)
    if topic.kind == "keyword":
        columns = np.array([words.column_of[words.find(name)] for name in topic.names])
        right, wrong = np.isin(loss.right, columns), np.isin(loss.wrong, columns)
        return right & wrong if len(columns) > 1 else right | wrong
    return np.ones(len(loss.right), np.bool_)


def _show(study: Study, one: SwapShare) -> Exhibit:
    """The trials that were lost by most."""
    trials = one.trials
    margins = trials.margins[one.own]
    worst = one.own[np.argsort(margins, kind="stable")]
    worst = worst[trials.margins[worst] < 0][: 4 * _MOST_SHOWN]
    if trials.kind == "video":
        names = [study.truth.ids[row] for row in trials.asker[worst].tolist()]
    else:
        asked = next(asked for asked in study.asked if asked.mode == "text")
        names = [asked.queries.names[row] for row in trials.asker[worst].tolist()]
    clips = [study.truth.ids[row] for row in trials.clip[worst].tolist()]
    return Exhibit(
        tuple(dict.fromkeys(names))[:_MOST_SHOWN], tuple(dict.fromkeys(clips))[:_MOST_SHOWN]
    )


def _list_notes(study: Study, one: SwapShare) -> tuple[str, ...]:
    notes = [
        f"Pairs share clips: they are worth {one.worth:,.0f} that do not, which the interval and p "
        "are of."
    ]
    total = len(study.collection)
    if total > MOST_SWAPPED and one.trials.kind != "reverse":
        notes.append(f"They are of a sample of {MOST_SWAPPED:,} of {total:,} clips.")
    return tuple(notes)


MINIMAL_PAIRS = Analysis(
    _NAME,
    "Which keywords are told apart, all else being equal?",
    "Of two clips (two texts) that differ in one keyword, the share in which the right one is more "
    f"similar; hardly told apart: below {TOLD_APART:.0%}, one-sided binomial test of the trials' "
    "worth, since they share clips; Holm over groups, keywords and pairs of keywords.",
    f"At least {FEWEST_TRIALS} such pairs, of {FEWEST_PARTS} clips.",
    find_pairs,
)
