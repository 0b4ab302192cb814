"""The line at the bottom: the keys that work here and now, the most useful first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from textual import events
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

from tui.keys.active import find_pressable_keys
from tui.keys.commands import COMMANDS
from tui.keys.names import name_key
from tui.look.nouns import find_nouns

HELP: Final = "app.help"
_GAP: Final = 2
_PLACE: Final = {command.id: place for place, command in enumerate(COMMANDS)}


@dataclass(frozen=True, slots=True)
class Hint:
    """A key and what it does."""

    key: str
    title: str
    command: str = ""

    @property
    def label(self) -> str:
        return name_key(self.key)

    @property
    def width(self) -> int:
        return len(self.label) + 1 + Content(self.title).cell_length


def collect_hints(screen: Screen[Any]) -> tuple[Hint, ...]:
    """What the footer would show if it were wide enough, the focused pane's first."""
    nodes: list[object] = []
    nouns = find_nouns(screen.app)
    found: dict[tuple[int, str], tuple[int, Hint]] = {}
    for key, active in find_pressable_keys(screen).items():
        if active.node not in nodes:
            nodes.append(active.node)
        binding, depth = active.binding, nodes.index(active.node)
        quiet = getattr(active.node, "quiet_actions", ())
        if binding.show and active.enabled and binding.action not in quiet:
            # The first key of a command stands for it.
            place = _PLACE.get(binding.id or "", len(_PLACE))
            hint = Hint(key, nouns.spell(binding.description), binding.id or "")
            found.setdefault((depth, binding.action), (place, hint))
    order = sorted(found, key=lambda name: (name[0], found[name][0]))
    return tuple(found[name][1] for name in order)


def fit_hints(hints: tuple[Hint, ...], width: int) -> tuple[tuple[Hint, ...], int]:
    """The hints that fit a width, and how many do not. Help stays as long as anything does.

    >>> fit_hints((Hint("b", "Bias"), Hint("n", "Next miss"), Hint("f1", "Help", "app.help")), 24)
    ((Hint(key='b', title='Bias', command=''), Hint(key='f1', title='Help', command='app.help')), 1)
    """
    if _width(hints) <= width:
        return hints, 0
    last = tuple(hint for hint in hints if hint.command == HELP)
    others = [hint for hint in hints if hint.command != HELP]
    room = width - _width(last) - len(f"+{len(others)}") - _GAP
    shown: list[Hint] = []
    for hint in others:
        room -= hint.width + _GAP
        if room < 0:
            break
        shown.append(hint)
    return (*shown, *last), len(others) - len(shown)


def _width(hints: tuple[Hint, ...]) -> int:
    return sum(hint.width + _GAP for hint in hints)


class KeyFooter(Widget):
    """One line of keys. It is drawn again only if what it says has changed."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")
    ALLOW_SELECT = False
    can_focus = False

    def __init__(self) -> None:
        super().__init__()
        self._hints: tuple[Hint, ...] = ()
        self._ends: list[tuple[int, str]] = []

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._follow)
        self._follow(self.screen)

    def _follow(self, screen: Screen[Any]) -> None:
        # While another window has the focus nothing has it here, and the keys would flicker.
        if not self.is_attached or screen is not self.screen or not self.app.app_focus:
            return
        now = collect_hints(screen)
        if now != self._hints:
            self._hints = now
            self.refresh()

    def render(self) -> Content:
        shown, hidden = fit_hints(self._hints, self.content_size.width)
        parts: list[Content | str | tuple[str, str]] = []
        self._ends, column = [], 0
        for place, hint in enumerate(shown):
            if hidden and place == len(shown) - 1 and hint.command == HELP:
                more = f"+{hidden}{' ' * _GAP}"
                parts.append((more, "$quiet"))
                column += len(more)
            parts += [(hint.label, "bold $footer-key-foreground"), f" {hint.title}{' ' * _GAP}"]
            column += hint.width + _GAP
            self._ends.append((column, hint.key))
        return Content.assemble(*parts)

    def on_click(self, event: events.Click) -> None:
        column = event.x - self.content_region.x + self.region.x
        key = next((key for end, key in self._ends if column < end), None)
        if key is not None:
            self.app.simulate_key(key)
