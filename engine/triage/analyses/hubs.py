"""Hubs: clips that are near to everything, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.base.arrays import Bools
from engine.base.messages import format_percentage, pluralise
from engine.triage.analysis import Analysis
from engine.triage.finding import Exhibit, Finding, Topic, make_unknown
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Study
from engine.triage.wording import format_points, format_signed_points
from engine.triage.workings.crowd_scores import (
    CROWD_WEIGHTS,
    HubLoss,
    count_needed_queries,
    measure_hub_loss,
)
from engine.triage.workings.hubness import Hubness, measure_hubness
from engine.triage.workings.paired_loss import (
    PairedLoss,
    describe_no_loss,
    format_loss,
    measure_paired_loss,
)

_MOST_SHOWN = 10


def find_hubs(study: Study) -> Iterator[Finding]:
    for mode, asked in enumerate(study.asked):
        loss = study.once(measure_hub_loss, mode)
        if loss is None:
            least = count_needed_queries(study)
            yield make_unknown(
                "hubs",
                f"What hubs cost cannot be told from {pluralise(len(asked), 'query')}: one half "
                "has to correct the other.",
                f"ask at least {least} {asked.mode} queries",
                mode=asked.mode,
            )
            continue
        modes = len(study.asked)
        lost = measure_paired_loss(study, asked, loss.now, loss.chosen, f"hubs {asked.mode}", modes)
        yield _describe(study, asked, loss, lost, study.once(measure_hubness, mode))


def _describe(
    study: Study, asked: ModeQueries, loss: HubLoss, lost: PairedLoss, hubness: Hubness
) -> Finding:
    settings, effect = study.settings, lost.effect
    gains = {name: float(np.nanmean(loss.corrected[name] - loss.now)) for name in CROWD_WEIGHTS}
    notes = [
        f"{name} changes {settings.measure} by {format_signed_points(gain)}"
        for name, gain in gains.items()
    ]
    if loss.looked_at < len(asked):
        notes.append(f"a sample of {loss.looked_at:,} of {pluralise(len(asked), 'query')}")
    nothing, unsure = describe_no_loss("Hubs", lost)
    return Finding(
        analysis="hubs",
        subject=Topic("model"),
        mode=asked.mode,
        claim=f"Hubs cost {format_loss(lost)} of {settings.measure}: {_describe_places(hubness)}.",
        otherwise=nothing,
        unsure=unsure,
        effect=effect.value,
        unit=settings.measure,
        interval=effect.interval,
        p=min(1.0, len(study.asked) * lost.p),
        cost=1.0,
        support=lost.support,
        share=1.0,
        evidence=_collect_evidence(study, asked, hubness),
        remedy=_choose_remedy(loss.better, hubness),
        numbers=(
            *((f"{settings.measure} gained by {name}", gain) for name, gain in gains.items()),
            ("skewness", hubness.skewness),
            ("skewness by chance", float(hubness.by_chance[0])),
            ("p of the skewness", hubness.p),
            ("Robin Hood index", hubness.robin_hood),
            ("Robin Hood index by chance", float(hubness.by_chance[1])),
            ("hubs", float(hubness.hubs)),
            ("share of the hubs", hubness.hub_share),
            ("antihubs", float(hubness.antihubs)),
            ("antihubs by chance", float(hubness.by_chance[2])),
            ("share of the top 1 %", hubness.top_share),
            ("share of the top 1 % by chance", float(hubness.by_chance[3])),
        ),
        notes=(*notes, *study.note_permutations(len(study.asked), lost.permutations)),
        draws=effect.draws,
    )


def _describe_places(hubness: Hubness) -> str:
    """Who has the first places, and who would by chance."""
    share, chance = hubness.top_share, float(hubness.by_chance[3])
    return (
        f"the 1 % of clips found most often fill {format_percentage(share) or '0'} % of all places "
        f"among the first {hubness.k}, by chance {format_percentage(chance) or '0'} %"
    )


def _choose_remedy(better: str, hubness: Hubness) -> str:
    weight = format_points(CROWD_WEIGHTS[better], 2)
    return (
        f"look at the worst hub clips; to undo them, rank by {better}: take {weight} × a clip's "
        f"mean similarity to its {hubness.k} nearest logged queries from each of its scores"
    )


def _collect_evidence(study: Study, asked: ModeQueries, hubness: Hubness) -> Exhibit:
    """The clips that most queries get for nothing, and the queries that get them."""
    worst = hubness.find_worst(_MOST_SHOWN)
    indices, hits = asked.top(study.settings.k)
    misled: Bools = np.isin(indices, worst) & ~hits
    return Exhibit(
        asked.worst(misled.sum(axis=1) > 0, _MOST_SHOWN),
        tuple(study.truth.ids[row] for row in worst.tolist()),
    )


HUBS = Analysis(
    "hubs",
    "Are some clips among the results of everything, and what does that cost?",
    "N_k, the number of queries that have a clip among their first k, against random results; m "
    "after CSLS (2s − r(q) − r(x)) or nearest-neighbour normalisation (s − 0.75 r(x)), the better "
    "one chosen on other queries, minus m; r is the mean similarity to the k nearest queries of "
    "the other half. Clustered sign flips.",
    "22 queries of a mode.",
    find_hubs,
)
