"""A decoder that never says that it has started."""

from __future__ import annotations

import time
from collections.abc import Sequence

from engine.base.channel import Channel


def serve(channel: Channel, arguments: Sequence[str]) -> None:
    time.sleep(600)
