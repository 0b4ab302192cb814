"""WordNet's table: words, their senses and relations, and the ways between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.wordnet.lemmas import find_lemmas, find_senses, is_listed
from engine.text.wordnet.paths import walk_up
from engine.text.wordnet.table import TABLE, Relation, Synset, load_wordnet


def first_sense(lemma: str, part: str = "n") -> Synset:
    return load_wordnet().senses(lemma)[part][0]


def test_the_table_is_small() -> None:
    assert TABLE.stat().st_size < 6_000_000


def test_every_lemma_is_found_under_its_own_name() -> None:
    lemmas = load_wordnet().list_lemmas()

    assert len(lemmas) == 147_306  # as WordNet 3.0 counts them
    assert lemmas == sorted(lemmas, key=str.encode)
    assert all(load_wordnet().senses(lemma) for lemma in (*lemmas[:50], *lemmas[-50:]))


def test_a_synset_and_its_lemmas_know_each_other() -> None:
    wordnet = load_wordnet()

    for lemma in wordnet.list_lemmas()[::5_000]:
        for synsets in wordnet.senses(lemma).values():
            assert all(lemma.replace("_", " ") in wordnet.members(synset) for synset in synsets)


@given(st.text(max_size=20))
def test_any_text_can_be_looked_up(text: str) -> None:
    assert all(part in "nvar" for part in load_wordnet().senses(text))


def test_the_commonest_sense_comes_first() -> None:
    wolf = load_wordnet().senses("wolf")

    assert list(wolf) == ["n", "v"]
    assert wolf["n"][0] in walk_up(wolf["n"][0])
    assert first_sense("canine") != first_sense("wolf")
    assert "wolf down" in load_wordnet().members(wolf["v"][0])


def test_a_kind_leads_to_what_it_is_a_kind_of() -> None:
    relations = load_wordnet().relations(first_sense("grizzly"))

    (kind,) = [target for relation, target in relations if relation is Relation.KIND_OF]
    assert load_wordnet().members(kind) == ["brown bear", "bruin", "ursus arctos"]


@pytest.mark.parametrize(
    ("form", "part", "lemmas"),
    [
        ("wolves", "n", ("wolf",)),
        ("digging", "v", ("dig",)),
        ("crosses", "v", ("cross",)),
        ("berries", "n", ("berry",)),
        ("taller", "a", ("tall",)),
        ("children", "n", ("child",)),
    ],
)
def test_inflected_forms_are_reduced(form: str, part: str, lemmas: tuple[str, ...]) -> None:
    assert find_lemmas(form)[part] == lemmas


def test_phrases_are_listed_as_they_are_or_by_their_verb() -> None:
    assert is_listed(["home", "run"])
    assert is_listed(["counting", "on"])
    assert not is_listed(["red", "truck"])


@pytest.mark.parametrize(
    ("word", "what", "steps"),
    [
        ("grizzly", "brown_bear", 0.7),
        ("cheddar", "cheese", 0.7),
        ("salmon", "fish", None),
        ("naples", "italy", 2.6),
        ("slalom", "skiing", None),
    ],
)
def test_a_word_leads_to_what_it_is_or_belongs_to(
    word: str, what: str, steps: float | None
) -> None:
    wanted = set(find_senses([what]))

    found = [d for s in find_senses([word]) for other, d in walk_up(s).items() if other in wanted]
    assert found
    assert steps is None or min(found) == pytest.approx(steps)


def test_nothing_leads_farther_than_the_walk_goes() -> None:
    assert max(walk_up(first_sense("poodle")).values()) <= 6.0
