"""What was just done is said as long as it is the last."""

from __future__ import annotations

from tui.look.glyphs import UNICODE
from tui.shell.just_done import JustDone


def test_it_is_not_said_again_when_things_stand_as_they_did() -> None:
    """Another window undoes it, and something else is done: there are as many changes as before."""
    done = JustDone("relevant after all on #2", "u undoes", (1, 5))

    assert done.describe((1, 5), 60, UNICODE) == "relevant after all on #2 · u undoes"
    assert done.describe((1, 4), 60, UNICODE) == ""
    assert done.describe((1, 5), 60, UNICODE) == ""
