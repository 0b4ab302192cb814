"""A measure is a value with an id that people can read and write."""

from __future__ import annotations

import subprocess
import sys
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.metrics import Measure, ShortListPolicy, find_required_depth
from engine.metrics.registry import DEFINITIONS

EVERY_ID = [definition.pattern.replace("@k", "@7") for definition in DEFINITIONS]


@pytest.mark.parametrize("written", EVERY_ID)
def test_every_id_reads_back_as_itself(written: str) -> None:
    measure = Measure.parse(written)

    assert str(measure) == written
    assert Measure.parse(str(measure)) == measure


@pytest.mark.parametrize("written", EVERY_ID)
def test_ids_are_read_in_any_case(written: str) -> None:
    assert str(Measure.parse(written.lower())) == written
    assert str(Measure.parse(written.upper())) == written


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("p@5", "P@5"),
        (" nDCG@10( gain = exp ) ", "nDCG@10(gain=exp)"),
        ("nDCG(gain=exp)@10", "nDCG@10(gain=exp)"),
        ("nDCG@10(gain=linear)", "nDCG@10"),
        ("AP@5(norm=R)", "AP@5"),
        ("AP@5()", "AP@5"),
        ("medr(ALL)", "MedR(all)"),
        ("topk%@3", "TopK%@3"),
    ],
)
def test_other_spellings_become_the_canonical_id(written: str, canonical: str) -> None:
    assert str(Measure.parse(written)) == canonical


def test_the_registry_holds_every_ranking_metric_of_the_definitions() -> None:
    assert {definition.pattern for definition in DEFINITIONS} >= {
        *("P@k", "R@k", "TopK%@k", "Rcap@k", "Success@k", "AP", "AP@k", "AP@k(norm=min)"),
        *("RR", "RR@k", "nDCG", "nDCG@k", "nDCG@k(gain=exp)", "Rprec", "F1@k"),
        *("TP@k", "FP@k", "FN@k", "TN@k", "MedR", "MnR", "MedR(all)", "AvgSim@k"),
    }


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("P@5x", "P@5"),
        ("P", "P@10"),
        ("P@0", "P@10"),
        ("P@-3", "P@3"),
        ("P@²", "P@10"),
        ("MedR@5", "MedR"),
        ("nDGC@20", "nDCG@20"),
        ("nDCG@20(gain=log)", "nDCG@20(gain=exp)"),
        ("Sucess@1", "Success@1"),
        ("AP(norm=min)", "AP@10(norm=min)"),
    ],
)
def test_a_bad_id_is_one_line_with_the_nearest_and_the_valid_ones(
    written: str, nearest: str
) -> None:
    with pytest.raises(InputError) as caught:
        Measure.parse(written)

    line = str(caught.value)
    assert f"unknown metric {written!r}; did you mean {nearest}?" in line
    assert "Valid: P@k, R@k," in line
    assert "\n" not in line


@given(st.text(max_size=40))
def test_any_text_is_an_id_or_a_clear_error(text: str) -> None:
    try:
        measure = Measure.parse(text)
    except InputError as error:
        assert str(error).startswith("unknown metric")
    else:
        assert Measure.parse(str(measure)) == measure


def test_control_characters_of_a_bad_id_do_not_reach_the_terminal() -> None:
    with pytest.raises(InputError) as caught:
        Measure.parse("P@5\x1b[31m")

    assert "\x1b" not in str(caught.value)


def test_a_huge_bad_id_is_shortened() -> None:
    with pytest.raises(InputError) as caught:
        Measure.parse("x" * 100_000)

    assert len(str(caught.value)) < 1000


def test_a_measure_that_is_not_in_the_registry_cannot_exist() -> None:
    with pytest.raises(InputError):
        Measure("P")
    with pytest.raises(ValueError, match="canonical"):
        Measure("p", 5)


@pytest.mark.parametrize(
    ("written", "formula"),
    [
        ("P@5", "hits@5 / 5"),
        ("R@5", "hits@5 / R"),
        ("TopK%@3", "100 · hits@3 / R"),
        ("Rcap@20", "hits@20 / min(R, 20)"),
        ("AP", "Σ P@i · rel_i / R"),
        ("AP@5(norm=min)", "Σ(i ≤ 5) P@i · rel_i / min(R, 5)"),
        ("RR@10", "1 / rank of the first hit, 0 beyond 10"),
        ("TN@5", "N − min(5, n) − FN@5"),
    ],
)
def test_a_formula_has_its_cutoff_filled_in(written: str, formula: str) -> None:
    assert Measure.parse(written).formula == formula


def test_the_formula_says_so_when_the_denominator_follows_short_lists() -> None:
    assert Measure.parse("P@5").formula_for("adaptive") == "hits@5 / min(5, n)"
    assert Measure.parse("R@5").formula_for("adaptive") == "hits@5 / R"


@pytest.mark.parametrize("written", EVERY_ID)
def test_no_formula_keeps_a_placeholder(written: str) -> None:
    for short in get_args(ShortListPolicy):
        formula = Measure.parse(written).formula_for(short)
        assert formula
        assert "{" not in formula
        assert "None" not in formula


@pytest.mark.parametrize("written", ["AP", "RR", "nDCG", "Rprec", "MedR", "MnR", "MedR(all)"])
def test_uncut_measures_need_the_full_ranking(written: str) -> None:
    assert Measure.parse(written).cutoff is None
    assert find_required_depth([Measure.parse("P@5"), Measure.parse(written)]) is None


def test_cut_measures_need_their_cutoff_only() -> None:
    asked = [Measure.parse(written) for written in ("P@5", "nDCG@12", "AvgSim@3")]

    assert [measure.cutoff for measure in asked] == [5, 12, 3]
    assert find_required_depth(asked) == 12


def test_measures_know_how_queries_become_one_number() -> None:
    by_id = {written: Measure.parse(written).aggregate for written in EVERY_ID}

    assert by_id.pop("MedR") == "median"
    assert by_id.pop("MedR(all)") == "pooled"
    assert set(by_id.values()) == {"mean"}


def test_metrics_load_nothing_but_numpy() -> None:
    heavy = "{'pandas', 'pyarrow', 'faiss', 'torch', 'scipy', 'sklearn', 'textual', 'typer'}"
    code = f"import engine.metrics, sys; print(sorted({heavy} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout.strip() == "[]"


def test_a_formula_may_have_a_letter_for_its_cutoff() -> None:
    precision = Measure.parse("P@1").definition

    assert precision.formula_at("k") == "hits@k / k"
    assert precision.formula_at("K", "adaptive") == "hits@K / min(K, n)"


@pytest.mark.parametrize("written", EVERY_ID)
def test_every_formula_is_filled_in(written: str) -> None:
    measure = Measure.parse(written)

    for short in get_args(ShortListPolicy):
        formula = measure.formula_for(short)
        assert "{" not in formula and "None" not in formula
    if measure.cutoff is None:  # then it has no letter to fill in either
        assert "{" not in measure.definition.formula
