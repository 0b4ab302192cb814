"""What the mapper is taught: written down, and heeded at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tui.work.lanes import FailureHook, LaneGroup, Ticket

if TYPE_CHECKING:
    from engine.base.keyword import Keyword
    from tui.work.bench import Bench


class Lessons:
    """Keeps what phrases mean in the dataset's settings, or beside the sessions.

    learned  how often something was learned since the start: texts may mean something else since
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
        done: Callable[[Path], None],
        failed: FailureHook,
    ) -> None:
        """Write down that a phrase means a keyword, or never does; `done` hears in which file."""

        def work(_: Ticket[Path]) -> Path:
            from engine.dataset.remember import find_learned_file, remember_phrase, reread_phrases

            dataset = self._bench.dataset
            beside = find_learned_file(dataset)
            file = remember_phrase(
                reread_phrases(dataset, beside), keyword, phrase, never=never, beside=beside
            )
            self._bench.work.relearn(reread_phrases(dataset, beside))
            return file

        def learned(file: Path) -> None:
            self.learned += 1
            done(file)

        self._writing.add(work, learned, failed)
