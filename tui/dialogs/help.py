"""Help for the pane that has the focus: what it shows, its keys as they are now, and the terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from tui.dialogs.dialog import ScrollingScreen
from tui.keys.active import find_active_panes, list_offered_commands
from tui.keys.keymap import Keymap
from tui.keys.panes import PANES, TERMS, TERMS_OF_KEYWORDS
from tui.look.nouns import Nouns, find_nouns

_KEYS = 18
"""Cells of the column of keys; more keys than fit go on below."""


_OWN_KEYS = (
    "`tui-eval keys` lists every command with its id, and docs/keys.md says how to change its keys."
)


def build_help(screen: Screen[Any], keymap: Keymap) -> HelpScreen:
    """Help for whatever has the focus on a screen."""
    # What all lists share is no news: it comes after what only this pane does.
    panes = sorted(find_active_panes(screen) or ("app",), key=("app", "table").__contains__)
    return HelpScreen(panes, keymap)


class HelpScreen(ScrollingScreen):
    """The panes that the focus is in, from the inside out, then the terms."""

    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter", "dismiss(None)", "Close"),
    ]

    def __init__(self, panes: Sequence[str], keymap: Keymap) -> None:
        super().__init__()
        self._panes = panes
        self._keymap = keymap

    def compose(self) -> ComposeResult:
        scroll = VerticalScroll(*self._sections(), can_focus=False)
        scroll.border_title = Content(
            find_nouns(self.app).spell(f"Help: {PANES[self._panes[0]].title}")
        )
        scroll.border_subtitle = Content("j k scroll, Escape closes")
        yield scroll

    def _sections(self) -> Iterator[Widget]:
        nouns = find_nouns(self.app)
        for place, pane in enumerate(self._panes):
            words = PANES[pane]
            if place:  # the first is named by the frame
                yield Static(Content(nouns.spell(words.title)), classes="title")
            yield Static(Content(nouns.spell(words.text)), classes="text")
            yield Static(self._keys(pane, nouns), classes="keys")
        yield Static(Content("Terms"), classes="title")
        yield Static(_grid(_terms(getattr(self.app, "terms", TERMS), nouns), 20))
        yield Static(Content("Your own keys"), classes="title")
        yield Static(Content(_OWN_KEYS))

    def _keys(self, pane: str, nouns: Nouns) -> Table:
        return _grid(
            [
                (
                    "  ".join(self._keymap.named(command.id)) or "(palette)",
                    nouns.spell(command.about),
                )
                for command in list_offered_commands(self.app, pane)
            ],
            _KEYS,
        )


def _terms(terms: Sequence[tuple[str, str]], nouns: Nouns) -> list[tuple[str, str]]:
    """The terms in the dataset's words, without those that it has no use for."""
    return [
        (term, nouns.spell(about))
        for term, about in terms
        if not (nouns.has_labels and term.strip() in TERMS_OF_KEYWORDS)
    ]


def _grid(rows: Sequence[tuple[str, str]], width: int) -> Table:
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(width=width, style="bold")
    grid.add_column(ratio=1)
    for name, about in rows:
        grid.add_row(Text(name), Text(about))
    return grid
