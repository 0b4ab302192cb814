"""Results are chosen by id, keyword, verdict and mark, and all terms must hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.keywords.inspection import Inspection
from engine.keywords.judgement import Judgement
from engine.keywords.result_filter import parse_result_filter
from engine.metrics.policies import KEYWORD_POLICIES, Policies
from tests.engine.keywords.workbench_by_hand import asked_of

CLIPS = ("urban_1", "rural_2", "urban_3", "track_4", "urban_5", "rural_6", "urban_7")
KEYWORDS = {
    "object": [
        ["pedestrian"], ["pedestrian"], ["car"], ["pedestrian"], [], ["pedestrian", "car"],
        ["car"], ["pedestrian"],
    ],
    "behaviour": [
        ["crossing"], ["crossing"], ["crossing"], ["standing"], [], ["crossing"],
        [], ["crossing"],
    ],
}  # fmt: skip
"""The query wants a pedestrian who crosses: ranks 1, 5 and 7 are hits, 2 and 3 have one of both."""

SAID = {
    "urban_1": Judgement("not relevant"),
    "urban_3": Judgement("bias", "hub", note="see it"),
    "rural_6": Judgement(note="hm"),
}


def asked(policies: Policies = KEYWORD_POLICIES) -> Inspection:
    return asked_of(KEYWORDS, clips=CLIPS, policies=policies)


def ranks(text: str, found: Inspection | None = None) -> list[int]:
    found = found or asked()
    kept = parse_result_filter(text, found).keep(found, SAID)
    return (np.flatnonzero(kept) + 1).tolist()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", [1, 2, 3, 4, 5, 6, 7]),
        ("URBAN", [1, 3, 5, 7]),
        ("urban 3", [3]),
        ("-", [1, 2, 3, 4, 5, 6, 7]),
        ("kw:car", [2, 5, 6]),
        ("-kw:car", [1, 3, 4, 7]),
        ("-pedestrian", [2, 4, 6]),
        ("−ped", [2, 4, 6]),
        ("-ped -cro", [4, 6]),
        ('kw:"object:pedestrian" -crossing', [3]),
        ("hit", [1, 5, 7]),
        ("✅", [1, 5, 7]),
        ("miss", [2, 3, 4, 6]),
        ("-hit", [2, 3, 4, 6]),
        ("part", [2, 3]),
        ("◐", [2, 3]),
        ("❌", [4, 6]),
        ("none", [4, 6]),
        ("missed", [7]),
        ("judged", [1, 3]),
        ("unjudged", [2, 4, 5, 6, 7]),
        ("miss unjudged urban", []),
        ("miss unjudged rural", [2, 6]),
        ("noted", [3, 6]),
        ("bias", [3]),
        ("⚑", [3]),
        ("not-relevant", [1]),
        ('"hit"', []),
    ],
)
def test_a_term_keeps_what_holds_it(text: str, kept: list[int]) -> None:
    assert ranks(text) == kept


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kw:pedestrain", 'unknown keyword "pedestrain"; did you mean "pedestrian"?'),
        ("-zebra", 'unknown keyword "zebra"; there are: car, pedestrian, crossing, standing'),
        ("kw:", "no keyword is named"),
    ],
)
def test_a_term_that_means_nothing_is_reported_on_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_result_filter(text, asked())

    assert message in str(error.value) and "\n" not in str(error.value)


def test_a_beginning_of_several_keywords_is_not_guessed() -> None:
    found = asked_of(KEYWORDS, clips=CLIPS, keywords=("object:pedestrian", "object:car"))

    with pytest.raises(InputError, match='"object:" may be object:car, object:pedestrian'):
        parse_result_filter("-object:", found)


def test_a_later_word_of_a_keyword_will_do_if_only_one_has_it() -> None:
    words = {"behaviour": [[], ["entering ego path"], ["ego turning"], ["crossing path"]]}
    found = asked_of(words, clips=CLIPS[:3], keywords=("behaviour:entering ego path",))

    assert ranks('kw:"ego path"', found) == [1]
    with pytest.raises(InputError, match='unknown keyword "zego"'):
        parse_result_filter("kw:zego", found)


def test_what_does_not_reach_the_least_similarity_is_missed_and_no_hit() -> None:
    found = asked(replace(KEYWORD_POLICIES, min_similarity=0.5))

    assert ranks("hit", found) == [1] and ranks("missed", found) == [5, 7]


def test_without_keywords_nothing_has_a_verdict() -> None:
    found = asked_of(KEYWORDS, clips=CLIPS, keywords=())

    assert ranks("hit", found) == ranks("miss", found) == ranks("part", found) == []
    assert ranks("judged", found) == [1, 3]


def test_lacking_keywords_are_those_of_the_breakdown() -> None:
    found = asked()
    lacks = found.lacks(found.keywords)

    for place in range(found.depth):
        marks = dict(mark for group in found.result(place).groups for mark in group.marks)
        assert [marks[keyword] for keyword in found.keywords] == (~lacks[place]).tolist()
    assert found.lacks(found.keywords, [3, 1]).tolist() == lacks[[3, 1]].tolist()
