"""Fit the mapper's weights: `python -m training.fit [--write]`.

Each field is mapped with weights that were fitted on all the others (leave one field out); the
table says how well. With --write, weights fitted on all fields go to engine/text/mapping.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression

from engine.base.arrays import Floats
from engine.text.mapping.accuracy import measure_accuracy
from engine.text.mapping.calibration import measure_calibration_error
from engine.text.mapping.estimator import GroupEvidence
from engine.text.mapping.features import FEATURES, NONE_FEATURES
from engine.text.mapping.likeness import VectorSource
from engine.text.mapping.mapper import Mapper
from engine.text.mapping.odds import BY_SPAN, BY_WORDNET, WEIGHTS, OddsWeights
from engine.text.opening import open_encoder
from training.calibration import measure_calibration
from training.fields import Field, LabelledQuery, list_fields, read_field

_PENALTY = 3.0
"""Of the squared weights, on features of unit variance."""

_NONE_PENALTY = np.array([0.05, 0.05, 0.05, 0.05, 2.0])
"""Of those of none: only what a single field says of the synonym table is not believed too much."""

FIRST_THREE = ("cooking", "sports", "wildlife")
DRIVING = "driving"

Row = tuple[str, frozenset[str], frozenset[str]]
"""A query's kind, the keywords that it means, and those that were found."""

Example = tuple[GroupEvidence, Floats]
"""A group of a query, and which of its keywords are meant (1) or not (0)."""


def collect_examples(field: Field, mapper: Mapper) -> list[Example]:
    """Every group of every query whose keywords no phrase has found."""
    queries = (*field.queries, *field.short)
    measured = mapper.measure([q.text for q in queries], [q.groups for q in queries])
    examples = []
    for query, groups in zip(queries, measured, strict=True):
        for evidence, found in groups:
            open_ = [p for p, k in enumerate(evidence.keywords.tolist()) if k not in found]
            names = [field.vocabulary[evidence.keywords[place]].name for place in open_]
            part = GroupEvidence(
                evidence.keywords[open_],
                evidence.features[open_],
                evidence.none,
                tuple(evidence.spans[place] for place in open_),
                tuple(evidence.explained[place] for place in open_),
            )
            if open_:
                examples.append((part, np.array([float(n in query.keywords) for n in names])))
    return examples


def fit_weights(examples: Sequence[Example]) -> OddsWeights:
    """The likeliest weights; what speaks for a keyword never speaks against it (weights ≥ 0)."""
    features = np.concatenate([evidence.features for evidence, _ in examples])
    scale = features.std(axis=0) + 1e-9
    rows = features / scale
    owner = np.repeat(np.arange(len(examples)), [len(meant) for _, meant in examples])
    meant = np.concatenate([meant for _, meant in examples])
    none = np.stack([evidence.none for evidence, _ in examples])
    some = np.zeros(len(examples))
    np.maximum.at(some, owner, meant)
    count = len(FEATURES)

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores, nothing = rows @ weights[:count], none @ weights[count:]
        top = nothing.copy()
        np.maximum.at(top, owner, scores)
        own, zero = np.exp(scores - top[owner]), np.exp(nothing - top)
        total = np.bincount(owner, own, len(examples)) + zero
        right = np.bincount(owner, own * meant, len(examples))
        likely = np.where(some > 0, right, zero)
        penalty = _PENALTY / 2 * weights[:count] @ weights[:count]
        penalty += (_NONE_PENALTY * weights[count:]) @ weights[count:] / 2
        value = -(np.log(likely + 1e-300) - np.log(total)).sum() + penalty
        wanted = np.where(some[owner] > 0, own * meant / np.maximum(right[owner], 1e-300), 0.0)
        gradient = np.concatenate(
            [
                rows.T @ (own / total[owner] - wanted) + _PENALTY * weights[:count],
                none.T @ (zero / total - (1 - some)) + _NONE_PENALTY * weights[count:],
            ]
        )
        return value, gradient

    bounds = [(0.0, None)] * count + [(None, None)] * len(NONE_FEATURES)
    start = np.zeros(count + len(NONE_FEATURES))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return OddsWeights(found[:count] / scale, found[count:], *_fit_alone(examples))


def _fit_alone(examples: Sequence[Example]) -> tuple[Floats, Floats]:
    """Two logistic models by a keyword's own words, where they are nearest to it in its group."""
    outside = [e for e in examples if not e[0].none[NONE_FEATURES.index("covered")]]
    rows = np.concatenate([evidence.features for evidence, _ in outside])
    meant = np.concatenate([meant for _, meant in outside])
    best = rows[:, FEATURES.index("span_rival")] >= 0
    related = rows[:, FEATURES.index("wordnet")] > 0
    fitted = []
    for names, chosen in ((BY_WORDNET, best & related), (BY_SPAN, best & ~related)):
        columns = rows[:, [FEATURES.index(name) for name in names]]
        model = LogisticRegression(max_iter=1000).fit(columns[chosen], meant[chosen])
        fitted.append(np.concatenate([model.intercept_, model.coef_[0]]))
    return fitted[0], fitted[1]


def map_queries(queries: Sequence[LabelledQuery], mapper: Mapper) -> list[Row]:
    mapped = mapper.map_batch([q.text for q in queries], [q.groups for q in queries])
    found = [frozenset(item.keyword.name for item in mapping.keywords) for mapping in mapped]
    return [(q.kind, q.keywords, got) for q, got in zip(queries, found, strict=True)]


def report(name: str, listed: Sequence[Row]) -> None:
    """One line: exact share, micro-F1, false and missing keywords of all queries and each kind."""
    cells = []
    for kind in ("", "L", "P", "N", "Z"):
        chosen = [(want, got) for k, want, got in listed if not kind or k == kind]
        if chosen:
            result = measure_accuracy(chosen)
            wrong = f"+{result.false_positives}/-{result.false_negatives}"
            cells.append(f"{kind} {result.exact_share:.3f} {result.micro_f1:.3f} {wrong}")
    print(f"{name:16s}", " | ".join(cells), flush=True)


def leave_one_out(
    fields: Mapping[str, Field], examples: Mapping[str, list[Example]], encoder: VectorSource
) -> None:
    """Map each field with weights fitted on all the others, and say how well."""
    held: dict[str, list[Row]] = {}
    short: list[Row] = []
    pairs: list[tuple[float, float]] = []
    for name, field in fields.items():
        others = [e for other, part in examples.items() if other != name for e in part]
        mapper = Mapper(field.vocabulary, encoder, weights=fit_weights(others))
        held[name] = map_queries(field.queries, mapper)
        short += map_queries(field.short, mapper)
        report(name, held[name])
        pairs += measure_calibration(field, mapper)
    report("first three", [row for name in FIRST_THREE for row in held[name]])
    report("all but driving", [row for n, rows in held.items() if n != DRIVING for row in rows])
    report("short queries", short)
    for least in (0.0, 0.3):
        error = measure_calibration_error(pairs, least)
        print(f"calibration error of probabilities from {least}: {error:.4f}")


def main() -> None:
    fields = {name: read_field(name) for name in list_fields()}
    with open_encoder() as encoder:
        examples = {
            name: collect_examples(field, Mapper(field.vocabulary, encoder))
            for name, field in fields.items()
        }
        leave_one_out(fields, examples, encoder)
    weights = fit_weights([example for part in examples.values() for example in part])
    if "--write" in sys.argv:
        WEIGHTS.write_text(weights.as_json(), encoding="utf-8")


if __name__ == "__main__":
    main()
