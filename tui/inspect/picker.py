"""The picker: which groups count, which keywords the query has, and how many clips have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.binding import BindingType
from textual.message import Message

from engine.base.messages import pluralise
from tui.keys.commands import make_bindings
from tui.look.glyphs import Glyphs
from tui.look.nouns import OF_CLIPS, Nouns
from tui.widgets.line_layout import LineCell, LineColumn
from tui.widgets.line_table import LineTable

if TYPE_CHECKING:
    from engine.base.keyword import Keyword
    from engine.dataset.ground_truth import GroundTruth


class KeywordChoice(NamedTuple):
    """What is chosen: groups, keywords ("group:name") left out of them, keywords of the query."""

    groups: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    query: tuple[str, ...] = ()


class PickerLine(NamedTuple):
    """A keyword with its clips, and those that have the query's too; or a group (`keyword` None)
    with the number of its keywords."""

    group: str
    keyword: Keyword | None
    clips: int
    together: int | None


class PickerRows:
    """The groups, and the keywords of those that are unfolded."""

    def __init__(
        self,
        rows: Sequence[PickerLine],
        choice: KeywordChoice,
        folded: frozenset[str],
        glyphs: Glyphs,
        nouns: Nouns = OF_CLIPS,
    ) -> None:
        self.rows = rows
        self._choice = choice
        self._folded = folded
        self._glyphs = glyphs
        self.columns = (
            LineColumn(nouns.spell("group or keyword")),
            LineColumn(nouns.spell("clips"), self._number_width(), right=True, lends=True),
            LineColumn("+query", max(6, self._number_width()), right=True),
        )

    def _number_width(self) -> int:
        return max([5, *(len(f"{row.clips:,}") for row in self.rows)])

    def __len__(self) -> int:
        return len(self.rows)

    def cells(self, row: int) -> Sequence[LineCell]:
        shown = self.rows[row]
        if shown.keyword is None:
            return self._group(shown)
        name = str(shown.keyword)
        together = "" if shown.together is None else f"{shown.together:,}"
        if name in self._choice.query:
            return (
                (f"  {self._glyphs.chosen} {shown.keyword.name}", "strong"),
                f"{shown.clips:,}",
                "",
            )
        if name in self._choice.left_out:
            return (f"  {self._glyphs.dash} {shown.keyword.name} left out", "dim"), ("", "dim"), ""
        chosen = shown.group in self._choice.groups
        style = "" if chosen else "dim"
        text = f"  {self._glyphs.not_chosen} {shown.keyword.name}"
        return (text, style), (f"{shown.clips:,}", style), (together, style)

    def _group(self, row: PickerLine) -> Sequence[LineCell]:
        fold = self._glyphs.closed if row.group in self._folded else self._glyphs.open
        chosen = row.group in self._choice.groups
        some = any(name.startswith(f"{row.group}:") for name in self._choice.left_out)
        sign = self._glyphs.some_chosen if some else self._glyphs.chosen
        sign = sign if chosen else self._glyphs.not_chosen
        text = f"{fold}{sign} {row.group.replace('_', ' ')} ({row.clips:,})"
        return (text, "strong" if chosen else "dim"), "", ""


class Picker(LineTable):
    """Groups and keywords. Everything that it shows is counted again with every change."""

    BINDINGS: ClassVar[list[BindingType]] = [*make_bindings("picker")]
    jump_key = "p"
    pane = "picker"

    @dataclass
    class Chose(Message):
        """Other groups or left-out keywords are chosen."""

        groups: tuple[str, ...]
        left_out: tuple[str, ...]

    @dataclass
    class Toggled(Message):
        """A keyword is to be added to the query, or dropped from it."""

        keyword: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("reading the annotations …", id=id)
        self._truth: GroundTruth | None = None
        self._defaults: tuple[str, ...] = ()
        self._choice = KeywordChoice()
        self._folded: frozenset[str] = frozenset()

    def open(self, truth: GroundTruth, defaults: tuple[str, ...], choice: KeywordChoice) -> None:
        """The annotations are read: show their vocabulary. Groups that do not count are folded."""
        self._truth = truth
        self._defaults = defaults
        self._folded = frozenset(truth.words.groups) - frozenset(choice.groups)
        self.show_choice(choice)

    def use(self, truth: GroundTruth) -> None:
        """Count the clips of another model; what is folded and chosen stays."""
        self._truth = truth
        self._fill()

    def show_choice(self, choice: KeywordChoice) -> None:
        """Show what is chosen now; the cursor stays on its group or keyword."""
        self._choice = choice
        self._fill()

    @property
    def current(self) -> PickerLine | None:
        source = self.source
        if not isinstance(source, PickerRows) or self.cursor < 0:
            return None
        return source.rows[self.cursor]

    def _fill(self, at: tuple[str, object] | None = None) -> None:
        truth = self._truth
        if truth is None:
            return
        here = self.current
        if at is None and here is not None:
            at = (here.group, here.keyword)
        rows = self._rows_now(truth)
        keys = [(row.group, row.keyword) for row in rows]
        cursor = keys.index(at) if at in keys else min(max(self.cursor, 0), len(rows) - 1)
        glyphs = self._glyphs
        self.show(PickerRows(rows, self._choice, self._folded, glyphs, self._nouns), cursor)

    def _rows_now(self, truth: GroundTruth) -> list[PickerLine]:
        query = [truth.words.find(name) for name in self._choice.query]
        clips = truth.counts.tolist()
        together = truth.counts_with(query).tolist() if query else [None] * len(clips)
        rows = []
        for group in truth.words.groups:
            own = truth.words.columns([group])
            rows.append(PickerLine(group, None, len(own), None))
            if group not in self._folded:
                rows += [
                    PickerLine(group, truth.words.keywords[column], clips[column], together[column])
                    for column in own
                ]
        return rows

    def action_choose(self) -> None:
        row = self.current
        if row is None:
            return
        if row.keyword is not None:
            self.post_message(self.Toggled(str(row.keyword)))
            return
        assert self._truth is not None
        chosen = set(self._choice.groups) ^ {row.group}
        self._folded = self._folded - {row.group} if row.group in chosen else self._folded
        self._choose_groups(tuple(group for group in self._truth.words.groups if group in chosen))

    def _choose_groups(self, groups: tuple[str, ...]) -> None:
        if not groups:
            self.notify("At least one group has to be chosen.", severity="warning", markup=False)
            return
        self.post_message(self.Chose(groups, self._choice.left_out))

    def action_leave_out(self) -> None:
        row = self.current
        if row is None or row.keyword is None:
            return
        left_out, name = dict.fromkeys(self._choice.left_out), str(row.keyword)
        if name in left_out:
            del left_out[name]
        else:
            left_out[name] = None
        self.post_message(self.Chose(self._choice.groups, tuple(left_out)))

    def action_fold(self) -> None:
        row = self.current
        if row is not None:
            self._folded = self._folded ^ {row.group}
            self._fill((row.group, None))

    def action_all_groups(self) -> None:
        if self._truth is not None:
            self._choose_groups(self._truth.words.groups)

    def action_default_groups(self) -> None:
        self._choose_groups(self._defaults)

    def go_to(self, keyword: str) -> None:
        """Put the cursor on a keyword ("group:name")."""
        if self._truth is not None:
            word = self._truth.words.find(keyword)
            self._folded = self._folded - {word.group}
            self._fill((word.group, word))

    def find(self, title: str, does: str, then: Callable[[str], None]) -> None:
        """Let the user find a keyword by its name."""
        from tui.dialogs.find import FindDialog, FindEntry

        if self._truth is None:
            return
        truth, clip = self._truth, self._nouns.spell("clip")
        choices = [
            FindEntry(
                word.name,
                f"{word.group.replace('_', ' ')}, "
                f"{pluralise(int(truth.counts[truth.words.column_of[word]]), clip)}",
                str(word),
            )
            for word in truth.words.keywords
        ]

        def chosen(keyword: str | None) -> None:
            if keyword is not None:
                then(keyword)

        self.app.push_screen(FindDialog(title, does, choices), chosen)

    def action_find(self) -> None:
        self.find(self._nouns.spell("Find a keyword"), "goes there", self.go_to)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "leave_out":
            return self.current is not None and self.current.keyword is not None
        return True
