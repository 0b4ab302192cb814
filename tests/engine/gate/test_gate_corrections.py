"""How the hypotheses of a gate share its α: Holm's procedure beside a max-T over all slices."""

from __future__ import annotations

import numpy as np
import pytest

from engine.compare import CompareSettings, Slice
from engine.gate import Gate, GateSettings, Regression, decide
from engine.metrics import Measure
from tests.engine.gate.gate_by_hand import Words, interchangeable, joined, system


def fallen_pair(words: Words, drop: float = 0.1, settings: GateSettings | None = None) -> Gate:
    """The queries with the keyword g:w lost `drop`, whatever other keywords there are."""
    rng = np.random.default_rng(7)
    old, new = interchangeable(rng, len(words))
    hit = np.array(["g:w" in own for own in words])
    new = new - drop * hit
    own = settings or GateSettings()
    return decide(system(new, words), system(old, words, "old"), settings=own)


def find_slice(gate: Gate, name: str) -> Regression:
    return next(one for one in gate.regressions if one.slice == Slice("keyword", name))


def test_keywords_that_always_come_together_cost_no_more_than_one() -> None:
    """Holm's correction would ask four times as much of a drop that is seen four times."""
    once: Words = [("g:w",) if n % 3 else ("h:v",) for n in range(150)]
    four: Words = [("g:w", "g:w2", "g:w3", "g:w4") if n % 3 else ("h:v",) for n in range(150)]

    alone, many = (find_slice(fallen_pair(words, 0.05), "g:w") for words in (once, four))

    assert many.p == pytest.approx(alone.p, abs=0.002)
    assert many.correction == "max-t"
    # m / s is 5/4 with the slices g, g:w, h and h:v, and 8/7 with three more
    assert many.corrected == pytest.approx(alone.corrected * (1 + 1 / 7) / (1 + 1 / 4), rel=0.15)


def test_one_slice_alone_has_its_own_p_and_one_of_two_shares() -> None:
    words: Words = [("g:all", "w")] * 30 + [("g:all",)] * 30
    old, new = interchangeable(np.random.default_rng(3), 60)

    gate = decide(system(new, words), system(old, words))

    mean, one = gate.regressions
    assert (mean.correction, one.correction) == ("holm", "max-t")
    assert one.corrected == pytest.approx(min(1, 2 * one.p), abs=1e-12) or mean.corrected < 0.025


def test_a_mean_that_fell_leaves_its_share_to_the_slices() -> None:
    """m = 4 with three slices: their adjusted p counts 4/3 until the mean is rejected, then once;
    but it is never below the p that the mean was rejected with."""
    from engine.gate.corrections import _share

    adjusted = np.array([0.001, 0.01, 0.9])

    assert _share(adjusted, np.array([0.3]), 4).tolist() == pytest.approx(
        [0.004 / 3, 0.04 / 3, 0.9]
    )
    assert _share(adjusted, np.array([0.0002]), 4).tolist() == pytest.approx([0.001, 0.01, 0.9])
    assert _share(adjusted, np.array([0.0012]), 4).tolist() == pytest.approx([0.0012, 0.01, 0.9])


def test_medians_are_corrected_by_holm_and_slices_of_means_beside_them_by_max_t() -> None:
    rng = np.random.default_rng(5)
    words: Words = [("a",)] * 30 + [("b",)] * 30
    columns = [{"P@5": rng.integers(0, 6, 60) / 5, "MedR": rng.integers(1, 9, 60)} for _ in "on"]
    old, new = (system(own, words, name) for own, name in zip(columns, ("old", "new"), strict=True))

    gate = decide(new, old, measures=[Measure.parse("P@5"), Measure.parse("MedR")])

    found = {(str(one.measure), one.slice is None): one.correction for one in gate.regressions}
    assert found == {
        ("P@5", True): "holm",
        ("P@5", False): "max-t",
        ("MedR", True): "holm",
        ("MedR", False): "holm",
    }
    holm = sorted(one.p for one in gate.regressions if one.correction == "holm")
    smallest = min(one.corrected for one in gate.regressions if one.correction == "holm")
    assert smallest == pytest.approx(min(1, 6 * holm[0]))


def test_slices_of_clusters_flip_as_a_whole() -> None:
    """Each query asked twice, as one cluster, shows what it showed once: T is the same."""
    words: Words = [("a", "b")[: 1 + n % 2] for n in range(60)]
    old, new = interchangeable(np.random.default_rng(9), 60)
    names = [f"query {n}" for n in range(60)]
    twice = CompareSettings(least_queries=20, clusters={name: name for name in names})
    once = decide(system(new, words, queries=names), system(old, words, queries=names))
    doubled = [system(np.tile(values, 2), [*words] * 2, queries=names * 2) for values in (new, old)]

    again = decide(*doubled, settings=GateSettings(twice))

    assert [one.p for one in again.regressions] == pytest.approx(
        [one.p for one in once.regressions], abs=0.01
    )
    assert [one.corrected for one in again.regressions] == pytest.approx(
        [one.corrected for one in once.regressions], abs=0.02
    )


def test_the_same_gate_is_decided_the_same_way() -> None:
    words: Words = [("g:w", f"h:{n % 3}") if n % 2 else (f"h:{n % 3}",) for n in range(120)]

    first, again = (fallen_pair(words).regressions for _ in range(2))

    assert first == again


def test_slices_of_both_modes_are_one_family() -> None:
    words: Words = [("a",)] * 30 + [("b",)] * 30
    rng = np.random.default_rng(11)
    old, new = (
        joined(
            *(system(rng.integers(0, 6, 60) / 5, words, mode=mode) for mode in ("text", "video"))
        )
        for _ in range(2)
    )

    found = [one for one in decide(new, old).regressions if one.slice is not None]

    assert len(found) == 4
    best = min(found, key=lambda one: one.p)
    # four slices that share no query: 1 − (1 − p)⁴, and m / s = 6 / 4
    assert best.corrected == pytest.approx(min(1, 1.5 * (1 - (1 - best.p) ** 4)), rel=0.25)
