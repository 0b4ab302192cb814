"""What the command line asked an application for, above all the inspector."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tui.keys.keymap import Keymap, load_keymap
from tui.opening.layout import PaneLayout
from tui.opening.remember import Memory

if TYPE_CHECKING:
    from engine.base.choices import Mode, OnePerPolicy, RelevancePolicy
    from engine.dataset.dataset import Dataset
    from engine.keywords.question import AskedQuery
    from engine.keywords.run import RunRequest
    from engine.sessions import Session, SessionStore
    from engine.text.encoder import SentenceEncoder
    from tui.opening.frame_choices import FrameView, ImageMode
    from tui.opening.system_pair import SystemPair


@dataclass(frozen=True, slots=True, kw_only=True)
class AppStart:
    """How any application looks, and which keys it has."""

    ascii: bool = False
    theme: str = "dark"
    keymap: Keymap = field(default_factory=lambda: load_keymap(None))
    memory: Memory = field(default_factory=lambda: Memory(None))
    """Where what a person chooses is written down."""
    layout: PaneLayout = field(default_factory=PaneLayout)


@dataclass(frozen=True, slots=True)
class InspectorStart(AppStart):
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
    query: tuple[Mode, str] | AskedQuery | None = None
    keywords: tuple[str, ...] | None = None
    """Of the query, in place of its own."""
    min_similarity: float | None = None
    relevance: RelevancePolicy | None = None
    one_per: OnePerPolicy | None = None
    against: str | None = None
    """The model that rankings are held against; None: the next one."""
    request: RunRequest | None = None
    """What a command asked to compute, and how: its queries, metrics and policies; None: as the
    dataset has it."""
    comparison: SystemPair | None = None
    """Saved runs of this dataset that are compared at once."""
    images: ImageMode = "auto"
    frames: FrameView | None = None
    """How frames are shown at first; None: nobody has said anything of it."""
    cache: Path | None = None
    """The folder in which evaluations are kept; None: they are forgotten."""
    encoder: SentenceEncoder | None = None
    """One that was started already; the app does not end it."""

    @property
    def evaluates_at_once(self) -> bool:
        """Whether the request is for a whole query set: no single query, nor a session, is there
        to begin with."""
        return self.request is not None and self.query is None and self.session is None
