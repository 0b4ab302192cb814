"""What tui-eval keeps for its user, which no result is written over: sessions, phrases that were
learned, vectors, keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def list_own_files() -> Iterator[Path]:
    """All that are there, in the folders that the environment says."""
    from engine.files.data_folder import find_cache_folder, find_data_folder
    from engine.files.private import OUR_NAMES
    from tui.keys.keymap import find_user_key_file

    for folder in (find_data_folder(), find_cache_folder()):
        for name in OUR_NAMES:
            yield from _find(folder, name)
    yield from _find(find_data_folder() / "learned", "*")
    keys = find_user_key_file()
    if keys is not None:
        yield keys


def _find(folder: Path, pattern: str) -> Iterator[Path]:
    with suppress(OSError):  # what we may not see, we may not write either
        yield from folder.glob(pattern)
