"""The mapper on labelled queries: what is counted, and why a keyword was missed or is false."""

from __future__ import annotations

import pytest

from engine.base.keyword import Keyword
from engine.report.map.wording import describe_fault
from engine.text.encoder import SentenceEncoder
from engine.text.learning.labelled import LabelledText
from engine.text.learning.trial import MapperTrial, try_mapper
from engine.text.mapping.mapper import Mapper

NAMES = {
    "species": ("deer", "red fox", "wolf", "hare"),
    "time": ("dawn", "day", "dusk", "night"),
    "weather": ("snow", "rain"),
}
WORDS = {name: Keyword(group, name) for group, names in NAMES.items() for name in names}


def label(text: str, *meant: str, groups: tuple[str, ...] = tuple(NAMES)) -> LabelledText:
    return LabelledText(text, groups, frozenset(WORDS[name] for name in meant))


@pytest.fixture(scope="module")
def mapper(encoder: SentenceEncoder) -> Mapper:
    return Mapper(list(WORDS.values()), encoder, never_means={"wolf": ["wolf whistle"]})


def run(mapper: Mapper, *asked: LabelledText) -> MapperTrial:
    return try_mapper(mapper, asked)


def test_counts_by_hand(mapper: Mapper) -> None:
    trial = run(
        mapper,
        label("a wolf", "wolf"),
        label("a hare and a red fox", "hare"),
        label("zorp", "deer"),
    )
    assert (trial.accuracy.exact, trial.accuracy.queries) == (1, 3)
    assert trial.accuracy.true_positives == 2
    assert trial.accuracy.false_positives == 1
    assert trial.accuracy.false_negatives == 1
    assert trial.accuracy.precision == 2 / 3
    assert trial.accuracy.recall == 2 / 3
    assert trial.by_kind["exact"].true_positives == 2
    assert trial.by_kind["exact"].false_positives == 1
    assert trial.by_kind["none"].false_negatives == 1
    assert set(trial.by_kind) == {"exact", "none"}


def test_every_keyword_asked_for_has_a_probability(mapper: Mapper) -> None:
    trial = run(mapper, label("a wolf", "wolf", groups=("species",)), label("snow", "snow"))
    assert sum(one.count for one in trial.bins) == 4 + 10


def test_what_is_all_right_has_no_fault(mapper: Mapper) -> None:
    trial = run(mapper, label("a wolf at night", "wolf", "night"))
    assert trial.faults == ()
    assert trial.accuracy.exact_share == 1.0


@pytest.mark.parametrize(
    ("text", "meant", "reason", "said"),
    [
        ("a wolf, but not at night", "night", "denied", 'the text denies "at night"'),
        ("a wolf whistle", "wolf", "never means", '"wolf whistle" never means it'),
        ("wolf", "deer", "another is likelier", '"wolf": wolf is likelier'),
        ("wolf", "rain", "no word is left", "other keywords explain all words"),
        ("zorp blipf", "rain", "words are unknown", "unknown words: zorp blipf"),
        ("an accounting spreadsheet", "rain", "no word is near", "no word is near it"),
    ],
)
def test_why_a_keyword_was_missed(
    mapper: Mapper, text: str, meant: str, reason: str, said: str
) -> None:
    trial = run(mapper, label(text, meant))
    missed = [fault for fault in trial.faults if fault.missed]
    assert [(fault.keyword.name, fault.reason) for fault in missed] == [(meant, reason)]
    assert describe_fault(missed[0], trial.threshold).startswith(said)


def test_a_keyword_that_is_not_likely_enough_says_how_likely_it_was(mapper: Mapper) -> None:
    strict = mapper.with_phrases({}, {})
    strict.threshold = 0.999
    text = label("footage of a stag", "deer")
    ((_, estimates),) = mapper.read([text.text], [text.groups])
    deer = mapper.vocabulary.index(WORDS["deer"])
    (chance,) = (e.probability for e in estimates if e.keyword == deer)
    assert 0.1 < chance < 0.999
    (fault,) = run(strict, text).faults
    assert (fault.reason, fault.words) == ("below the threshold", "stag")
    assert fault.probability == chance
    assert f"{chance:.2f}) is below the threshold of 0.999" in describe_fault(fault, 0.999)


@pytest.mark.parametrize(
    ("meant", "reason", "rival"),
    [
        (("night", "deer"), "in place of another", "deer"),
        (("night",), "nothing is meant", None),
    ],
)
def test_why_a_keyword_is_false(
    mapper: Mapper, meant: tuple[str, ...], reason: str, rival: str | None
) -> None:
    trial = run(mapper, label("a wolf at night", *meant))
    (fault,) = [fault for fault in trial.faults if not fault.missed]
    assert (fault.keyword.name, fault.reason, fault.why) == ("wolf", reason, "exact")
    assert (fault.rival and fault.rival.name) == rival


def test_a_second_keyword_of_a_group_stands_beside_the_right_one(mapper: Mapper) -> None:
    (fault,) = run(mapper, label("a wolf and a hare", "hare")).faults
    assert (fault.keyword.name, fault.reason) == ("wolf", "beside the right one")


def test_words_that_nothing_explains_are_counted(mapper: Mapper) -> None:
    trial = run(mapper, label("wolf zorp", "wolf"), label("Zorp blipf"), label("hare", "hare"))
    assert trial.unexplained.queries == 2
    assert trial.unexplained.mapped == 3
    assert trial.unexplained.words == (("zorp", 2), ("blipf", 1))
