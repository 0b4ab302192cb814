"""What comes from a terminal, made fit for Textual's parser: keys that there cannot be, windows
larger than any, and pasted text, which is text whatever it holds."""

from __future__ import annotations

import re
from collections.abc import Iterable

from textual import events
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.keys import Keys
from textual.message import Message

MOST_COLUMNS, MOST_ROWS = 2_000, 1_000
"""Of a window; a wall of screens has fewer."""

LONGEST_PASTE = 100_000
"""Characters; what follows them is dropped."""

_NOT_PASTED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def limit_size(width: int, height: int) -> tuple[int, int]:
    """The size of a window as it is believed.

    >>> limit_size(99_999_999, 40)
    (2000, 40)
    """
    return min(width, MOST_COLUMNS), min(height, MOST_ROWS)


class PasteFilter:
    """Takes control characters out of what is pasted.

    An escape sequence inside would end the paste for Textual, and the rest of it would be taken for
    keys: text copied from a coloured terminal would judge results.

    >>> pastes = PasteFilter()
    >>> pastes.feed("x\\x1b[200~red: \\x1b[31mx\\x1b[20") + pastes.feed("1~y")
    'x\\x1b[200~red: [31mx\\x1b[201~y'
    """

    def __init__(self) -> None:
        self._pastes = False
        self._held = ""
        """What of a paste is not passed on yet: it may be the beginning of the paste's end."""
        self._before = ""
        """The last characters passed on: they may be the beginning of a paste's beginning."""
        self._left = 0

    def feed(self, data: str) -> str:
        """What is to be parsed of the next characters."""
        passed: list[str] = []
        while data or self._held:
            if not self._pastes:
                data = self._pass_keys(data, passed)
            elif not data:
                break
            else:
                data = self._pass_pasted(data, passed)
        return "".join(passed)

    def _pass_keys(self, data: str, passed: list[str]) -> str:
        """Pass on all up to where a paste begins; the rest."""
        whole = self._before + data
        begin = whole.find(BRACKETED_PASTE_START)
        end = len(whole) if begin < 0 else begin + len(BRACKETED_PASTE_START)
        passed.append(whole[len(self._before) : end])
        rest = whole[end:]
        self._pastes, self._left = begin >= 0, LONGEST_PASTE
        self._before = "" if begin >= 0 else whole[-len(BRACKETED_PASTE_START) + 1 :]
        return rest

    def _pass_pasted(self, data: str, passed: list[str]) -> str:
        """Pass on the text up to where the paste ends; the rest."""
        whole, self._held = self._held + data, ""
        text, ends, rest = whole.partition(BRACKETED_PASTE_END)
        if not ends:
            cut = _find_beginning(whole, BRACKETED_PASTE_END)
            text, self._held = whole[:cut], whole[cut:]
        plain = _NOT_PASTED.sub("", text)[: self._left]
        self._left -= len(plain)
        passed += [plain, ends]
        self._pastes = not ends
        return rest


def _find_beginning(text: str, mark: str) -> int:
    """Where the end of a text may be the beginning of a mark; its length: nowhere.

    >>> _find_beginning("abc[", "[201~"), _find_beginning("abc", "[201~")
    (3, 3)
    """
    lengths = range(min(len(mark) - 1, len(text)), 0, -1)
    return next((len(text) - n for n in lengths if text.endswith(mark[:n])), len(text))


class ForgivingParser(XTermParser):
    """Textual's parser, which ends its thread at a key that is no character."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._paste_filter = PasteFilter()

    def feed(self, data: str) -> Iterable[Message]:
        # Nothing at all is the end of the input, and only then.
        cleaned = self._paste_filter.feed(data) if data else data
        for message in super().feed(cleaned) if cleaned or not data else ():
            if isinstance(message, events.Resize) and message.size != limit_size(*message.size):
                continue
            yield message

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        try:
            return [*super()._sequence_to_key_events(sequence, alt)]
        except (ValueError, OverflowError):  # no code point
            return [events.Key(Keys.Ignore, None)]
