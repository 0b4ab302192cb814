"""What was painted of a closed dialog is forgotten."""

from __future__ import annotations

import weakref

from textual.color import Color
from textual.widget import StylesCache

from tui.look.style_cache import forget_closed_widgets


def test_colours_are_remembered_without_the_widget_that_has_them() -> None:
    forget_closed_widgets()
    forget_closed_widgets()  # every app calls it
    painted = StylesCache()
    red, blue = Color.parse("red"), Color.parse("blue").with_alpha(0.5)

    inner, outer = painted.get_inner_outer(red, blue)

    assert (inner.background, outer.background) == (red + blue, red)
    gone = weakref.ref(painted)
    del painted
    assert gone() is None
