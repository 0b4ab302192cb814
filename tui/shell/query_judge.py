"""Judging a query in a table of them: a bias case with its reason, and a note."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from textual.app import App

from engine.base.choices import Mode
from engine.keywords.judgement import OF_QUERY, Judgement, JudgementContext, Reason, Target
from tui.keys.keymap import find_keymap
from tui.look.glyphs import Glyphs
from tui.look.nouns import Nouns
from tui.look.safe import escape
from tui.work.recorder import Recorder


def identify_query(
    mode: Mode, query: str, model: str, groups: tuple[str, ...], keywords: tuple[str, ...]
) -> tuple[Target, JudgementContext]:
    """A query as what is judged, and what stands on the screen meanwhile."""
    return Target(mode, query, OF_QUERY), JudgementContext(model, groups, keywords, 0, 0.0)


def list_signs(judgements: Mapping[str, Judgement], glyphs: Glyphs) -> Mapping[str, str]:
    """What stands before the queries that were judged."""
    return {
        query: f"{glyphs.marks[said.mark].rstrip() if said.mark else glyphs.note} "
        for query, said in judgements.items()
    }


class QueryJudge:
    """Asks what there is to say about a query, and writes it into the session."""

    def __init__(
        self, app: App[Any], recorder: Recorder, nouns: Nouns, changed: Callable[[], None]
    ) -> None:
        self._app, self._recorder, self._nouns = app, recorder, nouns
        self._changed = changed

    def read(self, mode: Mode) -> Mapping[str, Judgement]:
        """What was said about queries, from the session."""
        return self._recorder.query_judgements(mode)

    def mark_bias(self, target: Target, seen: JudgementContext) -> None:
        """Ask why, then mark."""
        from tui.dialogs.reasons import ask_for_reason

        def chosen(reason: Reason, wants_note: bool) -> None:
            said = replace(self._find(target), mark="bias", reason=reason, seen=seen)
            if self._judge(target, said, said.mark_in_words) and wants_note:
                self.note(target, seen)

        ask_for_reason(self._app, self._nouns, target.mode, self._find(target).reason, chosen)

    def clear(self, target: Target) -> None:
        """Take the mark off; the note stays."""
        self._judge(target, replace(self._find(target), mark=None, reason=None), "unmarked")

    def note(self, target: Target, seen: JudgementContext) -> None:
        """Ask for a note."""
        from tui.dialogs.basic_dialogs import NoteEditor

        before = self._find(target)

        def written(note: str | None) -> None:
            if note is not None and note.strip() != before.note:
                said = replace(before, note=note.strip(), seen=before.seen or seen)
                self._judge(target, said, "note" if said.note else "no note")

        self._app.push_screen(NoteEditor(f"Note on “{target.query}”", before.note), written)

    def _find(self, target: Target) -> Judgement:
        return self.read(target.mode).get(target.query, Judgement())

    def _judge(self, target: Target, judgement: Judgement, done: str) -> bool:
        saved = self._recorder.judge(target, judgement)
        if saved:
            self._changed()
            undo = find_keymap(self._app).say("app.undo")
            text = f"“{target.query}”: {done}; {undo} takes it back"
            self._app.notify(escape(text), timeout=3, markup=False)
        return saved
