"""What lists and texts share: they are painted line by line, and move by the same keys."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from textual.binding import BindingType
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui.keys.commands import make_bindings
from tui.keys.keymap import Keymap, find_keymap
from tui.look.glyphs import UNICODE, Glyphs
from tui.look.nouns import Nouns, find_nouns


class ScrolledLines(ScrollView, can_focus=True, inherit_bindings=False):
    """Lines that move by the keys of every list and table."""

    BINDINGS: ClassVar[list[BindingType]] = make_bindings("table")
    line_style = Style.null()
    """Of a line that is not special, as of the paint that is under way."""

    @property
    def _glyphs(self) -> Glyphs:
        return getattr(self.app, "glyphs", UNICODE)

    @property
    def _nouns(self) -> Nouns:
        return find_nouns(self.app)

    @property
    def _keymap(self) -> Keymap:
        return find_keymap(self.app)

    def _ink(self, component: str) -> Style:
        """What a component class adds to the style of its line: never the background."""
        full = self.get_component_rich_style(component)
        return Style(
            color=full.color,
            bold=full.bold or None,
            italic=full.italic or None,
            underline=full.underline or None,
        )

    # Painting

    def render_lines(self, crop: Region) -> list[Strip]:
        """Looks for the style once, and not for every line, as it asks every ancestor."""
        self.line_style = self.rich_style
        return super().render_lines(crop)

    # Moving

    @property
    def _page(self) -> int:
        """Lines that move."""
        return max(1, self.size.height)

    def move_by(self, lines: int) -> None:
        """Move down, or up, as far as there are lines."""
        raise NotImplementedError

    def action_cursor_down(self) -> None:
        self.move_by(1)

    def action_cursor_up(self) -> None:
        self.move_by(-1)

    def action_half_page_down(self) -> None:
        self.move_by(max(1, self._page // 2))

    def action_half_page_up(self) -> None:
        self.move_by(-max(1, self._page // 2))

    def action_page_down(self) -> None:
        self.move_by(self._page)

    def action_page_up(self) -> None:
        self.move_by(-self._page)

    def action_first(self) -> None:
        self.move_by(-self.virtual_size.height)

    def action_last(self) -> None:
        self.move_by(self.virtual_size.height)
