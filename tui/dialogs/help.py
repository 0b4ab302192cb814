"""Help for the pane that has the focus: a sheet of its keys as they are now, then those of its
screen and of the app, and the terms. What is typed finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.table import Table
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from tui.dialogs.dialog import ScrollingScreen
from tui.dialogs.help_text import (
    HelpEntry,
    draw_entries,
    draw_terms,
    has_sentences,
    list_command_entries,
)
from tui.keys.active import find_active_panes, list_offered_commands
from tui.keys.keymap import Keymap
from tui.keys.panes import PANES
from tui.keys.terms import TERMS, TERMS_OF_COMPARING, TERMS_OF_KEYWORDS
from tui.look.nouns import Nouns, find_nouns
from tui.widgets.safe_input import SafeInput

_OWN_KEYS = (
    "`tui-eval keys` lists every command with its id, and docs/keys.md says how to change its keys."
)
_NOTHING = "Nothing here has that name. The palette finds the commands of other screens, too."
_LONGEST_SEARCH = 60


def build_help(screen: Screen[Any], keymap: Keymap) -> HelpScreen:
    """Help for whatever has the focus on a screen."""
    # What all lists share is no news: it comes after what only this pane does.
    panes = sorted(find_active_panes(screen) or ("app",), key=("app", "table").__contains__)
    return HelpScreen(panes, keymap)


@dataclass(frozen=True, eq=False)
class _Section:
    """A part of the sheet: its title, what it says first, and its entries."""

    title: Static
    text: Static
    body: Static
    entries: Sequence[HelpEntry]
    draw: Callable[[Sequence[HelpEntry], int, bool], Table]

    def show(self, typed: str, width: int, *, is_first: bool) -> bool:
        """Show what is found; whether that is anything. What a pane is for is said of the first,
        and of others where there is room."""
        found = [entry for entry in self.entries if entry.is_found(typed)]
        for part in (self.title, self.body):
            part.display = bool(found)
        self.text.display = not typed and (is_first or has_sentences(width))
        if found:
            self.body.update(self.draw(found, width, bool(typed)))
        return bool(found)


class SearchField(SafeInput):
    """A field in which the key that opened the help closes it again."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return character != "?" and super().check_consume_key(key, character)


class HelpScreen(ScrollingScreen):
    """The panes that the focus is in, from the inside out, then the terms."""

    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back"),
        Binding("question_mark,f1,enter", "dismiss(None)", "Close"),
    ]

    def __init__(self, panes: Sequence[str], keymap: Keymap) -> None:
        super().__init__()
        self._panes = panes
        self._keymap = keymap
        self._sections: list[_Section] = []
        self._nothing = Static(Content(_NOTHING), classes="text")

    def compose(self) -> ComposeResult:
        nouns = find_nouns(self.app)
        self._sections = [*(self._pane(pane, nouns) for pane in self._panes), self._terms(nouns)]
        parts = [part for one in self._sections for part in (one.title, one.text, one.body)]
        scroll = VerticalScroll(*parts, self._nothing, can_focus=False)
        field = SearchField(placeholder="type a key or a word", longest=_LONGEST_SEARCH)
        with Vertical(id="sheet") as sheet:
            sheet.border_title = Content(nouns.spell(f"Help: {PANES[self._panes[0]].title}"))
            yield field
            yield scroll

    @property
    def _can_compare(self) -> bool:
        """Whether there are several models."""
        return "show_compare" not in getattr(self.app, "quiet_actions", ())

    def _pane(self, pane: str, nouns: Nouns) -> _Section:
        commands = list_offered_commands(self.app, pane)
        text = PANES[pane].text
        if self._can_compare and PANES[pane].several:
            text += f" {PANES[pane].several}"
        return _Section(
            Static(Content(nouns.spell(PANES[pane].title)), classes="title"),
            Static(Content(nouns.spell(self._keymap.spell(text))), classes="text"),
            Static(),
            list_command_entries(commands, self._keymap, nouns),
            lambda found, width, in_full: draw_entries(found, width, in_full=in_full),
        )

    def _terms(self, nouns: Nouns) -> _Section:
        terms = [
            HelpEntry((term,), "", nouns.spell(self._keymap.spell(about)))
            for term, about in getattr(self.app, "terms", TERMS)
            if not (nouns.has_labels and term.strip() in TERMS_OF_KEYWORDS)
            and not (term in TERMS_OF_COMPARING and not self._can_compare)
        ]
        own = HelpEntry(("Your own keys",), "", _OWN_KEYS)
        return _Section(
            Static(Content("Terms"), classes="title"),
            Static(classes="text"),
            Static(),
            [*terms, own],
            lambda found, width, _: draw_terms(found, width),
        )

    @on(Input.Changed)
    def _show(self) -> None:
        typed = self.query_one(SearchField).value.strip()
        back = "shows all" if typed else "closes"
        hints = Content(f"type to find, up down scroll, Escape {back}")
        self.query_one("#sheet").border_subtitle = hints
        entries = [entry for section in self._sections for entry in section.entries]
        if len(typed) == 1 and not any(entry.is_found(typed) for entry in entries):
            typed = ""  # a word begins
        scroll = self.query_one(VerticalScroll)
        width = scroll.scrollable_content_region.width
        found = [
            section.show(typed, width, is_first=not place)
            for place, section in enumerate(self._sections)
        ]
        self._nothing.display = not any(found)

    def on_resize(self) -> None:
        self.call_after_refresh(self._show)

    def action_back(self) -> None:
        """To the whole sheet, else out of the help."""
        field = self.query_one(SearchField)
        if field.value:
            field.value = ""
        else:
            self.dismiss(None)
