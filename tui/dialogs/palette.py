"""The command palette, which keeps up with keys that come faster than it is drawn."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.command import CommandInput, CommandList, CommandPalette
from textual.widgets import Input, OptionList
from textual.worker import Worker, WorkerState

from tui.dialogs.dialog import OneAnswerScreen


class Palette(CommandPalette, OneAnswerScreen[None]):
    """Textual's palette. Over a slow line a name and Enter arrive together: Enter waits for what
    the name finds, and a second Enter does nothing more. While no key is pressed, nothing is sent.
    """

    CSS_PATH = "palette.tcss"
    _enter_waits = False

    def __init__(self) -> None:
        super().__init__(id="--command-palette")

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            if isinstance(widget, CommandInput):
                widget.cursor_blink = False  # each blink would be sent over the line
            yield widget

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Before the first search is done the list has no size, so no lines and no pages either:
        Textual's would look for the line of the cursor and raise a KeyError.
        """
        if action != "command_list" or parameters not in (("page_down",), ("page_up",)):
            return True
        return any(bool(commands.scrollable_content_region) for commands in self.query(CommandList))

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _only_once(self, event: Input.Submitted | OptionList.OptionSelected) -> None:
        if self._answered or not self.is_current:
            event.stop()
            event.prevent_default()

    @on(Input.Submitted)
    def _not_before_it_is_found(self, event: Input.Submitted) -> None:
        """Until then the list shows what a part of the name had found."""
        if any(worker.node is self and not worker.is_finished for worker in self.workers):
            event.stop()
            event.prevent_default()
            self._enter_waits = True

    async def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.SUCCESS and self._enter_waits:
            self._enter_waits = False
            await self.query_one(CommandInput).action_submit()
