"""Where the annotations say that the media of clips are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from engine.dataset.annotations.read import Annotations

_URL = re.compile(r"(?:[a-z][a-z0-9+.-]*://|(?:https?|s3|gs|data):)", re.IGNORECASE)


def locate_media(text: str) -> Path | None:
    """The path in a cell of the annotations; None for a URL.

    >>> locate_media("s3://bucket/a.mp4"), locate_media("file:///data/my%20clip.mp4")
    (None, PosixPath('/data/my clip.mp4'))
    """
    if text.lower().startswith("file:///"):
        return Path(unquote(text[len("file://") :]))
    return None if _URL.match(text) else Path(text)


def list_media(annotations: Annotations) -> Iterator[str]:
    """Every local file that clips name."""
    folder = str(annotations.path.parent)
    for column in (annotations.video_path, annotations.gif_path):
        for text in dict.fromkeys(column or ()):
            # Without a colon it is no URL; there may be a million of them.
            path = locate_media(text) if ":" in text else text
            if path:
                yield os.path.join(folder, path)  # noqa: PTH118 (a Path takes far longer to make)
