"""What the mapper is taught: written down, heeded at once, and taken back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError
from tui.work.lanes import FailureHook, LaneGroup, Ticket

if TYPE_CHECKING:
    from engine.base.keyword import Keyword
    from tui.work.bench import Bench


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a file held before and after; None: there was none."""

    path: Path
    before: bytes | None
    after: bytes | None

    def take_back(self) -> None:
        """Put back what was there before, unless others have written there since."""
        from engine.files.atomic import write_whole

        if self.before == self.after:
            return
        if _read(self.path) != self.after:
            hint = "take the phrase out of it by hand"
            raise InputError("was changed since, and is left as it is", self.path, hint=hint)
        if self.before is None:
            self.path.unlink()
        else:
            write_whole(self.before, self.path)


@dataclass(frozen=True, slots=True)
class RememberedPhrase:
    """In which file a phrase is kept, and all that was changed for it."""

    file: Path
    changes: tuple[FileChange, ...]


class PhraseMemory:
    """Keeps what phrases mean in the dataset's settings, or beside the sessions.

    learned  how often something was learned or taken back: texts may mean something else since
    """

    def __init__(self, bench: Bench, lanes: LaneGroup) -> None:
        self.learned = 0
        self._bench = bench
        self._writing = lanes.writing

    def remember(
        self,
        keyword: Keyword,
        phrase: str,
        *,
        never: bool,
        done: Callable[[RememberedPhrase], None],
        failed: FailureHook,
    ) -> None:
        """Write down that a phrase means a keyword, or never does."""

        def work(_: Ticket[RememberedPhrase]) -> RememberedPhrase:
            from engine.dataset.remember import find_learned_file, remember_phrase, reread_phrases

            beside = find_learned_file(self._bench.dataset)
            dataset = reread_phrases(self._bench.dataset, beside)
            files = [file for file in (dataset.settings_file, beside) if file is not None]
            before = [_read(file) for file in files]
            kept = remember_phrase(dataset, keyword, phrase, never=never, beside=beside)
            changes = (FileChange(f, b, _read(f)) for f, b in zip(files, before, strict=True))
            self._relearn()
            return RememberedPhrase(kept, tuple(changes))

        self._writing.add(work, self._counted(done), failed)

    def forget(
        self,
        remembered: RememberedPhrase,
        done: Callable[[RememberedPhrase], None],
        failed: FailureHook,
    ) -> None:
        """Take back what was written down."""

        def work(_: Ticket[RememberedPhrase]) -> RememberedPhrase:
            for change in remembered.changes:
                change.take_back()
            self._relearn()
            return remembered

        self._writing.add(work, self._counted(done), failed)

    def _relearn(self) -> None:
        from engine.dataset.remember import find_learned_file, reread_phrases

        dataset = self._bench.dataset
        self._bench.work.relearn(reread_phrases(dataset, find_learned_file(dataset)))

    def _counted(
        self, done: Callable[[RememberedPhrase], None]
    ) -> Callable[[RememberedPhrase], None]:
        def counted(remembered: RememberedPhrase) -> None:
            self.learned += 1
            done(remembered)

        return counted


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", path) from error
