"""What people teach the mapper: it is kept, it is found again, and it does what was meant."""

from __future__ import annotations

import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.dataset.dataset import Dataset
from engine.dataset.remember import (
    add_learned,
    find_learned_file,
    remember_phrase,
    reread_phrases,
)
from engine.dataset.settings_file import open_dataset, open_dataset_files
from engine.files.change import change_file
from engine.text.encoder import SentenceEncoder
from engine.text.mapping.literal_phrases import write_literal
from sample_data import folder as sample_folder

CSV = "slice_id,pv_field,pv_animal\na,maize,red deer\nb,wheat,hare\n"
TOML = '# Our farm.\nannotations = "clips.csv"\n'
DEER, HARE = Keyword("animal", "red deer"), Keyword("animal", "hare")


def make_dataset(folder: Path, text: str = TOML) -> Dataset:
    (folder / "clips.csv").write_text(CSV)
    (folder / "dataset.toml").write_text(text)
    return open_dataset(folder)


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return make_dataset(tmp_path)


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    return tmp_path / "learned" / "farm.toml"


def mapped(dataset: Dataset, text: str, encoder: SentenceEncoder) -> set[str]:
    return {item.keyword.name for item in dataset.mapper(encoder).map(text).keywords}


PHRASES = st.lists(
    st.sampled_from(
        ["zorp", "the", "big", "a|b", "(1)", "=fast", "@actor", "^up", "...", "why?", "our car"]
    )
    | st.text(max_size=8),
    min_size=1,
    max_size=5,
).map(" ".join)


@given(PHRASES)
@example("⑴ zorp")
@example("bridge/tunnel")
@example("the zorp, big")
def test_a_remembered_phrase_means_exactly_its_words(encoder: SentenceEncoder, phrase: str) -> None:
    with TemporaryDirectory() as folder:
        dataset = make_dataset(Path(folder))
        try:
            written = write_literal(phrase)
        except InputError:
            assume(False)
        assert write_literal(written) == written
        beside = Path(folder) / "beside.toml"
        remember_phrase(dataset, DEER, phrase, never=False, beside=beside)
        assert "red deer" in mapped(open_dataset(Path(folder)), phrase, encoder)
        if "hare" not in written:  # its own name is not to be forbidden
            remember_phrase(dataset, DEER, phrase, never=True, beside=beside)
            assert "red deer" not in mapped(open_dataset(Path(folder)), phrase, encoder)


@pytest.mark.parametrize("phrase", ["", "the", "of in", "...", "show me", "one. two", "one, two"])
def test_a_phrase_that_says_nothing_or_two_things_is_refused(
    dataset: Dataset, beside: Path, phrase: str
) -> None:
    with pytest.raises(InputError):
        remember_phrase(dataset, DEER, phrase, never=False, beside=beside)
    assert (dataset.source / "dataset.toml").read_text() == TOML


def test_the_users_own_comments_stay(dataset: Dataset, beside: Path) -> None:
    assert remember_phrase(dataset, DEER, "Stag!", never=False, beside=beside) == (
        dataset.settings_file
    )
    text = (dataset.source / "dataset.toml").read_text()
    assert text == TOML + '\n[synonyms]\n"red deer" = ["stag"]\n'
    assert not beside.exists()


def test_a_keyword_cannot_be_forbidden_by_its_own_name(dataset: Dataset, beside: Path) -> None:
    with pytest.raises(InputError, match="the name of the keyword itself"):
        remember_phrase(dataset, DEER, "red deers", never=True, beside=beside)


def test_what_a_pattern_forbids_cannot_be_learned_behind_its_back(
    tmp_path: Path, beside: Path
) -> None:
    dataset = make_dataset(tmp_path, TOML + '[never_means]\n"red deer" = ["big|old stag"]\n')
    with pytest.raises(InputError, match=r'never_means.*"big\|old stag".*cannot mean it'):
        remember_phrase(dataset, DEER, "very old stag", never=False, beside=beside)
    remember_phrase(dataset, DEER, "young stag", never=False, beside=beside)


def test_a_dataset_of_single_files_learns_beside(
    dataset: Dataset, beside: Path, encoder: SentenceEncoder
) -> None:
    single = open_dataset_files(dataset.annotations_file)
    assert remember_phrase(single, DEER, "zorp", never=False, beside=beside) == beside
    assert mapped(add_learned(single, beside), "zorp", encoder) == {"red deer"}
    assert "zorp" not in (dataset.source / "dataset.toml").read_text()


@pytest.mark.parametrize("read_only", ["file", "folder"])
def test_settings_that_may_not_be_written_are_left_alone(
    dataset: Dataset, beside: Path, read_only: str, encoder: SentenceEncoder
) -> None:
    beside.parent.mkdir()
    file = dataset.source / "dataset.toml"
    protected = file if read_only == "file" else dataset.source
    protected.chmod(0o444 if read_only == "file" else 0o555)
    try:
        assert remember_phrase(dataset, DEER, "zorp", never=False, beside=beside) == beside
    finally:
        protected.chmod(0o755)
    assert file.read_text() == TOML
    learned = add_learned(open_dataset(dataset.source), beside)
    assert mapped(learned, "zorp", encoder) == {"red deer"}
    assert beside in learned.files


def test_the_sample_is_never_written_into(beside: Path) -> None:
    sample = open_dataset(sample_folder())
    before = (sample_folder() / "dataset.toml").read_bytes()
    keyword = sample.truth.words.keywords[0]
    assert remember_phrase(sample, keyword, "zorp", never=False, beside=beside) == beside
    assert (sample_folder() / "dataset.toml").read_bytes() == before


def test_what_lies_beside_wins_over_the_settings(tmp_path: Path, beside: Path) -> None:
    dataset = make_dataset(
        tmp_path, TOML + '[synonyms]\nhare = ["bunny"]\n[mapper]\nlearns = false\n'
    )
    remember_phrase(dataset, HARE, "bunnies", never=True, beside=beside)
    learned = add_learned(dataset, beside)
    assert learned.synonyms == {}
    assert learned.never_means == {"hare": ["bunnies"]}


def test_what_lies_beside_does_not_contradict_what_is_learned_later(
    tmp_path: Path, beside: Path
) -> None:
    locked = make_dataset(tmp_path, TOML + "[mapper]\nlearns = false\n")
    remember_phrase(locked, HARE, "bunny", never=True, beside=beside)
    dataset = make_dataset(tmp_path, TOML)
    remember_phrase(dataset, HARE, "bunny", never=False, beside=beside)
    learned = reread_phrases(dataset, beside)
    assert learned.synonyms == {"hare": ["bunny"]}
    assert not learned.never_means


def test_a_dataset_reads_again_what_it_says_now(dataset: Dataset, beside: Path) -> None:
    remember_phrase(dataset, HARE, "bunny", never=False, beside=beside)
    assert dataset.synonyms == {}
    assert reread_phrases(dataset, beside).synonyms == {"hare": ["bunny"]}


def test_every_place_has_a_file_of_its_own(tmp_path: Path) -> None:
    datasets = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        datasets.append(make_dataset(tmp_path / name))
    files = {find_learned_file(dataset, tmp_path) for dataset in datasets}
    assert len(files) == 2
    again = open_dataset(tmp_path / "two" / ".." / "one")
    assert find_learned_file(again, tmp_path) in files


def test_many_at_once_lose_nothing(dataset: Dataset, beside: Path) -> None:
    phrases = [f"zorp{'x' * number}" for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        list(
            pool.map(
                lambda phrase: remember_phrase(dataset, DEER, phrase, never=False, beside=beside),
                phrases,
            )
        )
    text = (dataset.source / "dataset.toml").read_text()
    assert sorted(tomllib.loads(text)["synonyms"]["red deer"]) == sorted(phrases)


def test_what_an_editor_saves_meanwhile_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one ")
    calls = []

    def change(text: str) -> str:
        if not calls:
            file.write_text("two ")  # an editor, between the reading and the writing
        calls.append(text)
        return text + "three"

    change_file(file, change)
    assert file.read_text() == "two three"
    assert calls == ["one ", "two "]


def test_settings_that_are_broken_now_are_reported_and_kept(dataset: Dataset, beside: Path) -> None:
    file = dataset.source / "dataset.toml"
    file.write_text("[synonyms\n")
    with pytest.raises(InputError, match=r"dataset\.toml.*is not valid TOML"):
        remember_phrase(dataset, DEER, "zorp", never=False, beside=beside)
    assert file.read_text() == "[synonyms\n"
