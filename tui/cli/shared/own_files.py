"""What tui-eval keeps for its user, which no result is written over: sessions, phrases that were
learned, vectors, keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def list_own_files() -> Iterator[Path]:
    """All that are there, in the folders that the environment says."""
    from engine.files.data_folder import find_data_folder
    from engine.sessions import find_default_path
    from engine.text.vector_cache import find_cache_folder
    from tui.keys.keymap import find_user_key_file

    store = find_default_path()
    yield from store.parent.glob(f"{store.name}*")  # with its log
    yield from (find_data_folder() / "learned").glob("*")
    yield from find_cache_folder().glob("vectors-*")
    keys = find_user_key_file()
    if keys is not None:
        yield keys
