"""What the command line asked an application for: the inspector, two systems, or moments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tui.keys.keymap import Keymap, load_keymap
from tui.opening.layout import PaneLayout
from tui.opening.remember import Memory

if TYPE_CHECKING:
    from engine.base.choices import Mode
    from engine.compare import Comparison
    from engine.dataset.dataset import Dataset
    from engine.keywords.run import RunRequest
    from engine.moments.moments_source import MomentsRequest
    from engine.moments.tasks import HitRule, Task
    from engine.results.results import Results
    from engine.sessions import Session, SessionStore
    from engine.text.encoder import SentenceEncoder
    from tui.opening.frame_choices import FrameView, ImageMode


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
class SystemPair:
    """Two systems that were read from files, and what compares them: the one before, then the one
    after."""

    systems: tuple[Results, Results]
    compare: Callable[[Results, Results], Comparison]

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The modes that both have."""
        old, new = self.systems
        return tuple(cast("Mode", mode) for mode in old.modes if mode in new.modes)


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
    query: tuple[Mode, str] | None = None
    min_similarity: float | None = None
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


@dataclass(frozen=True, slots=True)
class CompareStart(AppStart):
    """Two systems, without a dataset."""

    pair: SystemPair


@dataclass(frozen=True, slots=True)
class MomentsStart(AppStart):
    """Which files, and how they are looked at first.

    task  None: the first that the file has
    at    None: the smallest IoU and k of the request
    near  the IoU from which a miss is nearly right; None: the usual one
    """

    request: MomentsRequest
    task: Task | None = None
    at: HitRule | None = None
    near: float | None = None
