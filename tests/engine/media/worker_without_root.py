"""The decoder as it is for everybody but root, whom some limits of the system do not bind."""

from __future__ import annotations

import os
from collections.abc import Sequence

from engine.base.channel import Channel
from engine.media import decoder_worker

NOBODY = 65534


def serve(channel: Channel, arguments: Sequence[str]) -> None:
    decoder_worker.import_decoders()  # nobody else may be able to read them
    if os.getuid() == 0:
        os.setuid(NOBODY)
    decoder_worker.serve(channel, arguments)
