r"""The gate in front of a terminal: whatever is printed to one passes it, whoever prints.

A plain text passes with every hidden character spelt out, escape sequences among them. Rich may
style its own: of what it writes, colours and the moves of a live display pass. What goes to a file
or a pipe is data, and stays as it is.
"""

from __future__ import annotations

import io
import re
import sys
from codecs import getincrementaldecoder
from collections.abc import Iterable
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, NoReturn

from engine.base.visible import spell_hidden
from tui.look.ascii_signs import draw_in_ascii

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

_STYLING = re.compile(r"(\x1b\[[0-9;]*m|\r?\x1b\[(?:2K|[0-9]*A|\?25[hl])|\r\Z)")
"""Colours; lines that are wiped, going up, the cursor hidden and shown: what Rich sends to draw."""


class GatedStream:
    """A stream of a terminal that passes on what can be seen, and is the stream in all else."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        self._stream.write(self.clean(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def clean(self, text: str) -> str:
        """What is passed on."""
        return spell_hidden(text, keep="\n")

    @cached_property
    def buffer(self) -> GatedBytes:
        """Bytes pass the same gate: `sys.stdout.buffer` is no way around it."""
        return GatedBytes(self)

    def detach(self) -> NoReturn:
        raise io.UnsupportedOperation("a terminal stays behind its gate")

    @property
    def rich_proxied_file(self) -> StyledStream:
        """Where Rich writes to, in any of its consoles; those of libraries among them."""
        return StyledStream(self._stream)


class GatedBytes:
    """The buffer below a gated stream: what is written to it is read as text, and passes the gate.

    What does not fit into a character yet waits for the next bytes.
    """

    def __init__(self, gate: GatedStream) -> None:
        self._gate = gate
        self._decoder = getincrementaldecoder(gate.encoding or "utf-8")("backslashreplace")

    def __getattr__(self, name: str) -> Any:
        if name in ("raw", "detach"):
            raise AttributeError(name)
        return getattr(self._gate, name)

    def write(self, data: bytes | bytearray | memoryview) -> int:
        self._gate.write(self._decoder.decode(raw := bytes(data)))
        return len(raw)

    def writelines(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            self.write(line)


class StyledStream(GatedStream):
    """Also passes on what Rich draws with."""

    def clean(self, text: str) -> str:
        parts = _STYLING.split(text)  # styling is every second of them
        parts[::2] = (spell_hidden(part, keep="\n") for part in parts[::2])
        return "".join(parts)

    @property
    def rich_proxied_file(self) -> StyledStream:
        return self


def guard(stream: Any) -> Any:
    """The stream, behind the gate if it is a terminal."""
    guarded = stream is None or isinstance(stream, GatedStream)
    return stream if guarded or not is_terminal(stream) else GatedStream(stream)


def guard_streams() -> None:
    """Put the gate in front of this process's stdout and stderr."""
    for name in ("stdout", "stderr"):
        setattr(sys, name, guard(getattr(sys, name)))


def is_terminal(stream: Any) -> bool:
    """Whether a person sees at once what is written there."""
    return stream is not None and not stream.closed and bool(stream.isatty())


def make_console(stream: Any, *, ascii: bool = False, **more: Any) -> Console:
    """A console of Rich whose texts pass the gate as they are rendered, so that their styles are
    ours alone; a text is a text, and never markup. `ascii`: signs are drawn in it.

    Data is made visible before it is laid out, or its columns would not line up: this is the net.
    """
    from rich.console import Console
    from rich.segment import Segment

    class GatedConsole(Console):
        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterable[Segment]:
            for one in super().render(renderable, options):
                shown = one.text if one.control else spell_hidden(one.text, keep="\n")
                shown = draw_in_ascii(shown) if ascii and not one.control else shown
                yield one if shown is one.text else Segment(shown, one.style)

    return GatedConsole(file=guard(stream), highlight=False, markup=False, emoji=False, **more)
