"""What the tests of pictures share: the large frame and the zoom, and waiting for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sample_data
from engine.dataset.dataset import Dataset
from tests.tui.inspector import CLIP, Inspector, small_dataset
from tui.frames.large_frame import LargeFrame
from tui.frames.picture import Picture
from tui.frames.picture_pane import PicturePane
from tui.frames.picture_screen import PictureScreen

LARGE: dict[str, Any] = {"images": "quadrant", "query": ("video", CLIP)}


def large(see: Inspector) -> LargeFrame:
    return see.home.query_one(PicturePane).picture


def painted(widget: LargeFrame | PictureScreen, which: str = "") -> str:
    picture = widget.query_one(f"#{which}-picture" if which else Picture, Picture)
    return "\n".join(picture.render_line(y).text for y in range(picture.size.height))


async def shown(see: Inspector) -> None:
    """Wait until the picture of the result under the cursor stands."""

    def there() -> bool:
        widget = large(see)
        return widget.clip == see.results.clip and widget.state == "shown" and " s " in widget.line

    await see.until(there, f"the picture of {see.results.clip}")


def zoomed(see: Inspector) -> PictureScreen:
    assert isinstance(see.app.screen, PictureScreen)
    return see.app.screen


async def zoom(see: Inspector) -> None:
    await see.do("results.zoom_picture")
    await see.until(lambda: " s " in zoomed(see).line, "the pictures")


def dataset_of_one_file(folder: Path) -> Dataset:
    """The file of the first clip is there, those of all others are missing."""
    clip = sorted(sample_data.folder().rglob("*.mp4"))[0]
    lines = [f"a,{clip},,car,city", *(f"{name},{name}.mp4,,car,city" for name in "bcdef")]
    return small_dataset(folder / "gone", "\n".join(lines))
