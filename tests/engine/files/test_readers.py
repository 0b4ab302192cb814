"""A reader gives a value or an error that names its file, whatever happens inside of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.files.protection import OverwritingError, claim_output, protecting_inputs
from engine.files.reader import READERS, UnforeseenError, reads

FILE = Path("clips.csv")


@pytest.fixture(autouse=True)
def no_new_readers() -> Iterator[None]:
    """Those of the tests do not stay."""
    before = dict(READERS)
    yield
    READERS.clear()
    READERS.update(before)


@pytest.mark.parametrize(
    "error", [KeyError("x"), OverflowError("too large"), UnicodeError("no"), RecursionError()]
)
def test_what_a_library_raises_names_the_file_and_stays_behind_it(error: Exception) -> None:
    @reads("a table")
    def read(path: Path) -> None:
        raise error

    with pytest.raises(UnforeseenError) as caught:
        read(FILE)
    assert str(caught.value).startswith("clips.csv: cannot be read as a table (")
    assert type(error).__name__ in str(caught.value)
    assert caught.value.__cause__ is error


def test_whoever_looks_for_a_bug_gets_the_error_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUI_EVAL_DEBUG", "1")

    @reads("a table")
    def read(path: Path) -> None:
        raise KeyError("a slip of ours")

    with pytest.raises(KeyError, match="a slip of ours"):
        read(FILE)


def test_what_is_known_to_be_wrong_is_said_as_it_is() -> None:
    @reads("a table")
    def read(path: Path) -> None:
        raise InputError("is empty", path)

    with pytest.raises(InputError, match=r"^clips.csv: is empty$") as caught:
        read(FILE)
    assert not isinstance(caught.value, UnforeseenError)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_whoever_wants_to_stop_is_not_held_up(stop: type[BaseException]) -> None:
    @reads("a table")
    def read(path: Path) -> None:
        raise stop

    with pytest.raises(stop):
        read(FILE)


def test_memory_that_runs_out_is_said_of_the_file() -> None:
    @reads("a table")
    def read(path: Path) -> None:
        raise MemoryError

    with pytest.raises(InputError, match=r"clips.csv: does not fit in memory; free some memory"):
        read(FILE)


def test_the_file_may_be_part_of_a_request_and_is_protected(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.touch()

    @reads("a request", lambda request: request["file"])
    def read(request: dict[str, Path]) -> int:
        return 1

    with protecting_inputs():
        assert read({"file": file}) == 1
        with pytest.raises(OverwritingError):
            claim_output(file)


def test_readers_are_listed_by_their_place() -> None:
    @reads("a table")
    def read(path: Path) -> None: ...

    found = [reader for name, reader in READERS.items() if name.endswith(".read")]
    assert [reader.what for reader in found if reader.function is read] == ["a table"]


def test_what_the_system_says_is_said_of_the_file_that_it_names() -> None:
    @reads("a table")
    def read(path: Path) -> bool:
        return path.with_name("x" * 300).exists()

    with pytest.raises(InputError, match=r"xxx: cannot be read \(File name too long\)") as caught:
        read(FILE)
    assert not isinstance(caught.value, UnforeseenError)
