"""The line at the bottom: the keys that work here and now, the most useful first."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

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
USED_MOST: Final = (
    # Judging, then asking, then looking further.
    "results.next_miss results.mark_bias results.mark_relevant results.mark_not_relevant "
    "results.note app.undo inspect.ask_text inspect.edit_keywords inspect.learn "
    "inspect.take_nearest inspect.pick inspect.toggle_missed results.play inspect.ask_clip "
    # A row is opened more often than the set is run.
    "evaluate.dive evaluate.filter evaluate.sort evaluate.frequency evaluate.plots evaluate.run "
    "evaluate.toggle_mode evaluate.back "
    "compare.dive compare.next_match compare.filter compare.slices compare.sort compare.plots "
    "compare.run compare.choose compare.toggle_mode compare.back "
    "moment.next_right moments.next_match moments.open moments.choose_class moments.filter "
    "moments.next_task moments.next_iou moments.next_k moments.report moments.back "
    "sessions.resume sessions.new sessions.rename sessions.export sessions.delete sessions.back "
    "app.next_model app.show_evaluate app.zoom app.show_compare app.show_sessions "
    "app.show_inspect app.command_palette"
).split()
"""Where the line is too short for all, these come before what a pane has besides, in this order."""
_USE: Final = {command: place for place, command in enumerate(USED_MOST)}
_LAST_OF_PANE: Final = {command.partition(".")[0]: place for command, place in _USE.items()}
ZOOM: Final = "app.zoom"
ALL_PANES: Final = "All panes"
"""What the zoom does where one pane has all the room."""

SHORT_TITLES: Final = {
    "results.next_miss": "Miss",
    "results.mark_relevant": "Rel.",
    "results.mark_not_relevant": "Not",
    "evaluate.toggle_mode": "Mode",
    "compare.next_match": "Worse",
    "compare.toggle_mode": "Mode",
    "moments.next_match": "Failure",
    "moments.open": "Open",
    "moment.next_right": "In video",
}
"""What is said where the line is too short for all titles."""


class Hint(NamedTuple):
    """A key and what it does."""

    key: str
    title: str
    command: str = ""

    @property
    def shortened(self) -> Hint:
        return self._replace(title=SHORT_TITLES.get(self.command, self.title))

    @property
    def label(self) -> str:
        return name_key(self.key)

    @property
    def width(self) -> int:
        return len(self.label) + 1 + Content(self.title).cell_length


def collect_hints(screen: Screen[Any]) -> tuple[Hint, ...]:
    """What the footer would show if it were wide enough: what is used most first, then the focused
    pane's.

    A pane may say what it does not offer now (`quiet_actions`), and what an action does now in
    place of what it is called after (`titles_here`).
    """
    nodes: list[object] = []
    nouns = find_nouns(screen.app)
    found: dict[tuple[int, str], tuple[int, Hint]] = {}
    for key, active in find_pressable_keys(screen).items():
        if active.node not in nodes:
            nodes.append(active.node)
        binding, depth = active.binding, nodes.index(active.node)
        to_here = getattr(active.node, "action_to_here", "")
        quiet = (*getattr(active.node, "quiet_actions", ()), to_here)
        if binding.show and active.enabled and binding.action not in quiet:
            # The first key of a command stands for it.
            place = _PLACE.get(binding.id or "", len(_PLACE))
            is_way_back = binding.id == ZOOM and screen.has_class("-zoomed")
            here = getattr(active.node, "titles_here", {})
            named = here.get(binding.action, binding.description)
            title = ALL_PANES if is_way_back else nouns.spell(named)
            hint = Hint(key, title, binding.id or "")
            found.setdefault((depth, binding.action), (place, hint))

    def rank(name: tuple[int, str]) -> tuple[int, int, int]:
        depth, (place, hint) = name[0], found[name]
        if hint.title == ALL_PANES:  # nothing else says why the others are not there
            return -2, depth, place
        # A small pane has its own keys first; of a large one the rest follows what is used most.
        pane = hint.command.partition(".")[0]
        other = _LAST_OF_PANE.get(pane, len(_USE) if depth else -1)
        return _USE.get(hint.command, other), depth, place

    order = sorted(found, key=rank)
    return tuple(found[name][1] for name in order)


def fit_hints(hints: tuple[Hint, ...], width: int) -> tuple[tuple[Hint, ...], int]:
    """The hints that fit a width, and how many do not. Help stays as long as anything does.

    >>> fit_hints((Hint("b", "Bias"), Hint("n", "Next miss"), Hint("f1", "Help", "app.help")), 24)
    ((Hint(key='b', title='Bias', command=''), Hint(key='f1', title='Help', command='app.help')), 1)
    """
    if _width(hints) <= width:
        return hints, 0
    hints = tuple(hint.shortened for hint in hints)
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
        self._hints: tuple[Hint, ...] | None = None
        """What it says; None: nothing yet, as it was never drawn."""
        self._ends: list[tuple[int, str]] = []

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._follow)

    def _follow(self, screen: Screen[Any]) -> None:
        if self._hints is None or not self.is_attached or screen is not self.screen:
            return
        if not self.app.app_focus:  # nothing has the focus now, and the keys would flicker
            return
        now = collect_hints(screen)
        if now != self._hints:
            self._hints = now
            self.refresh()

    def render(self) -> Content:
        if self._hints is None:
            self._hints = collect_hints(self.screen)
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
