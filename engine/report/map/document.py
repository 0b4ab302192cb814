"""The documents of `map test` and `map learn`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from engine.dataset.phrase_tables import add_phrase
from engine.files.envelope import enclose
from engine.files.input_file import InputFile
from engine.report.map.wording import describe_fault
from engine.report.run.document import dump_unexplained_words
from engine.text.learning.faults import MappingFault
from engine.text.learning.learn import LearnedPhrase, LearningOutcome
from engine.text.learning.trial import MapperTrial
from engine.text.mapping.accuracy import Accuracy


def build_trial_document(
    trial: MapperTrial,
    unlabelled: int,
    inputs: Mapping[str, InputFile] | None = None,
    notes: Iterable[str] = (),
) -> dict[str, Any]:
    """What `map test` found, ready for JSON."""
    fields = {
        "queries": trial.accuracy.queries,
        "unlabelled": unlabelled,
        **dump_accuracy(trial.accuracy),
        "by_why": {kind: dump_accuracy(found) for kind, found in trial.by_kind.items()},
        "calibration": {
            "error": _number(trial.error),
            "error_of_near": _number(trial.error_near),
            "bins": [
                {name: _number(value) for name, value in asdict(one).items()} for one in trial.bins
            ],
        },
        "unexplained": dump_unexplained_words(trial.unexplained),
        "faults": [_dump_fault(fault, trial.threshold) for fault in trial.faults],
    }
    return enclose(
        "map-test",
        fields,
        inputs=inputs,
        policies={"threshold": trial.threshold},
        notes=list(notes),
    )


def build_learning_document(
    learning: LearningOutcome,
    unlabelled: int,
    threshold: float,
    written: Iterable[str] = (),
    not_written: Iterable[tuple[LearnedPhrase, str]] = (),
    inputs: Mapping[str, InputFile] | None = None,
    notes: Iterable[str] = (),
) -> dict[str, Any]:
    """What `map learn` found, ready for JSON. `written`: the files that it was written to;
    `not_written`: what could not be, and why."""
    fields = {
        "queries": learning.before.queries,
        "unlabelled": unlabelled,
        "folds": learning.folds,
        "before": dump_accuracy(learning.before),
        "after": dump_accuracy(learning.after),
        "proposals": [_dump_learned(one) for one in learning.taken],
        "refused": [_dump_learned(one) for one in learning.refused],
        "toml": format_phrases(learning.taken),
        "written": list(written),
        "not_written": [{**_dump_learned(one), "reason": why} for one, why in not_written],
    }
    return enclose(
        "map-learn",
        fields,
        inputs=inputs,
        policies={"threshold": threshold},
        notes=list(notes),
    )


def format_phrases(learned: Iterable[LearnedPhrase]) -> str:
    """The lines of a dataset.toml that say what was learned."""
    text = ""
    for one in learned:
        proposal = one.proposal
        text = add_phrase(text, proposal.keyword.name, proposal.phrase, never=proposal.never)
    return text


def dump_accuracy(found: Accuracy) -> dict[str, Any]:
    return {
        "exact": found.exact,
        "exact_share": _number(found.exact_share),
        "right": found.true_positives,
        "false": found.false_positives,
        "missed": found.false_negatives,
        "precision": _number(found.precision),
        "recall": _number(found.recall),
        "f1": _number(found.micro_f1),
    }


def _dump_learned(one: LearnedPhrase) -> dict[str, Any]:
    proposal = one.proposal
    return {
        "phrase": proposal.phrase,
        "keyword": proposal.keyword.name,
        "group": proposal.keyword.group,
        "never": proposal.never,
        "support": one.support,
        "said": one.said,
        "fixes": one.fixes,
        "breaks": one.breaks,
        "seen_once": one.once,
    }


def _dump_fault(fault: MappingFault, threshold: float) -> dict[str, Any]:
    return {
        "number": fault.number + 1,
        "query": fault.query,
        "kind": "missed" if fault.missed else "false",
        "keyword": fault.keyword.name,
        "group": fault.keyword.group,
        "reason": fault.reason,
        "probability": round(fault.probability, 4),
        "words": fault.words,
        "why": fault.why or None,
        "rival": None if fault.rival is None else str(fault.rival),
        "text": describe_fault(fault, threshold),
    }


def _number(value: float) -> float | None:
    if isinstance(value, int):
        return value
    return None if math.isnan(value) else round(value, 6)
