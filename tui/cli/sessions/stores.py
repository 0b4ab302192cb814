"""Where the commands about sessions find them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.base.errors import InputError, Place
from engine.files.protection import protect_input
from engine.files.reader import reads
from tui.cli.completion.values import complete_sessions
from tui.cli.shared.groups import argument
from tui.cli.shared.look_options import STORE
from tui.opening.stores import require_named

if TYPE_CHECKING:
    from engine.sessions import SessionStore

SESSION_ARGUMENT = partial(
    argument,
    "SESSION",
    'Its number, its name or the beginning of it, or "latest".',
    autocompletion=complete_sessions,
)


@dataclass(frozen=True)
class StoreOptions:
    """Where the saved sessions are."""

    store: Path | None = STORE()

    def __post_init__(self) -> None:
        """No result takes its place, also where there is none yet."""
        protect_input(self.path)

    @property
    def path(self) -> Path:
        from engine.sessions import find_default_path

        return self.store or find_default_path()

    def read(self) -> SessionStore:
        """The store for a command that changes nothing: also one that cannot be written."""
        from engine.sessions import SessionStore

        require_named(self.store)
        return SessionStore.open_to_read(self.path)

    def is_there(self) -> bool:
        """Whether there is a store to look at; an error if there cannot be one."""
        if self.store is not None or self.path.exists():
            return True
        folder = next((one for one in self.path.parents if one.exists()), None)
        if folder is not None and not folder.is_dir():
            hint = "name a folder in $TUI_EVAL_DATA"
            raise InputError("is not a folder: no session can be saved in it", folder, hint=hint)
        return False

    def open(self, *, make: bool = False) -> SessionStore:
        """The store; one that was named must be there, unless something is to be put into it."""
        from engine.sessions import SessionStore

        if not make:
            require_named(self.store)
        return SessionStore(self.path)


@reads("a saved session")
def read_document_file(file: Path) -> Any:
    from engine.files.text import parse_json, read_text

    return parse_json(read_text(file), Place(file))
