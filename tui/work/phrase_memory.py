"""What the mapper is taught: written down, heeded at once, and taken back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tui.work.lanes import FailureHook, LaneGroup, Ticket

if TYPE_CHECKING:
    from engine.base.keyword import Keyword
    from engine.dataset.remember import RememberedPhrase
    from tui.work.bench import Bench


class PhraseMemory:
    """Keeps what phrases mean in the dataset's settings, or beside the sessions.

    learned  how often something was learned or taken back: texts may mean something else since
    """

    def __init__(self, bench: Bench, lanes: LaneGroup) -> None:
        self.learned = 0
        self._bench = bench
        self._writing = lanes.writing

    @cached_property
    def earlier_change(self) -> tuple[datetime, Path] | None:
        """When a file of phrases was last changed before anything was learned here, and which; None
        if there is none."""
        from engine.dataset.learned_file import find_learned_file

        dataset, found = self._bench.dataset, list[tuple[datetime, Path]]()
        settings = dataset.settings_file if dataset.learns else None
        with suppress(OSError):
            for file in (settings, find_learned_file(dataset)):
                if file is not None and file.exists():
                    found.append((datetime.fromtimestamp(file.stat().st_mtime, UTC), file))
        return max(found, default=None)

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
        _ = self.earlier_change  # while it can be told

        def work(_: Ticket[RememberedPhrase]) -> RememberedPhrase:
            from engine.dataset.learned_file import find_learned_file
            from engine.dataset.remember import remember_phrase

            beside = find_learned_file(self._bench.dataset)
            dataset = self._bench.dataset
            kept = remember_phrase(dataset, keyword, phrase, never=never, beside=beside)
            self._relearn()
            return kept

        self._writing.add(work, self._counted(done), failed)

    def forget(
        self,
        remembered: RememberedPhrase,
        done: Callable[[RememberedPhrase], None],
        failed: FailureHook,
    ) -> None:
        """Take back what was written down."""

        def work(_: Ticket[RememberedPhrase]) -> RememberedPhrase:
            remembered.take_back()
            self._relearn()
            return remembered

        self._writing.add(work, self._counted(done), failed)

    def _relearn(self) -> None:
        from engine.dataset.learned_file import find_learned_file
        from engine.dataset.remember import reread_phrases

        dataset = self._bench.dataset
        self._bench.work.relearn(reread_phrases(dataset, find_learned_file(dataset)))

    def _counted(
        self, done: Callable[[RememberedPhrase], None]
    ) -> Callable[[RememberedPhrase], None]:
        def counted(remembered: RememberedPhrase) -> None:
            self.learned += 1
            done(remembered)

        return counted
