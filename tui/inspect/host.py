"""What the Inspect screen needs of the app."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from textual.screen import Screen

    from tui.frames.images import ImageSupport
    from tui.look.glyphs import Glyphs
    from tui.look.nouns import Nouns
    from tui.opening.frame_choices import FrameView
    from tui.work.recorder import Recorder
    from tui.work.services import Services


class Origin(NamedTuple):
    """The table that a query was opened from.

    open_neighbour  opens the query some rows further; False at an end of the table
    """

    open_neighbour: Callable[[int], bool]
    show: Callable[[], None]


class InspectHost(Protocol):
    """What the Inspect screen needs of the app.

    frames  how frames are shown at the start
    """

    glyphs: Glyphs
    nouns: Nouns
    images: ImageSupport
    services: Services
    recorder: Recorder
    frames: FrameView

    @property
    def default_groups(self) -> tuple[str, ...]: ...

    @property
    def models(self) -> tuple[str, ...]: ...

    def is_earlier_model(self, one: str, other: str) -> bool:
        """Whether one model comes before the other: in a comparison, or in the dataset."""

    def other_model(self, model: str) -> str | None:
        """The model that the ranking is held against."""
        ...

    def show_error(self, error: Exception) -> None: ...

    def warn(self, text: str) -> None: ...

    def remember(self, setting: str, value: str) -> None:
        """Write down for the next time what was chosen."""
        ...

    def was_zoomed(self, screen: Screen[Any], pane: str) -> bool:
        """Whether a pane was given all the room of its screen, now or the time before."""
        ...

    def action_zoom(self) -> None:
        """Give the focused pane all the room, or give it back."""
        ...

    def say_done(self, text: str) -> None:
        """Say in the header what was just done, and that it can be undone."""
        ...
