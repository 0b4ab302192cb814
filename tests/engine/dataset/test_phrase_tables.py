"""One phrase more in a TOML text: everything else stays as it was typed."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.dataset.phrase_tables import PhraseTables, add_phrase

TEXT = """\
# Ours.
name = "x"  # short
annotations = 'a.csv'

[synonyms]   # what our drivers say
"large vehicle" = [
    "rig",   # since 2019
    "hgv",
]
# the end of the synonyms

[models."alfa-0.1"]
embeddings = "e.npy"
"""

TEXTS = (
    TEXT,
    TEXT.replace("\n", "\r\n"),
    "",
    'name = "no tables"',
    "synonyms.bus = ['coach']\n[models.m]\nx = 1",
    "synonyms = {bus = ['coach']}\n\n[models.m]\nx = 1\n",
    "[never_means]\nbus = ['lorry', 'big  Lorry!']\n[models.m]\nx = 1\n[synonyms]\n",
)


def test_a_phrase_is_added_to_the_list_as_that_is_broken() -> None:
    assert add_phrase(TEXT, "large vehicle", "lorry", never=False) == TEXT.replace(
        '    "hgv",\n', '    "hgv",\n    "lorry",\n'
    )


def test_a_keyword_is_found_however_the_table_spells_it() -> None:
    assert add_phrase(
        "[synonyms]\nLarge-Vehicles = []\n", "large vehicle", "lorry", never=False
    ) == ('[synonyms]\nLarge-Vehicles = ["lorry"]\n')


def test_a_phrase_that_is_known_changes_nothing() -> None:
    assert add_phrase(TEXT, "large vehicle", "rig", never=False) == TEXT


def test_a_phrase_moves_out_of_the_contrary_table() -> None:
    moved = add_phrase(TEXT, "large vehicle", "hgv", never=True)
    assert tomllib.loads(moved)["synonyms"] == {"large vehicle": ["rig"]}
    assert tomllib.loads(moved)["never_means"] == {"large vehicle": ["hgv"]}
    back = add_phrase(moved, "large vehicle", "hgv", never=False)
    assert tomllib.loads(back)["synonyms"] == {"large vehicle": ["rig", "hgv"]}
    assert tomllib.loads(back)["never_means"] == {}


@given(
    st.sampled_from(TEXTS),
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1),
    st.sampled_from(["lorry", "big lorry", "ego's wheel", "größe"]),
    st.booleans(),
)
def test_whatever_the_text_the_phrase_is_in_it_and_no_comment_is_lost(
    text: str, keyword: str, phrase: str, never: bool
) -> None:
    changed = add_phrase(text, keyword, phrase, never=never)
    before, after = tomllib.loads(text), tomllib.loads(changed)
    listed = after["never_means" if never else "synonyms"]
    assert any(phrase in phrases for phrases in listed.values())
    tables = ("synonyms", "never_means")
    assert {k: v for k, v in before.items() if k not in tables} == {
        k: v for k, v in after.items() if k not in tables
    }
    assert [line for line in text.splitlines() if "#" in line] == [
        line for line in changed.splitlines() if "#" in line and line in text.splitlines()
    ]
    assert ("\r\n" in text) == ("\r\n" in changed)


def test_what_is_not_toml_is_not_touched() -> None:
    with pytest.raises(tomllib.TOMLDecodeError):
        add_phrase("[synonyms\n", "bus", "coach", never=False)


def test_a_table_that_is_none_is_refused_with_the_line_to_write() -> None:
    with pytest.raises(InputError, match=r'write below \[synonyms\]: "bus" = \["coach"\]'):
        add_phrase("synonyms = 3\n", "bus", "coach", never=False)


def test_later_tables_win_over_earlier_ones() -> None:
    first = PhraseTables({"bus": ["coach", "a|b"]}, {"car": ["bus stop"]})
    both = first.overlaid(PhraseTables({"Car": ["bus stop"]}, {"bus": ["coaches"]}))
    assert both == PhraseTables({"bus": ["a|b"], "Car": ["bus stop"]}, {"bus": ["coaches"]})
