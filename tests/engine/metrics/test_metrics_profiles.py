"""Profiles: one language per community, and no label that means two things."""

from __future__ import annotations

import pytest

from engine.base.errors import InputError
from engine.metrics import Measure, Profile, find_profile, find_required_depth
from engine.metrics.profiles import PROFILES
from engine.metrics.registry import DEFINITIONS

EVERY_MEASURE = [
    Measure.parse(definition.pattern.replace("@k", "@5")) for definition in DEFINITIONS
]


def named(measures: tuple[Measure, ...], language: Profile) -> list[tuple[str, str]]:
    return [(language.label(measure), str(measure)) for measure in measures]


def test_alfa_calls_hits_over_k_recall_and_hits_over_relevant_precision() -> None:
    alfa = find_profile("alfa")

    assert named(alfa.measures(ks=(5, 1)), alfa) == [
        ("Recall@1", "P@1"),
        ("Recall@5", "P@5"),
        ("Precision@1", "R@1"),
        ("Precision@5", "R@5"),
        ("MAP@1", "AP@1"),
        ("MAP@5", "AP@5"),
        ("MRR@5", "RR@5"),
        ("NDCG@1", "nDCG@1"),
        ("NDCG@5", "nDCG@5"),
    ]
    assert alfa.parse("recall@5").formula == "hits@5 / 5"
    assert alfa.parse("Precision@5").formula == "hits@5 / R"


def test_alfa_needs_the_largest_k_only() -> None:
    assert find_required_depth(find_profile("alfa").measures(ks=(1, 3, 5))) == 5


def test_ir_uses_the_ids_and_understands_their_long_names() -> None:
    ir = find_profile("ir")

    labels = [label for label, _ in named(ir.measures(ks=(10,)), ir)]

    assert labels == ["P@10", "R@10", "AP", "RR", "nDCG@10"]
    assert str(ir.parse("Recall@5")) == "R@5"
    assert str(ir.parse("Precision@5")) == "P@5"
    assert str(ir.parse("MAP")) == "AP"
    assert str(ir.parse("mrr@10")) == "RR@10"


def test_video_calls_success_recall() -> None:
    video = find_profile("video")

    assert named(video.measures(ks=(1, 5)), video) == [
        ("R@1", "Success@1"),
        ("R@5", "Success@5"),
        ("MedR", "MedR"),
        ("MnR", "MnR"),
    ]
    assert str(video.parse("R@5")) == "Success@5"
    assert str(video.parse("Recall@5")) == "R@5"


@pytest.mark.parametrize("language", PROFILES, ids=lambda p: p.name)
def test_every_measure_has_its_own_label_and_reads_back_from_it(language: Profile) -> None:
    labels = [language.label(measure) for measure in EVERY_MEASURE]

    assert len({label.lower() for label in labels}) == len(labels)
    assert [language.parse(label) for label in labels] == EVERY_MEASURE


@pytest.mark.parametrize("name", ["alfa", "ir"])
def test_ids_are_understood_in_every_language_that_does_not_redefine_them(name: str) -> None:
    assert [find_profile(name).parse(str(measure)) for measure in EVERY_MEASURE] == EVERY_MEASURE


def test_a_bad_label_suggests_the_nearest_in_that_language() -> None:
    with pytest.raises(InputError, match=r"unknown metric 'Recal@5'; did you mean Recall@5\?"):
        find_profile("alfa").parse("Recal@5")
    with pytest.raises(InputError, match=r"unknown metric 'Recall@0'; did you mean Recall@10\?"):
        find_profile("alfa").parse("Recall@0")


def test_an_unknown_profile_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match="unknown profile 'beta'; choose one of alfa, ir, video"):
        find_profile("beta")
