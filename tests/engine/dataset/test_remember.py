"""What people teach the mapper: it is kept, it is found again, and it does what was meant."""

from __future__ import annotations

import os
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.dataset import remember
from engine.dataset.dataset import Dataset
from engine.dataset.learned_file import add_learned, find_learned_file
from engine.dataset.phrase_tables import add_phrase
from engine.dataset.remember import (
    remember_phrase,
    reread_phrases,
)
from engine.dataset.settings_file import open_dataset, open_dataset_files
from engine.files import change
from engine.files.change import change_file
from engine.text.encoder import SentenceEncoder
from engine.text.learning.literal_phrases import write_literal
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
    assert remember_phrase(dataset, DEER, "Stag!", never=False, beside=beside).file == (
        dataset.settings_file
    )
    text = (dataset.source / "dataset.toml").read_text()
    assert text == TOML + '\n[synonyms]\n"red deer" = ["stag"]\n'
    assert not beside.exists()


def test_a_keyword_cannot_be_forbidden_by_its_own_name(dataset: Dataset, beside: Path) -> None:
    with pytest.raises(InputError, match="the name of the keyword itself"):
        remember_phrase(dataset, DEER, "red deers", never=True, beside=beside)


@pytest.mark.parametrize(
    ("never", "phrase"),
    [
        ('"red deer" = ["big|old stag"]', "old stag"),
        ('"red deer" = ["big|old stag"]', "very old stag"),  # says more: that may mean it
        ('"red deer" = ["big|old stag"]', "young stag"),
        ('"red deer" = ["roe-buck|doe"]', "roe bucks"),
        ('"red deer" = ["@actor herd?"]', "pedestrian"),
        ('"red deer" = ["elk"]\n"Red Deers" = ["big stag", "stag?  big|old"]', "old"),
        ('"Red-Deer" = ["stag ... field"]', "stag in a field"),
        ('"red deer" = ["stag ... field"]', "stag in a maize field"),
    ],
)
def test_a_phrase_is_refused_exactly_where_the_mapper_would_not_heed_it(
    tmp_path: Path, beside: Path, never: str, phrase: str, encoder: SentenceEncoder
) -> None:
    text = f"{TOML}[never_means]\n{never}\n"
    dataset = make_dataset(tmp_path, text)
    told = replace(dataset, synonyms={"red deer": [write_literal(phrase)]})
    if "red deer" in mapped(told, phrase, encoder):
        remember_phrase(dataset, DEER, phrase, never=False, beside=beside)
        assert "red deer" in mapped(open_dataset(tmp_path), phrase, encoder)
    else:
        with pytest.raises(
            InputError, match=r"dataset\.toml: \[never_means\] has .*cannot mean it"
        ):
            remember_phrase(dataset, DEER, phrase, never=False, beside=beside)
        assert (tmp_path / "dataset.toml").read_text() == text


def test_what_counts_is_what_the_file_says_when_it_is_written(
    dataset: Dataset, beside: Path
) -> None:
    file = dataset.source / "dataset.toml"
    file.write_text(TOML + '[never_means]\n"red deer" = ["big|old stag"]\n')  # since it was opened
    with pytest.raises(InputError, match="cannot mean it"):
        remember_phrase(dataset, DEER, "old stag", never=False, beside=beside)
    file.write_text(TOML)
    beside.parent.mkdir()
    beside.write_text('[never_means]\n"red deer" = ["big|old stag"]\n')
    with pytest.raises(InputError, match=r"farm\.toml: .*cannot mean it"):
        remember_phrase(dataset, DEER, "old stag", never=False, beside=beside)
    assert file.read_text() == TOML


def test_the_contrary_is_taken_out_of_every_spelling_of_the_keyword(
    tmp_path: Path, beside: Path
) -> None:
    dataset = make_dataset(tmp_path, f'{TOML}[never_means]\nhare = ["bun"]\nHares = ["bunny"]\n')
    remember_phrase(dataset, HARE, "bunny", never=False, beside=beside)
    again = reread_phrases(dataset, beside)
    assert again.synonyms == {"hare": ["bunny"]}
    assert again.never_means == {"hare": ["bun"]}


def test_what_is_taken_back_leaves_the_files_as_they_were(dataset: Dataset, beside: Path) -> None:
    single = open_dataset_files(dataset.annotations_file)
    first = remember_phrase(single, DEER, "zorp", never=False, beside=beside)
    held = beside.read_bytes()
    remember_phrase(single, DEER, "zork", never=False, beside=beside).take_back()
    assert beside.read_bytes() == held
    first.take_back()
    assert not beside.exists()


def test_what_another_program_wrote_just_before_is_not_taken_back(
    dataset: Dataset, beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = dataset.source / "dataset.toml"

    def add(text: str, *given: str, never: bool) -> str:
        if "theirs" not in text:  # between the opening and the writing
            file.write_text(text + "# theirs\n")
        return add_phrase(text, *given, never=never)

    monkeypatch.setattr(remember, "add_phrase", add)
    remember_phrase(dataset, DEER, "zorp", never=False, beside=beside).take_back()
    assert file.read_text() == TOML + "# theirs\n"


def test_two_files_are_taken_back_together_or_not_at_all(dataset: Dataset, beside: Path) -> None:
    beside.parent.mkdir()
    beside.write_text('[never_means]\n"red deer" = ["zorp"]\n')
    kept = remember_phrase(dataset, DEER, "zorp", never=False, beside=beside)
    assert len(kept.changes) == 2
    beside.write_text(beside.read_text() + "# theirs\n")
    file = dataset.source / "dataset.toml"
    now = file.read_text()
    with pytest.raises(InputError, match=r"farm\.toml: was changed since"):
        kept.take_back()
    assert file.read_text() == now != TOML


def test_a_phrase_is_kept_in_both_files_or_in_none(dataset: Dataset, beside: Path) -> None:
    beside.parent.mkdir()
    beside.write_text("synonyms = 1\n")
    with pytest.raises(InputError, match=r"farm\.toml"):
        remember_phrase(dataset, DEER, "zorp", never=False, beside=beside)
    assert (dataset.source / "dataset.toml").read_text() == TOML


@pytest.mark.skipif(sys.platform == "win32", reason="has no such locks")
def test_a_folder_that_another_program_keeps_locked_is_not_waited_for_without_end(
    dataset: Dataset, beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    monkeypatch.setattr(change, "PATIENCE", 0.1)
    handle = os.open(dataset.source, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        with pytest.raises(
            InputError, match=r"dataset\.toml: another program has kept .*try again"
        ):
            remember_phrase(dataset, DEER, "zorp", never=False, beside=beside)
    finally:
        os.close(handle)
    remember_phrase(dataset, DEER, "zorp", never=False, beside=beside)


def test_a_dataset_of_single_files_learns_beside(
    dataset: Dataset, beside: Path, encoder: SentenceEncoder
) -> None:
    single = open_dataset_files(dataset.annotations_file)
    assert remember_phrase(single, DEER, "zorp", never=False, beside=beside).file == beside
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
        assert remember_phrase(dataset, DEER, "zorp", never=False, beside=beside).file == beside
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
    assert remember_phrase(sample, keyword, "zorp", never=False, beside=beside).file == beside
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
    calls: list[str] = []

    def extend(text: str) -> str:
        if not calls:
            file.write_text("two ")  # an editor, between the reading and the writing
        calls.append(text)
        return text + "three"

    change_file(file, extend)
    assert file.read_text() == "two three"
    assert calls == ["one ", "two "]


def test_settings_that_are_broken_now_are_reported_and_kept(dataset: Dataset, beside: Path) -> None:
    file = dataset.source / "dataset.toml"
    file.write_text("[synonyms\n")
    with pytest.raises(InputError, match=r"dataset\.toml.*is not valid TOML"):
        remember_phrase(dataset, DEER, "zorp", never=False, beside=beside)
    assert file.read_text() == "[synonyms\n"


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_what_is_learned_beside_is_nobody_elses_business(tmp_path: Path, umask: int) -> None:
    dataset = make_dataset(tmp_path, TOML + "[mapper]\nlearns = false\n")
    beside = tmp_path / "data" / "learned" / "farm.toml"
    before = os.umask(umask)
    try:
        remember_phrase(dataset, DEER, "stag", never=False, beside=beside)
    finally:
        os.umask(before)

    modes = [place.stat().st_mode & 0o777 for place in (beside.parents[1], beside.parent, beside)]
    assert modes == [0o700, 0o700, 0o600]


def test_what_is_learned_is_private_before_it_has_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process may be killed before it can do anything more about it."""
    dataset = make_dataset(tmp_path, TOML + "[mapper]\nlearns = false\n")
    beside = tmp_path / "farm.toml"  # in a folder that others may enter
    tmp_path.chmod(0o755)
    monkeypatch.setattr(Path, "chmod", lambda *_: None)

    remember_phrase(dataset, DEER, "stag", never=False, beside=beside)

    assert beside.stat().st_mode & 0o777 == 0o600
