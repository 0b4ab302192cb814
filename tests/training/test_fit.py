"""The mapper on fields that its weights were not fitted on, and the weights that ship."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from engine.text.encoder import SentenceEncoder
from engine.text.mapping.accuracy import Accuracy, measure_accuracy
from engine.text.mapping.calibration import measure_calibration_error
from engine.text.mapping.estimator import GroupEvidence
from engine.text.mapping.features import FEATURES, describe_none
from engine.text.mapping.mapper import Mapper
from engine.text.mapping.odds import load_weights
from training.calibration import measure_calibration
from training.fields import Field, list_fields, read_field
from training.fit import FIRST_THREE, Example, Row, collect_examples, fit_weights, map_queries


@dataclass(frozen=True)
class HeldOut:
    """What a field's queries were mapped to by weights of all other fields."""

    rows: list[Row]
    calibration: list[tuple[float, float]]

    def accuracy(self, kinds: str = "LPNZ") -> Accuracy:
        return measure_accuracy((want, got) for kind, want, got in self.rows if kind in kinds)


@pytest.fixture(scope="module")
def fields() -> dict[str, Field]:
    return {name: read_field(name) for name in list_fields()}


@pytest.fixture(scope="module")
def examples(fields: dict[str, Field], encoder: SentenceEncoder) -> dict[str, list[Example]]:
    return {
        name: collect_examples(field, Mapper(field.vocabulary, encoder))
        for name, field in fields.items()
    }


@pytest.fixture(scope="module")
def held_out(
    fields: dict[str, Field], examples: dict[str, list[Example]], encoder: SentenceEncoder
) -> HeldOut:
    rows: list[Row] = []
    calibration: list[tuple[float, float]] = []
    for name in FIRST_THREE:
        others = [e for other, part in examples.items() if other != name for e in part]
        mapper = Mapper(fields[name].vocabulary, encoder, weights=fit_weights(others))
        rows += map_queries(fields[name].queries, mapper)
        calibration += measure_calibration(fields[name], mapper)
    return HeldOut(rows, calibration)


@pytest.mark.slow
def test_fields_that_were_left_out_are_mapped_well(held_out: HeldOut) -> None:
    assert held_out.accuracy().exact_share >= 0.74
    assert held_out.accuracy().micro_f1 >= 0.90


@pytest.mark.slow
def test_paraphrases_are_understood_and_what_is_outside_is_left_alone(held_out: HeldOut) -> None:
    assert held_out.accuracy("P").micro_f1 >= 0.78
    assert held_out.accuracy("Z").exact_share >= 0.80
    assert held_out.accuracy("L").exact_share == 1


@pytest.mark.slow
def test_probabilities_mean_what_they_say(held_out: HeldOut) -> None:
    assert measure_calibration_error(held_out.calibration) <= 0.08
    assert measure_calibration_error(held_out.calibration, least=0.3) <= 0.08


@pytest.mark.slow
def test_the_weights_that_ship_are_those_of_the_script(examples: dict[str, list[Example]]) -> None:
    fitted, shipped = fit_weights([e for part in examples.values() for e in part]), load_weights()

    assert fitted.features == pytest.approx(shipped.features, abs=0.05)
    assert fitted.none == pytest.approx(shipped.none, abs=0.1)
    assert fitted.by_wordnet == pytest.approx(shipped.by_wordnet, abs=0.1)
    assert fitted.by_span == pytest.approx(shipped.by_span, abs=0.1)


def test_the_fit_finds_what_was_planted_and_what_sklearn_finds() -> None:
    """Groups of one keyword: the choice between it and none is plain logistic regression."""
    chance = np.random.default_rng(0)
    rows = np.abs(chance.normal(size=(4_000, len(FEATURES))))
    rows[:, FEATURES.index("span_rival")] = 0
    rows[::2, FEATURES.index("wordnet")] = 0
    planted = np.linspace(0.2, 2.0, len(FEATURES))
    none = describe_none(False, 0, 4, False)
    meant = chance.random(4_000) < 1 / (1 + np.exp(5 - rows @ planted))
    examples = [
        (GroupEvidence(np.array([0]), row[None], none, *[(frozenset({0}),)] * 2), np.array([yes]))
        for row, yes in zip(rows, meant, strict=True)
    ]

    fitted = fit_weights(examples)
    peer = LogisticRegression(C=np.inf, max_iter=5_000).fit(rows, meant)

    others = [i for i, name in enumerate(FEATURES) if name != "span_rival"]
    assert fitted.features[others] == pytest.approx(planted[others], abs=0.3)
    assert fitted.features[others] == pytest.approx(peer.coef_[0][others], abs=0.1)
    assert fitted.none[0] == pytest.approx(-peer.intercept_[0], abs=0.3)


def test_calibration_error_by_hand() -> None:
    # Bin 0.2: mean 0.25, none meant; bin 0.9: mean 0.95, half meant. (2 × 0.25 + 2 × 0.45) / 4.
    pairs = [(0.24, 0.0), (0.26, 0.0), (0.94, 1.0), (0.96, 0.0)]

    assert measure_calibration_error(pairs) == pytest.approx(0.35)
    assert measure_calibration_error(pairs, least=0.5) == pytest.approx(0.45)
