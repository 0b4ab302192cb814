"""One input: which reader or command it is for, and what lies in its folder.

An input is known by a seed and a number: the same two always make the same one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, Literal, TypeAlias

from tests.fuzz.commands import find_command_of, find_commands, list_sound_lines, mutate_line
from tests.fuzz.content import Content, dump_files, load_files
from tests.fuzz.corpus import list_samples
from tests.fuzz.mutations.mutate import mutate
from tests.fuzz.sound_files import make_sound_files

TrialKind: TypeAlias = Literal["reader", "apart", "command"]
"""Who is tried: a reader, one that reads in another process, or a command."""


@dataclass(frozen=True, slots=True)
class Trial:
    """An input.

    name       of the reader, or the words of the command
    sample     which of all samples; for a reader
    arguments  for a command
    """

    number: int
    name: str
    files: Mapping[str, Content]
    sample: int | None = None
    arguments: tuple[str, ...] = ()

    def as_document(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "name": self.name,
            "sample": self.sample,
            "arguments": list(self.arguments),
            "files": dump_files(self.files),
        }

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> Trial:
        return cls(
            document["number"],
            document["name"],
            load_files(document["files"]),
            document["sample"],
            tuple(document["arguments"]),
        )


class Trials:
    """All inputs of a seed.

    only          for this reader
    without_slow  none for what needs a library that takes long to import
    """

    def __init__(self, seed: int, only: str = "", *, without_slow: bool = False) -> None:
        self.seed = seed
        self.sound = make_sound_files()
        self.samples = list_samples()
        self._chosen = [
            number
            for number, (name, sample) in enumerate(self.samples)
            if only in ("", name) and not (without_slow and sample.library)
        ]
        self._has_commands = not only
        self._contents = list(self.sound.values())

    @cached_property
    def _lines(self) -> list[list[str]]:
        return list_sound_lines()

    @cached_property
    def _commands(self) -> Any:
        return find_commands()

    def make(self, number: int, kind: TrialKind) -> Trial:
        rng = Random(f"{self.seed}:{number}")
        if kind == "command" and self._has_commands:
            return self._for_command(number, rng)
        return self._for_reader(number, rng.choice(self._by_kind.get(kind) or self._chosen), rng)

    def list_libraries(self) -> list[str]:
        """What takes long to import, of all that will be tried."""
        return sorted({one for n in self._chosen for one in self.samples[n][1].library.split()})

    @cached_property
    def _by_kind(self) -> dict[TrialKind, list[int]]:
        """Which of the samples are for which readers."""
        found: dict[TrialKind, list[int]] = {"reader": [], "apart": []}
        for number in self._chosen:
            found["apart" if self.samples[number][1].is_apart else "reader"].append(number)
        return found

    def _for_reader(self, number: int, which: int, rng: Random) -> Trial:
        name, sample = self.samples[which]
        files: dict[str, Content] = {beside: self.sound[beside] for beside in sample.beside}
        files[sample.file] = mutate(sample.file, self.sound[sample.file], self._contents, rng)
        return Trial(number, name, files, which)

    def _for_command(self, number: int, rng: Random) -> Trial:
        line = rng.choice(self._lines)
        command = find_command_of(line, self._commands)
        arguments, files = mutate_line(line, command, self.sound, rng)
        return Trial(number, " ".join(command.words) or "tui-eval", files, None, tuple(arguments))
