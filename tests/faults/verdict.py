"""What a fault has done, and whether that may be."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.base.errors import ExitCode
from engine.files.points import Point
from tests.faults.catalogue import INTERRUPT, KILL, SLOWNESS, TRUNCATION, VANISHING
from tests.faults.snapshot import Snapshot

LONGEST = 1.0
"""Seconds after Ctrl+C."""
_KEPT_ASIDE = re.compile(r"(?<=\.damaged)-\d[\d-]+")
_DRAWN_ANEW = re.compile(rf"{_KEPT_ASIDE.pattern}|(?<=::)[0-9a-f]{{32}}")
"""What is another each time: when a store was kept, and the word behind which GitHub obeys
nothing."""
_STORE = ("data", "sessions.db")
"""The folder that it is made in, and its file."""
_REPORTS = ("validate", "moments validate", "map learn")
"""Commands that go on, and whose result is what is wrong with which file."""
_CUT_ANYWHERE = (".csv", ".txt", ".jsonl", ".toml", ".run")
"""Texts whose first half is one of its kind."""
_SALVAGES = "sessions repair"
"""Takes what there is of a store, however much of it is gone."""
_COUNTED = (".webp", ".mp4")
"""Files of which a report says how many it has done without, and why: there may be thousands."""


@dataclass(frozen=True)
class Trial:
    """One fault at one point, and what was seen of it.

    code     how the command ended; `said` and `printed` are what it had to say, on stderr and
             stdout
    changed  the files that are otherwise than before the command, by digest; None: it is gone
    ended    seconds after Ctrl+C
    written  the lines of those files that name the one that the fault befell
    """

    command: str
    fault: str
    point: Point
    file: str
    code: int
    said: str
    printed: str
    changed: Mapping[str, str | None]
    number: int = 0
    ended: float = 0.0
    written: Sequence[str] = ()


@dataclass(frozen=True)
class Undisturbed:
    """The command when nothing goes wrong: the files around it, and what it says.

    passing  what files hold meanwhile, by digest: who takes something back has written it first
    """

    before: Snapshot
    after: Snapshot
    said: str = ""
    printed: str = ""
    passing: frozenset[tuple[str, str | None]] = frozenset()

    @property
    def changed(self) -> dict[str, str | None]:
        return {name: digest(one) for name, one in self.before.compare(self.after).items()}

    def find_written(self, file: Path) -> list[str]:
        return find_lines(self.before.compare(self.after).values(), file)


@dataclass(frozen=True)
class Verdict:
    """A trial and all that is wrong with its end: of "lost", "half", "stray", "traceback",
    "unclear" and "late".

    coped  the command went on to its end, for it can do without the file: with the usual result,
           or with a line that says what it did without
    """

    trial: Trial
    wrong: tuple[str, ...]
    coped: bool


def digest(content: bytes | None) -> str | None:
    return None if content is None else hashlib.sha256(content).hexdigest()[:16]


def find_lines(contents: Iterable[bytes | None], file: Path) -> list[str]:
    """The lines of texts that name a file.

    >>> find_lines([b"valid: no\\nin.csv: is empty", None], Path("/world/in.csv"))
    ['in.csv: is empty']
    """
    lines = (line for one in contents for line in (one or b"").decode(errors="replace").split("\n"))
    return [line for line in lines if file.name in line]


def judge(trial: Trial, usual: Undisturbed) -> Verdict:
    errors = [line for line in _find_news(trial, usual) if line.startswith("error: ")]
    coped = not errors and (_has_coped(trial, usual) or _has_reported(trial, usual))
    wrong = {*_judge_files(trial, usual, coped), *_judge_words(trial, usual, errors, coped)}
    return Verdict(trial, tuple(sorted(wrong)), coped)


def _find_news(trial: Trial, usual: Undisturbed) -> list[str]:
    """The lines that the command does not say otherwise; of what it prints, those that name the
    file: the rest may be another result."""
    said, printed = usual.said.splitlines(), usual.printed.splitlines()
    named = (line for line in trial.printed.splitlines() if Path(trial.file).name in line)
    return [
        *(line for line in trial.said.splitlines() if line not in said),
        *(line for line in named if line not in printed),
    ]


def _has_coped(trial: Trial, usual: Undisturbed) -> bool:
    if trial.fault in (KILL.name, INTERRUPT.name) or trial.code != 0:
        return False
    printed, expected = (_DRAWN_ANEW.sub("", text) for text in (trial.printed, usual.printed))
    is_usual = printed == expected and _name_alike(trial.changed) == _name_alike(usual.changed)
    if trial.fault == SLOWNESS.name:
        return is_usual
    # What is left of a text that was cut short may be sound by itself, and a store that is not
    # there is one without sessions: nobody can tell.
    may_be_cut = Path(trial.file).suffix in _CUT_ANYWHERE or trial.command.startswith(_SALVAGES)
    is_rest_sound = trial.fault == TRUNCATION.name and may_be_cut
    is_store_gone = trial.fault == VANISHING.name and Path(trial.file).name in _STORE
    # A folder that is gone when it is to be made is made.
    is_made = (
        trial.fault == VANISHING.name and trial.point == "make" and not Path(trial.file).suffix
    )
    return is_usual or _is_told(trial, usual) or is_rest_sound or is_store_gone or is_made


def _has_reported(trial: Trial, usual: Undisturbed) -> bool:
    """Whether a line or the result tells of it, and the exit code says that something is wrong."""
    if not trial.command.startswith(_REPORTS) or trial.fault == SLOWNESS.name:
        return False
    return trial.code in (ExitCode.FAILED, ExitCode.BAD_INPUT) and _is_told(trial, usual)


def _is_told(trial: Trial, usual: Undisturbed) -> bool:
    """Whether a line that was said, printed or written, and otherwise is not, names the file and
    the reason."""
    before = usual.find_written(Path(trial.file))
    news = [*_find_news(trial, usual), *(line for line in trial.written if line not in before)]
    return any(_tells(line, trial, usual) for line in news)


def _tells(line: str, trial: Trial, usual: Undisturbed) -> bool:
    """Whether a line names the file, or what else the fault befell, and the reason."""
    file = Path(trial.file)
    if file.suffix in _COUNTED and "clips have no frames: " in line:
        return True
    is_named = file.name in line
    # Where a disk is full, another file or its folder may be tried, and be the one that is named;
    # and what is left of a file that was cut short may fit no longer to another.
    if trial.point != "read" or trial.fault == TRUNCATION.name:
        is_named |= any(str(path) in line for path in _find_places(usual))
    if trial.fault == TRUNCATION.name:
        is_named |= _quote_cut_line(usual.before.files.get(trial.file, b"")) in line
    return is_named and (not trial.number or os.strerror(trial.number).lower() in line.lower())


def _find_places(usual: Undisturbed) -> set[Path]:
    files = {Path(name) for name in (*usual.before.files, *usual.after.files)}
    return files | {file.parent for file in files}


def _quote_cut_line(content: bytes) -> str:
    """What stands where half of a file is gone, as a message quotes it.

    >>> _quote_cut_line(b"clip_1\\nclip_2\\nclip_3")
    '"cli"'
    """
    lines = content[: len(content) // 2].decode(errors="replace").split("\n")
    return f'"{lines[-1].strip()}"'


def _judge_files(trial: Trial, usual: Undisturbed, coped: bool) -> Iterator[str]:
    before, after = _name_alike(usual.before.files), _name_alike(usual.after.files)
    # Who does without a file that is read, or reports one, may have another result.
    has_other_result = coped and (trial.point == "read" or trial.command.startswith(_REPORTS))
    for name, found in _name_alike(trial.changed).items():
        old, new = before.get(name), after.get(name)
        if old == new and old is not None:
            if (name, found) not in usual.passing:
                yield "lost"  # an input, which the command does not change
        elif old is None and new is None:
            yield "stray"
        elif found is None:
            yield "lost"
        elif found not in (digest(old), digest(new)) and not (
            has_other_result and name != trial.file
        ):
            yield "half"


def _name_alike(files: Mapping[str, str | bytes | None]) -> dict[str, str | bytes | None]:
    """A damaged store that is kept has the time in its name."""
    return {_KEPT_ASIDE.sub("", name): content for name, content in files.items()}


def _judge_words(trial: Trial, usual: Undisturbed, errors: list[str], coped: bool) -> Iterator[str]:
    if "Traceback" in trial.said or "error: unexpected " in trial.said:
        yield "traceback"
    if trial.fault == KILL.name:
        if trial.code != -9:
            yield "unclear"
    elif trial.fault == INTERRUPT.name:
        if trial.ended > LONGEST:
            yield "late"
        if trial.code != ExitCode.INTERRUPTED:
            yield "unclear"
    elif not coped and not _is_clear(trial, usual, errors):
        yield "unclear"


def _is_clear(trial: Trial, usual: Undisturbed, errors: list[str]) -> bool:
    """Whether it is one line that names the file and the reason, and the exit code says so too."""
    if len(errors) != 1 or trial.code != ExitCode.BAD_INPUT or trial.fault == SLOWNESS.name:
        return False
    return _tells(errors[0], trial, usual)
