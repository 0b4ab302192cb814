"""Small dialogs: choose one, ask for a line, confirm, and show something long.

Each is one question and goes away with Escape. What they show may come from a user's file, so it is
content, never markup, and without control characters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, Final, NamedTuple

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from engine.base.errors import InputError
from engine.base.messages import cut_middle
from engine.base.visible import spell_hidden
from tui.dialogs.dialog import Dialog, ListDialog, ScrollingScreen
from tui.keys.names import name_key, parse_key
from tui.look.glyphs import UNICODE
from tui.look.safe import escape
from tui.widgets.lines_view import Line, Paragraphs, draw_wrapped, wrap
from tui.widgets.safe_input import LONGEST_INPUT, SafeInput
from tui.work.documents import find_current_folder, write_new

LONGEST_NOTE: Final = 2_000
_LEAST_WIDTH = 72
"""Columns of the box of a list of short lines, with its frame."""
_AROUND = 7
"""Columns of the frame, the margin in it and the scroll bar."""


class Choice(NamedTuple):
    """A key that picks at once (or none), what is picked, and a few words about it."""

    key: str
    label: str
    about: str = ""


class ChoiceDialog(ListDialog):
    """One of several: by its key, or by arrows and Enter. The answer is the label."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "move('down')", "Down"),
        Binding("k", "move('up')", "Up"),
    ]
    KEYS: ClassVar[str] = "a key or Enter chooses, Escape leaves"

    def __init__(
        self,
        title: str,
        options: Sequence[Choice | tuple[str, str, str]],
        current: str | None = None,
    ) -> None:
        super().__init__()
        self._title = title
        self._options = [Choice(*option) for option in options]
        self._current = current
        self._room = _LEAST_WIDTH - _AROUND
        for number, item in enumerate(self._options):
            if item.key:
                key = parse_key(item.key)
                self._bindings.key_to_bindings.pop(key, None)  # a choice comes before moving
                self._bindings.bind(key, f"pick({number})")

    def compose(self) -> ComposeResult:
        width = max((cell_len(escape(item.label)) for item in self._options), default=0)
        self._lines = [_choice_line(item, min(width, 30)) for item in self._options]
        options = [Option(_draw(line, self._room)) for line in self._lines]
        yield self._box(self._title, self.KEYS, OptionList(*options, markup=False))

    def on_resize(self) -> None:
        """As wide as the longest line, if the screen is."""
        longest = max((line.width for line in self._lines), default=0)
        wanted = max(_LEAST_WIDTH, 1 + longest + _AROUND)  # 1: the sign of the row
        width = min(wanted, self.size.width * 94 // 100)
        self.query_one(".box").styles.width = width
        self._room = width - _AROUND
        self._draw_options()

    @on(OptionList.OptionHighlighted)
    def _draw_options(self) -> None:
        """With the sign of all lists on the row that Enter takes."""
        options = self.query_one(OptionList)
        cursor = getattr(self.app, "glyphs", UNICODE).cursor
        for place, line in enumerate(self._lines):
            sign = cursor if place == options.highlighted else " "
            options.replace_option_prompt_at_index(place, _draw(line, self._room, sign))

    def on_mount(self) -> None:
        labels = [item.label for item in self._options]
        place = labels.index(self._current) if self._current in labels else 0
        if labels:
            self.query_one(OptionList).highlighted = place

    def action_pick(self, number: int) -> None:
        self.dismiss(self._options[number].label)


def _choice_line(item: Choice, width: int) -> Line:
    """Its lines below the first begin where the few words do."""
    label = escape(item.label)
    key = f"{name_key(item.key) if item.key else ' '}  "
    if not item.about:
        return Line(((key, "key"), (label, "")), cell_len(key))
    gap = " " * (max(0, width - cell_len(label)) + 2)
    spans = (key, "key"), (label + gap, ""), (escape(item.about), "dim")
    return Line(spans, cell_len(f"{key}{label}{gap}"))


def _draw(line: Line, width: int, sign: str = " ") -> Content:
    return draw_wrapped(wrap(Line(((sign, "key"), *line.spans), line.hang + 1), width))


class TextPrompt(Dialog[str]):
    """One line of text; Enter takes it, also when it is empty."""

    def __init__(
        self,
        title: str,
        text: str = "",
        hint: str = "",
        *,
        does: str = "saves",
        longest: int = LONGEST_INPUT,
    ) -> None:
        """`does`: what Enter does, for the frame."""
        super().__init__()
        self._does = does
        self._title, self._text, self._hint, self._longest = title, text, hint, longest

    def compose(self) -> ComposeResult:
        # Typing adds to what is there; it does not wipe out a long note.
        field = SafeInput(self._text, longest=self._longest, select_on_focus=False)
        yield self._box(
            self._title,
            f"Enter {self._does}, Escape leaves",
            field,
            Static(Content(escape(self._hint)), classes="hint"),
        )

    @on(Input.Submitted)
    def _taken(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(self._text if self._is_unchanged else self._meant.strip())

    @property
    def _is_unchanged(self) -> bool:
        return self.query_one(SafeInput).value == spell_hidden(self._text)

    @property
    def _meant(self) -> str:
        """A text that cannot be shown as it is comes back as it was, unless it was edited."""
        return self._text if self._is_unchanged else self.query_one(SafeInput).meant


class NoteEditor(TextPrompt):
    """A note of one line, up to 2,000 characters; an empty note takes it off."""

    def __init__(
        self, title: str, text: str = "", typed: Callable[[str], None] = lambda _: None
    ) -> None:
        """`typed` is told what there is so far."""
        super().__init__(title, text, longest=LONGEST_NOTE)
        self._tell = typed

    def on_mount(self) -> None:
        self._count(len(self._text))

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._count(len(event.value))
        self._tell(self._meant)

    def _count(self, length: int) -> None:
        hint = f"{length:,} of {LONGEST_NOTE:,} characters; an empty note takes it off"
        self.query_one(".hint", Static).update(Content(hint))


class ConfirmDialog(Dialog[bool]):
    """Yes or no; only `y`, or Enter on the yes, is a yes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "dismiss(True)", "Yes"),
        Binding("n,escape", "dismiss(False)", "No"),
        Binding("left,right,h,l", "app.focus_next", "Other"),
    ]

    def __init__(self, question: str, yes_label: str = "Yes") -> None:
        super().__init__()
        self._question, self._yes = question, yes_label

    def compose(self) -> ComposeResult:
        yield self._box(
            "Sure?",
            "y yes, n or Escape no",
            Static(Content(escape(self._question, keep="\n")), classes="question"),
            Horizontal(
                Button(Content(f"y  {escape(self._yes)}"), id="yes", compact=True),
                Button(Content("n  No"), id="no", compact=True),
                classes="buttons",
            ),
        )

    def on_mount(self) -> None:
        self.set_focus(self.query_one("#no"))

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.id == "yes")


class TextDialog(Dialog[None], ScrollingScreen):
    """Something to read, however long: a table of metrics, a list of keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,enter", "dismiss(None)", "Close"),
    ]
    KEYS: ClassVar[str] = "j k scroll, Escape closes"

    def __init__(self, title: str, lines: Sequence[Line]) -> None:
        super().__init__()
        self._title, self._lines = title, lines

    def compose(self) -> ComposeResult:
        body = VerticalScroll(Paragraphs(self._lines), can_focus=False, classes="body")
        yield self._box(self._title, self.KEYS, body)


def _indented(line: str) -> Line:
    """A line of a trace: what does not fit goes on as far in as it began."""
    shown = line.expandtabs(4)
    return Line.of(shown, hang=len(shown) - len(shown.lstrip(" ")))


_LONGEST_TEXT = 20_000
"""Characters of an error: as many as a terminal takes into its clipboard."""


class ErrorDialog(TextDialog):
    """A large error with its whole text, to copy or to write to a file."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy"),
        Binding("w", "write", "Write"),
    ]
    KEYS = "y copies, w writes a file, Escape closes"

    def __init__(self, title: str, text: str, folder: Path | None = None) -> None:
        self._text = cut_middle(spell_hidden(text, keep="\n\t"), _LONGEST_TEXT)
        self._folder = folder
        super().__init__(title, [_indented(line) for line in self._text.splitlines()])

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(self._text)
        self.notify("Copied, if the terminal allows it (OSC 52); w writes a file.", markup=False)

    def action_write(self) -> None:
        try:
            wanted = (self._folder or find_current_folder()) / "tui-eval-problem.txt"
            file = write_new(wanted, f"{escape(self._title)}\n\n{self._text}")
        except InputError as error:
            message = f"{error}; y copies the text"
            self.notify(message, severity="error", markup=False)
        else:
            self.notify(f"Wrote {file}", markup=False)
