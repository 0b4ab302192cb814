"""Nobody else can read what is kept, whatever the umask and wherever it is put."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.files.data_folder import find_cache_folder, find_data_folder
from engine.files.private import make_private_folder, make_private_temporary
from engine.sessions import SessionStore, find_default_path
from engine.sessions.opening import back_up
from engine.sessions.repair import repair_store
from engine.text.vector_cache import VectorCache
from tests.engine.sessions.sessions_by_hand import HUB, target


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    """The permissions of a folder and of all that is in it."""
    found = {".": folder, **{str(file.relative_to(folder)): file for file in folder.rglob("*")}}
    return {name: oct(stat.S_IMODE(file.stat().st_mode)) for name, file in found.items()}


def use(store: SessionStore) -> None:
    store.create("sample", "sample").judge(target("a"), HUB)


@pytest.mark.usefixtures("umask")
def test_a_store_and_all_folders_to_it_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    with SessionStore(folder / "on the way" / "my.db") as store:
        use(store)

        assert modes(folder) == {
            ".": "0o700",
            "on the way": "0o700",
            "on the way/my.db": "0o600",
            "on the way/my.db-wal": "0o600",
            "on the way/my.db-shm": "0o600",
        }


@pytest.mark.usefixtures("umask")
def test_a_store_in_the_data_folder_is_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path / "data"))
    with SessionStore(find_default_path()) as store:
        use(store)

        assert set(modes(tmp_path / "data").values()) == {"0o700", "0o600"}
        assert modes(tmp_path / "data")["."] == "0o700"


@pytest.mark.usefixtures("umask")
def test_a_cache_of_vectors_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUI_EVAL_CACHE", str(tmp_path / "cache"))
    cache = VectorCache.for_model("0123456789abcdef")
    cache.put({"a query of mine": np.float32([1])})

    found = modes(tmp_path / "cache")
    cache.close()
    assert found.pop(".") == "0o700"
    assert len(found) == 3 and set(found.values()) == {"0o600"}


@pytest.mark.usefixtures("umask")
def test_backups_repaired_stores_and_temporary_copies_are_private(tmp_path: Path) -> None:
    path = tmp_path / "data" / "sessions.db"
    with SessionStore(path) as store:
        use(store)
    back_up(path, 1)
    path.write_bytes(path.read_bytes()[:-1])
    assert not repair_store(path).is_sound
    make_private_temporary(path.parent)

    found = modes(path.parent)
    assert len(found) == 5 and found.pop(".") == "0o700"
    assert set(found.values()) == {"0o600"}


def test_a_store_that_others_could_read_is_tightened(tmp_path: Path) -> None:
    path = tmp_path / "data" / "sessions.db"
    with SessionStore(path) as store:
        use(store)
    path.chmod(0o644)
    path.parent.chmod(0o755)

    with SessionStore(path):
        assert modes(path.parent) == {
            ".": "0o700",
            "sessions.db": "0o600",
            "sessions.db-wal": "0o600",
            "sessions.db-shm": "0o600",
        }


@pytest.mark.parametrize("mode", [0o755, 0o1777, 0o2775])
def test_a_folder_with_files_of_others_stays_as_it_is(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    if mode == 0o755:  # the others say by themselves that they are shared
        (folder / "notes.txt").touch(0o644)
    folder.chmod(mode)

    SessionStore(folder / "sessions.db").close()

    assert modes(folder)["."] == oct(mode)
    assert modes(folder)["sessions.db"] == "0o600"


@pytest.mark.parametrize("relative", [False, True])
def test_a_folder_is_treated_the_same_however_it_is_named(
    relative: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which was there: empty, it is somebody else's; with a store and nothing else, it is ours."""
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o755)
    path = Path("my.db") if relative else tmp_path / "my.db"

    SessionStore(path).close()
    assert modes(tmp_path) == {".": "0o755", "my.db": "0o600"}

    SessionStore(path).close()
    assert modes(tmp_path) == {".": "0o700", "my.db": "0o600"}


def test_the_home_folder_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    tmp_path.chmod(0o755)

    SessionStore(tmp_path / "sessions.db").close()

    assert modes(tmp_path)["."] == "0o755"


def test_a_file_of_another_program_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a store" * 99)
    path.chmod(0o644)

    with pytest.raises(InputError, match="not a session store"):
        SessionStore(path)

    assert modes(tmp_path)["notes.txt"] == "0o644"


def test_a_link_to_a_store_that_is_not_there_makes_a_private_one(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")
    before = os.umask(0)
    SessionStore(tmp_path / "link.db").close()
    os.umask(before)

    assert modes(tmp_path)["real.db"] == "0o600"


def test_without_a_home_folder_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_home(*_: str) -> Path:
        raise RuntimeError("no home")

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TUI_EVAL_DATA", raising=False)
    monkeypatch.setattr("platformdirs.user_data_path", no_home)
    monkeypatch.setattr("pathlib.Path.expanduser", no_home)

    with pytest.raises(InputError, match=r"there is no home folder; set \$HOME"):
        make_private_folder(find_data_folder())

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "variable, find",
    [("TUI_EVAL_DATA", find_data_folder), ("TUI_EVAL_CACHE", find_cache_folder)],
)
def test_a_tilde_in_a_variable_is_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, find: Callable[[], Path]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(variable, "~/kept")

    assert find() == tmp_path / "kept"


def test_the_home_folder_of_nobody_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TUI_EVAL_CACHE", "~no-such-user/x")

    with pytest.raises(InputError, match='there is no home folder of a user "no-such-user"'):
        make_private_folder(find_cache_folder())

    assert list(tmp_path.iterdir()) == []


def test_a_tilde_that_was_not_expanded_is_written_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    with pytest.raises(InputError, match=f"~ was not expanded; write {tmp_path}/kept"):
        make_private_folder(Path("~/kept"))


def test_links_in_a_circle_are_told_in_one_line_and_cost_no_result(tmp_path: Path) -> None:
    circle = tmp_path / "circle"
    circle.symlink_to(circle)

    for open_it in (SessionStore, repair_store):
        with pytest.raises(InputError, match="circle"):
            open_it(circle)
    cache = VectorCache(circle)
    cache.put({"a car": np.ones(2, dtype=np.float32)})
    assert list(cache.get(["a car"])) == ["a car"]
