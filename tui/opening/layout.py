"""PaneLayout: how much room the panes of each screen have, as a person has left it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

LEAST_PANE_SHARE: Final = 20
MOST_PANE_SHARE: Final = 80
SHARE_STEP: Final = 5
"""Percent of the width of two panes by which one key moves the border between them."""

_ZOOM: Final = "zoom"


@dataclass(frozen=True, slots=True)
class PaneLayout:
    """What is remembered of the panes, by screen.

    shares  percent of the width that the first of two panes has; not named: the default
    zoomed  the pane that was given all the room; empty: the first. Which one has it then follows
            the focus
    """

    shares: Mapping[str, int] = field(default_factory=dict)
    zoomed: Mapping[str, str] = field(default_factory=dict)

    def move(self, screen: str, now: int, step: int) -> PaneLayout:
        """The border one step further, from where it is now.

        >>> PaneLayout().move("inspect", 56, 1).shares, PaneLayout().move("inspect", 56, -1).shares
        ({'inspect': 60}, {'inspect': 55})
        """
        further = now // SHARE_STEP + 1 if step > 0 else (now - 1) // SHARE_STEP
        share = min(max(further * SHARE_STEP, LEAST_PANE_SHARE), MOST_PANE_SHARE)
        return replace(self, shares={**self.shares, screen: share})

    def toggle_zoom(self, screen: str, pane: str) -> PaneLayout:
        """
        >>> PaneLayout().toggle_zoom("inspect", "detail").zoomed
        {'inspect': 'detail'}
        >>> PaneLayout(zoomed={"inspect": "detail"}).toggle_zoom("inspect", "results").zoomed
        {}
        """
        zoomed = {one: of for one, of in self.zoomed.items() if one != screen}
        if screen not in self.zoomed:
            zoomed[screen] = pane
        return replace(self, zoomed=zoomed)

    def as_settings(self) -> dict[str, str | int]:
        """As a file of settings holds it: a number by screen, and what is zoomed.

        >>> PaneLayout({"inspect": 60}, {"moments": "", "inspect": "detail"}).as_settings()
        {'inspect': 60, 'zoom': 'inspect:detail.moments'}
        """
        zoomed = (f"{screen}:{pane}".rstrip(":") for screen, pane in sorted(self.zoomed.items()))
        return {**self.shares, _ZOOM: ".".join(zoomed)}


def read_layout(settings: Mapping[str, str | int]) -> PaneLayout:
    """The layout of a file of settings; a share of 0 is the default.

    >>> read_layout({"inspect": 60, "compare": 0, "zoom": "compare.moments"}).shares
    {'inspect': 60}
    >>> read_layout(PaneLayout({"compare": 500}).as_settings())
    PaneLayout(shares={'compare': 80}, zoomed={})
    >>> read_layout({"zoom": "inspect:detail.moments"}).zoomed
    {'inspect': 'detail', 'moments': ''}
    """
    shares = {
        screen: min(max(share, LEAST_PANE_SHARE), MOST_PANE_SHARE)
        for screen, share in settings.items()
        if isinstance(share, int) and share
    }
    named = (one.partition(":") for one in str(settings.get(_ZOOM, "")).split("."))
    return PaneLayout(shares, {screen: pane for screen, _, pane in named if screen})
