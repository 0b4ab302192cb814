"""Write the pictures of the docs from the snapshots of the screens: `make pictures`.

The snapshots are what the real app looks like, and their tests keep them so; a picture is the same
without the fonts that a browser would fetch from elsewhere.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PICTURES: Final = ROOT / "docs" / "pictures"
_SCREENS: Final = "tui/app/__snapshots__/test_snapshots/test_screen"
_MOMENTS: Final = "tui/moments/__snapshots__/test_moments_snapshots/test_moments"
SNAPSHOTS: Final = {
    "inspect": f"{_SCREENS}[large_frame-120x40].svg",
    "picture": f"{_SCREENS}[zoomed_picture-120x40].svg",
    "filmstrip": f"{_SCREENS}[clip_query_with_frames-120x40].svg",
    "evaluate": f"{_SCREENS}[evaluated-120x40].svg",
    "keywords": f"{_SCREENS}[counted-120x40].svg",
    "plots": f"{_SCREENS}[plotted-120x40].svg",
    "compare": f"{_SCREENS}[compared-120x40].svg",
    "sessions": f"{_SCREENS}[sessions-120x40].svg",
    "help": f"{_SCREENS}[help_of_results-120x40].svg",
    "moments": f"{_MOMENTS}[one_hit-140x40].svg",
}
"""Of each picture, the snapshot below `tests` that it is made of."""

_FETCHED_FONT = re.compile(r"\s*@font-face \{.*?\n    \}", re.DOTALL)


def draw_picture(name: str) -> str:
    """A picture as it has to be now."""
    snapshot = ROOT / "tests" / SNAPSHOTS[name]
    return _FETCHED_FONT.sub("", snapshot.read_text(encoding="utf-8")).rstrip() + "\n"


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    for name in SNAPSHOTS:
        (PICTURES / f"{name}.svg").write_text(draw_picture(name), encoding="utf-8")


if __name__ == "__main__":
    main()
