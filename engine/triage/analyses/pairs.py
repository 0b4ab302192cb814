"""Minimal pairs: which keywords the similarity tells apart, all else being equal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.choices import Mode
from engine.stats import Interval, holm
from engine.stats.shares import bound_shares, compute_tail
from engine.triage.analyses.swap_loss import SwapLoss, measure_swap_loss
from engine.triage.analyses.swap_trials import (
    MOST_CLIPS,
    SwapTrials,
    TrialKind,
    collect_trials,
)
from engine.triage.analysis import Analysis
from engine.triage.effect import Resamples, choose_needed
from engine.triage.finding import Exhibit, Finding, Topic, make_unknown
from engine.triage.study import Study

NAME = "pairs"

TOLD_APART = 0.75
"""Half way from guessing to never being wrong: a smaller share is a problem."""

_CHANCE = 0.5
_FEWEST = 10
_MOST_TESTED = 60
_MOST_FOUND = 20
_MOST_SHOWN = 10
_HARMLESS = 1e-6
_PRECISE = 0.1
_KINDS: tuple[TrialKind, ...] = ("video", "text", "reverse")


@dataclass(frozen=True, slots=True, eq=False)
class _Share:
    """What one finding is about: trials that share nothing, and all that there were."""

    topic: Topic
    label: str
    trials: SwapTrials
    apart: Ints
    all: Ints
    tail: float

    @property
    def value(self) -> float:
        return float(self.trials.wins[self.apart].mean())


def find_pairs(study: Study) -> Iterator[Finding]:
    """One finding for all pairs of a mode and for each group, and one for each keyword, and for each
    two of them, that may not be told apart. All that were tested are one family, by Holm."""
    shares: list[_Share] = []
    for kind in _KINDS:
        trials = study.once(collect_trials, kind)
        study.beat()
        if trials is not None:
            shares += _list_shares(study, trials)
    for mode in dict.fromkeys(asked.mode for asked in study.asked):
        if not any(_find_mode(one.trials.kind) == mode for one in shares):
            yield _say_unknown(mode)
    corrected = holm([one.tail for one in shares])
    shown: dict[tuple[TrialKind, str], int] = {}
    for place in np.lexsort(([one.value for one in shares], corrected)).tolist():
        one, key = shares[place], (shares[place].trials.kind, shares[place].topic.kind)
        single = one.topic.kind == "keyword"
        if single:
            key = (one.trials.kind, f"keyword {len(one.topic.names)}")
        shown[key] = shown.get(key, 0) + 1
        if shown[key] > _MOST_FOUND or (single and one.value >= TOLD_APART):
            continue
        yield _describe(study, one, float(corrected[place]))


def _say_unknown(mode: Mode) -> Finding:
    asks = "clips, with a third that asks," if mode == "video" else "clips, with a text that asks,"
    return make_unknown(
        NAME,
        f"There are fewer than {_FEWEST} pairs of {asks} that differ in one keyword and share "
        "nothing: what is told apart is not known.",
        "study more clips, or fewer groups: of fewer keywords more clips are equal",
        mode=mode,
    )


def _find_mode(kind: TrialKind) -> Mode:
    return "video" if kind == "video" else "text"


def _list_shares(study: Study, trials: SwapTrials) -> list[_Share]:
    """All trials, those of each group, of each keyword, and of each two keywords; of the last two
    kinds those with most trials. What is tested never depends on who wins."""
    words, every = study.truth.words, np.arange(len(trials))
    pairs = np.sort(np.column_stack([trials.right, trials.wrong]), axis=1)
    whole = Topic("model", () if trials.kind != "reverse" else ("texts",))
    families: list[list[tuple[Topic, str, Ints]]] = [[(whole, "", every)]]
    if trials.kind != "reverse":
        families += [
            [
                (topic, f"Keywords of {topic.label}", np.flatnonzero(trials.group == number))
                for number in np.unique(trials.group).tolist()
                for topic in [Topic("group", (words.groups[number],))]
            ],
            [
                (Topic("keyword", (str(words.keywords[column]),)), "", own)
                for column in np.unique(pairs).tolist()
                for own in [np.flatnonzero((pairs == column).any(axis=1))]
            ],
            [
                (Topic("keyword", tuple(str(words.keywords[c]) for c in both)), "", own)
                for both in np.unique(pairs, axis=0).tolist()
                for own in [np.flatnonzero((pairs == both).all(axis=1))]
            ],
        ]
    found = []
    for family in families:
        able = [one for one in family if len(one[2]) >= _FEWEST]
        measured = [_measure(trials, *one) for one in able]
        several = [one for one in measured if len(one.apart) >= _FEWEST]
        found += sorted(several, key=lambda one: -len(one.apart))[:_MOST_TESTED]
    return found


def _measure(trials: SwapTrials, topic: Topic, label: str, own: Ints) -> _Share:
    apart = trials.choose_apart(own.tolist())
    lost = float(len(apart) - trials.wins[apart].sum())
    tail = compute_tail(np.array([lost]), np.array([len(apart)]), np.array([1 - TOLD_APART]))
    return _Share(topic, label or _name(trials, topic), trials, apart, own, float(tail[0]))


def _name(trials: SwapTrials, topic: Topic) -> str:
    if topic.kind == "keyword":
        names = [f"“{name.partition(':')[2]}”" for name in topic.names]
        return " and ".join(names) if len(names) > 1 else f"{names[0]} and other keywords"
    return (
        "Texts that differ in one keyword"
        if trials.kind == "reverse"
        else ("Clips that differ in one keyword")
    )


def _describe(study: Study, one: _Share, p: float) -> Finding:
    settings, trials = study.settings, one.trials
    wins, count = trials.wins[one.apart], len(one.apart)
    interval = _bound(float(wins.sum()), count, settings.level)
    ends = " to ".join(f"{100 * end:.0f}" for end in (interval.low, interval.high))
    by = {"video": "by clips", "text": "by texts", "reverse": "by clips"}[trials.kind]
    share = (
        f"{by} in {100 * one.value:.0f} % of {count:,} pairs ({100 * interval.level:g} % CI "
        f"{ends}; chance 50)."
    )
    points = _count_points(study, one)
    resamples = Resamples.draw(np.arange(count), settings.resamples, settings.seed, settings.level)
    return Finding(
        analysis=NAME,
        subject=one.topic,
        mode=_find_mode(trials.kind),
        claim=f"{one.label} are hardly told apart: {share}",
        otherwise=f"{one.label} are told apart {share}"
        if interval.low >= TOLD_APART
        else f"Whether {_lower(one.label)} are told apart well is open: {share}",
        effect=one.value,
        unit="share of pairs",
        interval=interval,
        p=p,
        # Of guessing, all places that went to swaps are the cost; of this limit, none.
        cost=-max(points, _HARMLESS) / (TOLD_APART - _CHANCE),
        limit=TOLD_APART,
        support=count,
        support_of="pair",
        share=1.0,
        needed=choose_needed(count, interval, _PRECISE),
        evidence=_show(study, one),
        remedy="train on such pairs; until then filter the results by these keywords, or accept "
        "either of them",
        numbers=(
            ("median margin", float(np.median(trials.margins[one.apart]))),
            (
                "share of all pairs, also of those that share clips",
                float(trials.wins[one.all].mean()),
            ),
            ("all pairs", float(len(one.all))),
            ("points that went to clips with one keyword swapped", points),
        ),
        notes=_list_notes(study, one),
        draws=resamples.mean(wins).draws,
    )


def _lower(label: str) -> str:
    return label if label.startswith("“") else label[:1].lower() + label[1:]


def _bound(won: float, count: int, level: float) -> Interval:
    low, high = bound_shares(np.array([won]), np.array([float(count)]), np.array([1 - level]))
    return Interval(float(low[0]), float(high[0]), level)


def _count_points(study: Study, one: _Share) -> float:
    """Points of m that went to the swaps that the trials are of."""
    kind = _find_mode(one.trials.kind)
    mode = next(place for place, asked in enumerate(study.asked) if asked.mode == kind)
    loss = study.once(measure_swap_loss, mode)
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


def _show(study: Study, one: _Share) -> Exhibit:
    """The trials that were lost by most."""
    trials = one.trials
    margins: Floats = trials.margins[one.all]
    worst = one.all[np.argsort(margins, kind="stable")]
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


def _list_notes(study: Study, one: _Share) -> tuple[str, ...]:
    notes = [
        f"Counted over pairs that share no clip, text or recording; in all {len(one.all):,} were "
        "drawn."
    ]
    total = len(study.collection)
    if total > MOST_CLIPS and one.trials.kind != "reverse":
        notes.append(f"They are of a sample of {MOST_CLIPS:,} of {total:,} clips.")
    return tuple(notes)


ANALYSIS = Analysis(
    NAME,
    "Which keywords are told apart, all else being equal?",
    "Of two clips (two texts) that differ in one keyword, the share in which the right one is more "
    f"similar; hardly told apart: below {TOLD_APART:.0%}, one-sided binomial test over pairs that "
    "share nothing, Holm over groups, keywords and pairs of keywords.",
    f"At least {_FEWEST} such pairs.",
    find_pairs,
)
