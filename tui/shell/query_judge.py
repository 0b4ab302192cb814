"""Judging a query in a table of them: a bias case with its reason, and a note."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from textual.app import App

from engine.base.choices import Mode
from engine.keywords.judgement import OF_QUERY, Judgement, JudgementContext, Target
from tui.look.glyphs import Glyphs
from tui.look.nouns import Nouns
from tui.shell.judge import Judge
from tui.work.recorder import Recorder


def identify_query(
    mode: Mode, query: str, model: str, groups: tuple[str, ...], keywords: tuple[str, ...]
) -> tuple[Target, JudgementContext]:
    """A query as what is judged, and what stands on the screen meanwhile."""
    return Target(mode, query, OF_QUERY), JudgementContext(model, groups, keywords, 0, 0.0)


def list_signs(judgements: Mapping[str, Judgement], glyphs: Glyphs) -> Mapping[str, str]:
    """What stands before the queries that were judged: the mark, and that there is a note.

    >>> from tui.look.glyphs import UNICODE
    >>> list_signs({"a bus": Judgement("relevant", note="a tram"), "a car": Judgement()}, UNICODE)
    {'a bus': '✓✎ '}
    """
    signs = {query: _sign(said, glyphs) for query, said in judgements.items()}
    return {query: f"{sign} " for query, sign in signs.items() if sign}


def _sign(said: Judgement, glyphs: Glyphs) -> str:
    mark = glyphs.marks[said.mark].rstrip() if said.mark else ""
    return f"{mark}{glyphs.note}" if said.note else mark


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query: what was said about it, and what is seen of it."""

    target: Target
    judgement: Judgement
    seen: JudgementContext

    @property
    def name(self) -> str:
        return f"“{self.target.query}”"


class QueryJudge(Judge[JudgedQuery]):
    """Asks what there is to say about a query; the cursor stays."""

    def __init__(
        self, app: App[Any], recorder: Recorder, nouns: Nouns, say_done: Callable[[str], None]
    ) -> None:
        """`say_done` is told what is said about which query now."""
        super().__init__(recorder, nouns)
        self._own_app = app
        self._say_done = say_done

    def read(self, mode: Mode) -> Mapping[str, Judgement]:
        """What was said about queries, from the session."""
        return self._recorder.query_judgements(mode)

    # Of its own

    @property
    def _app(self) -> App[Any]:
        return self._own_app

    def _look_again(self, here: JudgedQuery) -> JudgedQuery:
        return self._find(here.target, here.seen)

    def _find(self, target: Target, seen: JudgementContext) -> JudgedQuery:
        said = self.read(target.mode).get(target.query, Judgement())
        return JudgedQuery(target, said, seen)

    def _tell(self, here: JudgedQuery, done: str) -> None:
        self._say_done(f"{done} on {here.name}")

    # Commands

    def mark_bias(self, target: Target, seen: JudgementContext) -> None:
        """Ask why, then mark."""
        self._ask_why(self._find(target, seen))

    def clear(self, target: Target, seen: JudgementContext) -> None:
        """Take the mark off; the note stays."""
        self._mark(self._find(target, seen), None)

    def note(self, target: Target, seen: JudgementContext) -> None:
        """Ask for a note, or go on with one that is not finished."""
        self._note(self._find(target, seen))

    def find_draft(self, mode: Mode) -> Target | None:
        """The query of this mode whose note is not finished; None: there is none."""
        draft = self._recorder.place.note_draft
        is_here = draft is not None and draft.target.is_query and draft.target.mode == mode
        return draft.target if draft is not None and is_here else None
