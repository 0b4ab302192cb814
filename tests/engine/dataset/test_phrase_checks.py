"""What validation says of phrases: those that cannot be read, and those that contradict."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.dataset.settings_file import open_dataset
from engine.dataset.validation import validate

CSV = "slice_id,pv_field,pv_animal\na,maize,red deer\nb,wheat,hare\n"


def warn(folder: Path, tables: str) -> list[str]:
    (folder / "clips.csv").write_text(CSV)
    (folder / "dataset.toml").write_text(f'annotations = "clips.csv"\n{tables}\n')
    faults = validate(open_dataset(folder))
    return [fault.message for fault in faults if fault.part == "synonyms"]


def test_phrases_that_agree_are_not_worth_a_word(tmp_path: Path) -> None:
    said = '[synonyms]\nhare = ["bunny"]\nmaize = ["bunny"]\n[never_means]\nhare = ["bunny suit"]'
    assert warn(tmp_path, said) == []


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (
            '[synonyms]\nhare = ["game"]\n"red deer" = ["Games"]',
            '"game" is a synonym of "hare", "red deer" in animal: it can mean only one of them',
        ),
        (
            '[synonyms]\nhare = ["bunny"]\n[never_means]\nHare = ["bunnies"]',
            '"bunny" is a synonym of "hare" that [never_means] forbids by "bunnies"',
        ),
        (
            '[synonyms]\nhare = ["big bunny"]\n[never_means]\nhare = ["big|small bunny"]',
            '"big bunny" is a synonym of "hare" that [never_means] forbids by "big|small bunny"',
        ),
        (
            '[synonyms]\nhare = ["bunny"]\nHares = ["leveret"]',
            '[synonyms] has one keyword as "hare", "Hares": their phrases count together',
        ),
        (
            '[never_means]\nrabbit = ["bunny"]',
            "'rabbit' is no keyword of the annotations: its phrases are never used",
        ),
    ],
)
def test_what_may_not_be_meant_is_a_warning(tmp_path: Path, tables: str, message: str) -> None:
    assert warn(tmp_path, tables) == [message]


@pytest.mark.parametrize("name", ["synonyms", "never_means"])
@pytest.mark.parametrize("phrase", ["skillet||", "(skillet"])
def test_a_phrase_that_cannot_be_read_is_refused_with_its_place(
    tmp_path: Path, name: str, phrase: str
) -> None:
    with pytest.raises(InputError) as caught:
        warn(tmp_path, f'[{name}]\nhare = ["{phrase}"]')
    line = str(caught.value)
    assert f"dataset.toml, setting {name}: [{name}] 'hare': the phrase '{phrase}' cannot" in line
    assert "write plain words" in line
