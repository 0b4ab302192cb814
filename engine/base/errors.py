"""What a user can do wrong: one sentence, the place, and the remedy; and how a command ends."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "info"]
"""How bad a fault is that a check found."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the user's input something is wrong; every part is optional.

    >>> str(Place(Path("clips.csv"), line=7, column="slice_id"))
    'clips.csv, line 7, column slice_id'
    """

    file: Path | str | None = None
    line: int | None = None
    column: str | None = None
    setting: str | None = None

    def __str__(self) -> str:
        parts = {
            "": self.file,
            "line ": self.line,
            "column ": self.column,
            "setting ": self.setting,
        }
        return ", ".join(f"{name}{part}" for name, part in parts.items() if part is not None)


class InputError(Exception):
    """Bad input, described in one line: where, what is wrong, and what to do about it.

    The place may be a file alone.

    >>> str(InputError("is empty", Path("clips.csv"), hint="write a header line"))
    'clips.csv: is empty; write a header line'
    """

    def __init__(
        self, message: str, place: Place | Path | str | None = None, *, hint: str = ""
    ) -> None:
        self.message = message
        self.place = place if isinstance(place, Place) else Place(place)
        self.hint = hint
        super().__init__(message, place, hint)

    def at(self, place: Place | Path | None) -> InputError:
        """The same, found elsewhere.

        >>> str(InputError("is no metric", hint="write ip").at(Place("dataset.toml", line=3)))
        'dataset.toml, line 3: is no metric; write ip'
        """
        return InputError(self.message, place, hint=self.hint)

    def __str__(self) -> str:
        where = str(self.place)
        line = f"{where}: {self.message}" if where else self.message
        if self.hint:
            line = f"{line}; {self.hint}"
        # A message may quote user data; one error stays one line whatever the data holds.
        return " ".join(line.split())


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
