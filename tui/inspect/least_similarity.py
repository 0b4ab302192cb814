"""The dialog that asks below which similarity results do not count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.base.errors import InputError
from engine.keywords.question import Question
from tui.inspect.conversation import parse_threshold

if TYPE_CHECKING:
    from textual.app import App

    from tui.inspect.host import InspectHost


def ask_for_least_similarity(
    app: App[None],
    host: InspectHost,
    asked: Callable[[], Question],
    ask: Callable[[Question], None],
) -> None:
    """Show it, and ask the question that is asked by then with what was typed."""
    from tui.dialogs.basic_dialogs import TextPrompt

    def typed(text: str | None) -> None:
        if text is None:
            return
        try:
            ask(replace(asked(), min_similarity=parse_threshold(text)))
        except InputError as error:
            host.show_error(error)

    now = asked().min_similarity
    hint = "results below it are shown, but do not count; empty: all count"
    dialog = TextPrompt(
        "Least similarity", "" if now is None else f"{now:g}", hint, does="sets it", longest=20
    )
    app.push_screen(dialog, typed)
