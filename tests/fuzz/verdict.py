"""What became of an input, and whether that is allowed."""

from __future__ import annotations

import re
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from engine.base.errors import InputError
from engine.base.messages import LONGEST_MESSAGE
from engine.files.reader import UnforeseenError
from tests.conftest import ROOT

Outcome: TypeAlias = Literal[
    "value", "refused", "unforeseen",
    "traceback", "unexpected", "signal", "time", "memory", "changed", "left", "message",
]  # fmt: skip
"""The first three are allowed: a value, an error with place and remedy, or one that names at least
the file. The others are findings.

traceback   an exception that is no InputError left the reader or the command
unexpected  the command said that this was not foreseen
signal      the process died
time        it took longer than it may
memory      it took more than it may
changed     a file that was read is another one now
left        a file was left behind
message     the error is no single short line, or names no file
"""
ALLOWED: tuple[Outcome, ...] = ("value", "refused", "unforeseen")

LONGEST_LINE = LONGEST_MESSAGE + len("error: ")
"""Characters of what is said."""
LONGEST_SECONDS = 10.0
"""Of computing; the machine may have other things to do."""
LONGEST_WAIT = 60.0
"""Seconds after which something waits for what will not come."""
_HERE = f"{ROOT}/"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of an input.

    place    in the code, where an exception was raised
    seconds  of computing
    grown    bytes by which the process grew at most
    """

    number: int
    name: str
    outcome: Outcome
    detail: str = ""
    place: str = ""
    seconds: float = 0.0
    grown: int = 0

    @property
    def is_finding(self) -> bool:
        return self.outcome not in ALLOWED

    @property
    def signature(self) -> str:
        """Findings that have it in common are one fault, most likely."""
        return f"{self.outcome} {self.name} {self.place}".strip()

    def as_document(self) -> dict[str, Any]:
        return asdict(self)


def judge_error(error: BaseException, files: list[str]) -> tuple[Outcome, str, str]:
    """Outcome, detail and place of what a reader raised; `files` are those it was given."""
    if isinstance(error, UnforeseenError):
        cause = error.__cause__ or error
        return "unforeseen", str(error), find_place(cause)
    if not isinstance(error, InputError):
        text = "".join(traceback.format_exception(error))[-3000:]
        return "traceback", text, find_place(error)
    message = str(error)
    names = {part for file in files for part in Path(file).parts}
    if error.place.file is None and not any(name in message for name in names):
        return "message", f"names no file: {message[:500]}", ""
    if len(message) > LONGEST_MESSAGE:
        return "message", f"has {len(message)} characters: {message[:300]}", find_place(error)
    return "refused", message, ""


def find_place(error: BaseException) -> str:
    """Where in our own code it was raised, and as what.

    >>> try:
    ...     ROOT.joinpath("none").stat()
    ... except OSError as error:
    ...     find_place(error)
    'FileNotFoundError'
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if re.match(rf"{re.escape(_HERE)}(engine|tui)/", f.filename)]
    kind = type(error).__name__
    if not own:
        return kind
    return f"{kind} in {own[-1].filename.removeprefix(_HERE)} {own[-1].name}"


def judge_said(code: int, stdout: str, stderr: str) -> tuple[Outcome, str]:
    """Outcome of a command by its exit code and what it said."""
    if "Traceback (most recent call last)" in stderr:
        return "traceback", stderr[-3000:]
    if code < 0:
        return "signal", f"signal {-code}: {stderr[-1000:]}"
    errors = [line for line in stderr.splitlines() if line.startswith("error:")]
    if any(line.startswith("error: unexpected ") for line in errors):
        return "unexpected", errors[0][:2000]
    if code not in (0, 1, 2, 3, 130):
        return "traceback", f"exit code {code}: {stderr[-1000:]}"
    is_silent = code == 2 and not errors and not stdout  # else it prints what is wrong
    if is_silent or len(errors) > 1 or (errors and code == 0):
        return "message", f"exit code {code}, {len(errors)} errors: {stderr[:1000]}"
    longest = max(stderr.splitlines(), key=len, default="")
    if len(longest) > LONGEST_LINE:
        return "message", f"has {len(longest)} characters: {longest[:300]}"
    if re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", stderr):
        return "message", f"holds control characters: {stderr[:300]!r}"
    if any("check that it is one, and whole" in line for line in errors):
        return "unforeseen", errors[0]
    return ("refused", errors[0]) if errors else ("value", "")


def find_reason(message: str) -> str:
    """The exception that the message of an unforeseen error quotes.

    >>> find_reason("error: a.npy: cannot be read as an array (ValueError: bad); check that …")
    'ValueError: bad'
    """
    found = re.search(r"cannot be read as .*? \((\w+(?:: .*)?)\); ", message)
    return found[1][:80] if found else ""
