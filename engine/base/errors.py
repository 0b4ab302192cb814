"""What a user can do wrong: one sentence, the place, and the remedy; and how a command ends."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Literal, TypeAlias

from engine.base.messages import (
    LONGEST_KEY,
    LONGEST_LINE,
    LONGEST_MESSAGE,
    cut_middle,
    fit_message,
    fit_on_line,
)

Severity: TypeAlias = Literal["error", "warning", "info"]
"""How bad a fault is that a check found."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the user's input something is wrong; every part is optional.

    >>> str(Place(Path("clips.csv"), line=7, column="slice_id"))
    'clips.csv, line 7, column slice_id'
    >>> print(Place("a\\nb.csv"), Place(r"a\\nb.csv"))
    a\\nb.csv a\\\\nb.csv
    """

    file: Path | str | None = None
    line: int | None = None
    column: str | None = None
    setting: str | None = None

    def __str__(self) -> str:
        parts = {
            "": (self.file, LONGEST_LINE),
            "line ": (self.line, LONGEST_KEY),
            "column ": (self.column, LONGEST_KEY),
            "setting ": (self.setting, LONGEST_KEY),
        }
        known = {name: part for name, part in parts.items() if part[0] is not None}
        return ", ".join(
            name + fit_on_line(part if isinstance(part, str) else str(part), longest)
            for name, (part, longest) in known.items()
        )


_LONGEST_ERROR = LONGEST_MESSAGE - 20
"""Before it may stand what kind of message it is."""


class InputError(Exception):
    """Bad input, described in one line: where, what is wrong, and what to do about it.

    The place may be a file alone. Whatever a message quotes, it can be read: it is one line of a
    few hundred characters, from which neither the place nor the remedy is lost.

    >>> str(InputError("is empty", Path("clips.csv"), hint="write a header line"))
    'clips.csv: is empty; write a header line'
    """

    def __init__(
        self, message: str, place: Place | Path | str | None = None, *, hint: str = ""
    ) -> None:
        self.message = fit_message(message, _LONGEST_ERROR)
        self.place = place if isinstance(place, Place) else Place(place)
        self.hint = fit_message(hint, _LONGEST_ERROR)
        super().__init__(message, place, hint)

    def at(self, place: Place | Path | None) -> InputError:
        """The same, found elsewhere.

        >>> str(InputError("is no metric", hint="write ip").at(Place("dataset.toml", line=3)))
        'dataset.toml, line 3: is no metric; write ip'
        """
        return InputError(self.message, place, hint=self.hint)

    def __str__(self) -> str:
        where = f"{self.place}: ".removeprefix(": ")
        room = _LONGEST_ERROR - len(where) - len("; ")
        hint = cut_middle(self.hint, max(room // 2, room - len(self.message)))
        message = cut_middle(self.message, room - len(hint))
        return f"{where}{message}; {hint}" if hint else where + message


class ExitCode(IntEnum):
    """Every exit code. Nothing here exits; the document of a gate states its own.

    FAILED  what was asked for was done, and the answer is no: a gate failed, or a phrase that was
            learned could not be written
    """

    FINE = 0
    FAILED = 1
    BAD_INPUT = 2
    GATE_UNDERPOWERED = 3
    INTERRUPTED = 130
