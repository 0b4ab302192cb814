"""What no result is written over: all that tui-eval keeps for its user (sessions, phrases that were
learned, vectors, evaluations, keys, settings), the program and the model that comes with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from engine.base.errors import InputError

_ROOT = Path(__file__).resolve().parents[3]
_STORE = "sessions.db"


def protect_store_name() -> None:
    """Keep the name of the store of sessions free, also while there is none: what is written there
    first would be taken for a damaged one."""
    from engine.files.data_folder import find_data_folder
    from engine.files.protection import protect_database

    protect_database(find_data_folder() / _STORE)


def list_own_files() -> Iterator[Path]:
    """All that are there, in the folders that the environment says."""
    from engine.files.data_folder import find_cache_folder, find_data_folder
    from engine.files.private import EVALUATIONS, OUR_NAMES
    from engine.text.model_files import find_embedded_folder
    from tui.keys.keymap import find_user_key_file
    from tui.opening.config import find_config_file

    for folder in (find_data_folder(), find_cache_folder()):
        for name in OUR_NAMES:
            yield from _find(folder, name)
    yield from _find(find_data_folder() / "learned", "*")
    yield from _find(find_cache_folder() / EVALUATIONS, "*")
    if (config := find_config_file()).exists():
        yield config
    keys = find_user_key_file()
    if keys is not None:
        yield keys
    for package in ("engine", "tui"):
        yield from _find(_ROOT / package, "**/*")
    with suppress(InputError):  # not installed
        yield from _find(find_embedded_folder(), "**/*")


def _find(folder: Path, pattern: str) -> Iterator[Path]:
    with suppress(OSError):  # what we may not see, we may not write either
        yield from folder.glob(pattern)
