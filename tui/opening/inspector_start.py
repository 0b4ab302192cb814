"""Start: what the command line asked the inspector for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.base.mode import Mode
from engine.sessions import Session, SessionStore
from tui.keys.keymap import Keymap, load_keymap
from tui.opening.looks import ImageMode

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset
    from engine.keywords.run import RunRequest
    from engine.text.encoder import SentenceEncoder


@dataclass(frozen=True, slots=True)
class InspectorStart:
    """How the inspector starts: what the command line asked for."""

    dataset: Dataset
    source: str
    """The dataset as a session names it: "sample", or an absolute path."""
    store: SessionStore
    session: Session | None = None
    notice: str = ""
    """What the user should know about the session that is resumed."""
    model: str | None = None
    groups: tuple[str, ...] | None = None
    left_out: tuple[str, ...] = ()
    query: tuple[Mode, str] | None = None
    min_similarity: float | None = None
    request: RunRequest | None = None
    """A run that is evaluated at once; None: the inspector starts with questions."""
    images: ImageMode = "auto"
    ascii: bool = False
    theme: str = "dark"
    keymap: Keymap = field(default_factory=lambda: load_keymap(None))
    encoder: SentenceEncoder | None = None
    """One that was started already; the app does not end it."""
