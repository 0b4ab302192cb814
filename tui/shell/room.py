"""Room for panes: one of them has all of it, or the border between two is moved.

A screen says which of its containers holds its panes by the class `panes`. Its own style sheet says
what outside of it gives up its rows, too, to a pane that has all the room (`-zoomed`).
"""

from __future__ import annotations

from typing import Any, Final

from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widget import Widget

from tui.keys.active import find_bound_panes
from tui.keys.panes import PANES
from tui.opening.layout import PaneLayout

ROOM_CSS: Final = """
.-zoomed .panes > * { display: none !important; }
.-zoomed .panes > .-zoomed-pane {
    display: block !important;
    width: 100% !important;
    max-width: 100% !important;
    height: 1fr !important;
}
"""


def name_screen(screen: Screen[Any]) -> str:
    """What the layout calls a screen; empty: it is none that has panes."""
    return next((pane for pane in find_bound_panes(screen) if PANES[pane].screen == pane), "")


def can_zoom(screen: Screen[Any]) -> bool:
    """Whether a screen has panes of which one could have all the room, or has it."""
    container = _find_container(screen)
    return container is not None and (screen.has_class("-zoomed") or len(_shown(container)) > 1)


def can_move_border(screen: Screen[Any]) -> bool:
    """Whether two panes stand beside one another."""
    container = _find_container(screen)
    return container is not None and _is_split(screen, container)


def find_focused_pane(screen: Screen[Any]) -> str:
    """The name of the pane that has the focus, or the room that is left; empty: there is none."""
    container = _find_container(screen)
    chosen = None if container is None else _choose_zoomed(screen, container)
    return "" if chosen is None else _name_pane(chosen)


def measure_pane_share(screen: Screen[Any]) -> int | None:
    """Percent of the width of the first two panes that the first one has."""
    container = _find_container(screen)
    if container is None or not _is_split(screen, container):
        return None
    first, second = (pane.outer_size.width for pane in _shown(container)[:2])
    return round(100 * first / (first + second)) if first + second else None


def arrange(screen: Screen[Any], layout: PaneLayout) -> bool:
    """Give the panes of a screen the room that the layout says; whether anything was changed."""
    container = _find_container(screen)
    if container is None:
        return False
    before = _describe(screen, container)
    name = name_screen(screen)
    zoomed = _choose_zoomed(screen, container) if name in layout.zoomed else None
    screen.set_class(zoomed is not None, "-zoomed")
    for pane in container.children:
        pane.set_class(pane is zoomed, "-zoomed-pane")
    share = layout.shares.get(name)
    _share_out(container, None if zoomed is not None or not _is_beside(container) else share)
    return _describe(screen, container) != before


def _describe(screen: Screen[Any], container: Widget) -> list[object]:
    panes = ((pane.styles.inline.width, pane.classes) for pane in container.children)
    return [screen.has_class("-zoomed"), *panes]


def _share_out(container: Widget, share: int | None) -> None:
    """The first pane has its share, the one beside it the rest, whichever that is; a third one
    keeps the width that it has."""
    third = _shown(container)[2:]
    for place, pane in enumerate(container.children):
        own = None if share is None or pane in third else f"{100 - share if place else share}fr"
        now = pane.styles.inline.width
        # A width that is set anew, though it is the same, would have all laid out once more.
        if own != (None if now is None else str(now)):
            pane.styles.width = own
            # A pane that needs only so much is as wide as somebody made it.
            pane.styles.max_width = None if own is None else "100%"


def _choose_zoomed(screen: Screen[Any], container: Widget) -> Widget | None:
    """The pane with the focus; else the one that had all the room, else the first."""
    focused = screen.focused
    around = () if focused is None else focused.ancestors_with_self
    here = [pane for pane in container.children if pane in around]
    before = [pane for pane in container.children if pane.has_class("-zoomed-pane")]
    return next(iter([*here, *before, *container.children]), None)


def _name_pane(pane: Widget) -> str:
    return (pane.id or "").removesuffix("-pane")


def _find_container(screen: Screen[Any]) -> Widget | None:
    try:
        return screen.query_one(".panes", Widget)
    except NoMatches:
        return None


def _is_split(screen: Screen[Any], container: Widget) -> bool:
    is_whole = screen.has_class("-zoomed")
    return not is_whole and _is_beside(container) and len(_shown(container)) > 1


def _is_beside(container: Widget) -> bool:
    layout = container.styles.layout
    return layout is not None and layout.name == "horizontal"


def _shown(container: Widget) -> list[Widget]:
    return [pane for pane in container.children if pane.display]
