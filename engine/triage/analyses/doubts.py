"""Which labels are probably missing or wrong, and how far could that move m?

Nothing is tested: a clip that is hard to see and a label that is wrong look the same to whoever
looks a second time, so how many doubts right labels would raise is not known. Only a person who
opens the clips can tell, and the most doubtful are named first for that.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.base.arrays import Ints
from engine.base.messages import pluralise
from engine.triage.analysis import Analysis
from engine.triage.finding import Exhibit, Finding, Topic, make_unknown
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Study
from engine.triage.wording import format_confidence, format_points
from engine.triage.workings.corrected_labels import CorrectedMode, correct_labels
from engine.triage.workings.label_doubts import KNOWN_AUC, LabelDoubts, measure_doubts
from engine.triage.workings.readability import FEWEST_KEYWORD_SOURCES

_NAME = "doubts"

_MOST_KEYWORDS = 10
_SHOWN = 10
_NAMED = 8
_REMEDY = "open these clips and correct the annotations that are wrong, the first ones first"


def find_doubts(study: Study) -> Iterator[Finding]:
    """What the doubts could do to each mode, and the keywords that have most of them."""
    if study.second is None:
        yield make_unknown(
            _NAME,
            "Whether labels are missing or wrong is not known: the model must not judge itself, "
            "and nothing else looked at the clips.",
            "name --visual MODEL or add a second model",
        )
        return
    doubts = study.once(measure_doubts)
    if not len(doubts.judged):
        yield make_unknown(
            _NAME,
            f"Whether labels are missing or wrong is not known: {study.second.name} knows none of "
            "the keywords well enough to contradict a label.",
            "name --visual MODEL or add a second model that sees what the keywords say",
        )
        return
    for asked in study.asked:
        study.beat()
        yield _describe_mode(study, asked, doubts)
    columns, counts = np.unique(doubts.columns, return_counts=True)
    for place in np.argsort(-counts, kind="stable")[:_MOST_KEYWORDS].tolist():
        yield _describe_keyword(study, doubts, int(columns[place]))


def _describe_mode(study: Study, asked: ModeQueries, doubts: LabelDoubts) -> Finding:
    corrected = correct_labels(study, asked, doubts)
    measure = study.settings.measure
    wrong, total = int(doubts.wrong.sum()), doubts.clips * len(doubts.judged)
    looked = _name_second(study)
    changed = np.flatnonzero(~np.isclose(asked.values, corrected.values, equal_nan=True))
    share = len(changed) / max(1, len(asked))
    return Finding(
        analysis=_NAME,
        subject=Topic("model"),
        mode=asked.mode,
        claim=f"Of {total:,} labels, {looked} contradicts {len(doubts):,}: "
        f"{len(doubts) - wrong:,} are probably missing and {wrong:,} probably wrong; corrected, "
        f"they would move the {measure} of {asked.mode} queries from "
        f"{format_points(corrected.now)} to {format_points(corrected.then)} "
        f"(one kind alone, or none: {format_confidence(corrected.between)}).",
        otherwise=f"Of {total:,} labels, {looked} contradicts none "
        f"({pluralise(len(doubts.judged), 'keyword')}, {doubts.clips:,} clips).",
        effect=corrected.moved,
        unit=measure,
        interval=corrected.range,
        # The effect is of all queries; only those of the share moved.
        cost=1 / share if share else 0.0,
        support=int(asked.counted.sum()),
        share=share,
        evidence=Exhibit(_name_moved(asked, corrected, changed), _name_clips(study, doubts)),
        remedy=_REMEDY,
        numbers=(
            ("labels", float(total)),
            ("missing", float(len(doubts) - wrong)),
            ("wrong", float(wrong)),
            ("now", corrected.now),
            ("corrected", corrected.then),
        ),
        notes=_note(study, doubts),
        outcome="fact" if len(doubts) else "nothing",
    )


def _describe_keyword(study: Study, doubts: LabelDoubts, column: int) -> Finding:
    own = doubts.of(column)
    wrong = int(doubts.wrong[own].sum())
    keyword = study.truth.words.keywords[column]
    having = int(study.unpack(np.array([column])).sum())
    first = own[0]
    p = float(doubts.probability[first])
    label = f"“{keyword.name}”"
    claim = (
        f"{label} is probably missing from {pluralise(len(own) - wrong, 'clip')} and probably "
        f"wrong of {wrong:,} of its {having:,}, as {_name_second(study)} sees it; the most "
        f"doubtful, {study.truth.ids[int(doubts.rows[first])]}, has it with a probability of "
        f"{format_points(p, 2)}."
    )
    return Finding(
        analysis=_NAME,
        subject=Topic("keyword", (str(keyword),)),
        claim=claim,
        otherwise=claim,
        effect=float(len(own)),
        unit="labels",
        support=doubts.clips,
        support_of="clip",
        share=len(own) / doubts.clips,
        chosen_from=len(doubts.judged),
        evidence=Exhibit(
            clips=tuple(study.truth.ids[row] for row in doubts.rows[own][:_SHOWN].tolist())
        ),
        remedy=_REMEDY,
        numbers=(("missing", float(len(own) - wrong)), ("wrong", float(wrong))),
        outcome="fact",
    )


def _name_second(study: Study) -> str:
    return "nothing" if study.second is None else study.second.name


def _name_moved(asked: ModeQueries, corrected: CorrectedMode, changed: Ints) -> tuple[str, ...]:
    """The queries that would move most; those that would begin or cease to count go last."""
    by = np.abs(corrected.values - asked.values)[changed]
    order = np.argsort(-np.nan_to_num(by, nan=-1.0), kind="stable")[:_SHOWN]
    return tuple(asked.queries.names[row] for row in changed[order].tolist())


def _name_clips(study: Study, doubts: LabelDoubts) -> tuple[str, ...]:
    rows = dict.fromkeys(doubts.rows.tolist())
    return tuple(study.truth.ids[row] for row in list(rows)[:_SHOWN])


def _note(study: Study, doubts: LabelDoubts) -> tuple[str, ...]:
    words = study.truth.words.keywords
    rare = [words[column].name for column in doubts.rare.tolist()]
    unclear = [words[column].name for column in doubts.unclear.tolist()]
    notes = ["Nothing is tested: only a person who opens a clip can tell."]
    if rare:
        notes.append(
            f"Left out, fewer than {FEWEST_KEYWORD_SOURCES} sources with or without it: "
            f"{_list(rare)}."
        )
    if unclear:
        notes.append(
            f"Left out, {_name_second(study)} does not know it (AUC below {KNOWN_AUC:g}): "
            f"{_list(unclear)}."
        )
    total = len(study.collection)
    if doubts.clips < total:
        notes.append(f"Judged: the {doubts.clips:,} of {total:,} clips that could be looked at.")
    return tuple(notes)


def _list(names: list[str]) -> str:
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + rest


DOUBTS = Analysis(
    _NAME,
    "Which labels are probably missing or wrong?",
    "Confident learning: the probability of each keyword, from probes of a second model's vectors "
    "on clips of other sources, against the mean of clips with that label; m is judged again with "
    "those labels corrected.",
    f"A second model, or the frames; keywords in at least {FEWEST_KEYWORD_SOURCES} sources.",
    find_doubts,
)
