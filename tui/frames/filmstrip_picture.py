"""Pictures of a filmstrip where the terminal itself draws them: kitty and sixel.

Loading this module loads textual-image: see `tui.frames.images.prepare_images`.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image
from textual_image.widget import SixelImage, TGPImage

from tui.frames.images import CellSize, DrawingMethod

TerminalImage: TypeAlias = TGPImage | SixelImage


def make_picture(drawing: DrawingMethod) -> TerminalImage:
    """A widget for one frame, hidden until it has one."""
    kind = TGPImage if drawing == "kitty" else SixelImage
    picture = kind(classes="filmstrip--picture")
    picture.display = False
    return picture


def set_picture(picture: TerminalImage, shot: npt.NDArray[np.uint8] | None, cell: CellSize) -> None:
    """Show pixels (height, width, 3), or nothing; the same pixels are not sent again."""
    picture.display = shot is not None
    if shot is None or _shows(picture, shot):
        return
    picture.styles.width = -(-shot.shape[1] // cell.width)
    picture.styles.height = -(-shot.shape[0] // cell.height)
    picture.image = Image.fromarray(shot)


def _shows(picture: TerminalImage, shot: npt.NDArray[np.uint8]) -> bool:
    return picture.image is not None and np.array_equal(np.asarray(picture.image), shot)
