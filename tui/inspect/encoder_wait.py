"""A question that waits for an encoder to load: what it means is shown, and how long it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.inspect.keyword_bar import KeywordBar
from tui.inspect.panes import AnswerPanes
from tui.keys.keymap import find_keymap
from tui.shell.progress_text import describe_loading
from tui.widgets.lines_view import TextSpan

if TYPE_CHECKING:
    from engine.keywords.query_keywords import QueryKeywords
    from tui.inspect.host import InspectHost


class EncoderWait:
    """Owns what is known of the question that waits; the answer before stays below, as it was.

    known  what the query means; None: nothing waits
    """

    def __init__(self, keywords: KeywordBar, panes: AnswerPanes, host: InspectHost) -> None:
        self.known: QueryKeywords | None = None
        self._keywords = keywords
        self._panes = panes
        self._host = host
        self._said: tuple[TextSpan, ...] = ()

    def begin(self, known: QueryKeywords) -> None:
        self.known, self._said = known, self._describe(known)
        self._keywords.show_waiting(known, *self._said)
        self._panes.entitle(known.question)

    def end(self) -> None:
        if self.known is not None:
            self.known, self._said = None, ()
            self._panes.entitle(None)

    def tick(self) -> None:
        """Time goes by; what says the same as before is not painted again."""
        if self.known is not None and self._said != (said := self._describe(self.known)):
            self._said = said
            self._keywords.say_wait(*said)

    def _describe(self, known: QueryKeywords) -> tuple[TextSpan, ...]:
        glyphs = self._host.glyphs
        status = self._host.services.bench.encoder_status(known.question.model)
        assert status is not None  # else there would be nothing to wait for
        below = self._panes.shown
        stays = f"stays with {below.tell_from(known.question)}" if below else "gives up"
        back = find_keymap(self._host).say("inspect.back")
        return (describe_loading(status, glyphs), "part"), (f" {glyphs.dot} {back} {stays}", "dim")
