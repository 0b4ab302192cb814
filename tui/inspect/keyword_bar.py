"""The keywords of the query: what each comes from, and what was dropped or added by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.message import Message

from tui.keys.commands import make_bindings
from tui.look.nouns import Nouns
from tui.widgets.lines_view import Line, LinesView, TextSpan, cut_spans
from tui.work.questions import find_original_keywords

if TYPE_CHECKING:
    from engine.base.keyword import Keyword
    from engine.keywords.inspection import Inspection
    from engine.keywords.query_keywords import QueryKeywords
    from engine.text.mapping.mapper import MappedKeyword


@dataclass(frozen=True, slots=True)
class Chip:
    """One keyword of the query as it is shown. `keyword` is "group:name"."""

    keyword: str
    name: str
    why: str
    dropped: bool = False


def list_chips(inspection: QueryKeywords) -> tuple[Chip, ...]:
    """The query's keywords, then those that were mapped and dropped by hand."""
    mapped = {
        item.keyword: item for item in (inspection.mapping.keywords if inspection.mapping else ())
    }
    edited = inspection.question.keywords is not None
    counted = [
        Chip(str(keyword), keyword.name, _why(inspection, keyword, mapped.get(keyword)))
        for keyword in inspection.keywords
    ]
    dropped = [
        Chip(str(keyword), keyword.name, "dropped", dropped=True)
        for keyword in find_original_keywords(inspection)
        if edited and keyword not in inspection.keywords and keyword in inspection.selection
    ]
    return (*counted, *dropped)


def describe_relevant(inspection: Inspection) -> str:
    """How many clips have all keywords; nothing where there are none."""
    if not inspection.keywords:
        return ""
    return f"{inspection.relevant:,} relevant of {inspection.reachable:,}"


def _why(inspection: QueryKeywords, keyword: Keyword, item: MappedKeyword | None) -> str:
    if item is not None:
        return f'"{item.ngram}" {item.why} {item.score:.2f}'
    if inspection.mode == "video" and keyword in find_original_keywords(inspection):
        return ""
    return "added" if inspection.mode == "video" else "given"


class KeywordBar(LinesView, inherit_bindings=False):
    """The keywords on one or two lines; left and right choose one, to drop it."""

    BINDINGS: ClassVar[list[BindingType]] = [*make_bindings("keywords")]
    jump_key = "e"
    pane = "keywords"
    heights: tuple[int, int] | None = (1, 2)

    @dataclass
    class Dropped(Message):
        """Drop the keyword from the query, or take a dropped one in again."""

        keyword: str
        dropped: bool

    class AddWanted(Message):
        """The user wants to choose a keyword to add."""

    class Restored(Message):
        """Back to the keywords as they were mapped."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._chips: tuple[Chip, ...] = ()
        self._tail: tuple[TextSpan, ...] = ()
        self._note: tuple[TextSpan, ...] = ()
        self._wait: tuple[TextSpan, ...] = ()
        self._chosen = 0
        self._edited = False
        self._outside = ""

    def show(self, inspection: Inspection) -> None:
        """The keywords of an answer, and how many clips have them."""
        self._take(inspection)
        found = (describe_relevant(inspection), "hit" if inspection.relevant else "part")
        self._tail = (*((found,) if inspection.keywords else ()), *self._reach(inspection))
        self._paint()
        self.refresh_bindings()

    def show_waiting(self, known: QueryKeywords, *wait: TextSpan) -> None:
        """What a query that is not answered yet waits for, and below that its keywords."""
        self._take(known)
        self._tail = ()
        self.say_wait(*wait)
        self.refresh_bindings()

    def say_wait(self, *wait: TextSpan) -> None:
        """Say anew what the query waits for; its keywords stay."""
        self._wait = wait
        self._paint()

    def _take(self, known: QueryKeywords) -> None:
        self._chips = list_chips(known)
        self._edited = known.question.keywords is not None
        outside = known.mapping.outside if known.mapping else ()
        self._outside = ", ".join(item.keyword.name for item in outside)
        self._note = () if known.keywords else _empty_note(known, self._nouns)
        self._chosen = max(0, min(self._chosen, len(self._chips) - 1))
        self._wait = ()

    def _reach(self, inspection: Inspection) -> tuple[TextSpan, ...]:
        """How many results reach the least similarity, if there is one."""
        least = inspection.policies.min_similarity
        if least is None:
            return ()
        reach = int(inspection.retrieved.sum())
        dot = f" {self._glyphs.dot} " if inspection.keywords else ""
        said = self._glyphs.spell(f"{reach:,} reach similarity {least:g}")
        return ((f"{dot}{said}", "" if reach else "part"),)

    def say(self, *spans: TextSpan) -> None:
        """A sentence in place of keywords."""
        self._chips, self._note, self._tail, self._edited = (), spans, (), False
        self._outside, self._wait = "", ()
        self._paint()

    def say_what_counts(self, groups: Sequence[str]) -> None:
        """By which groups queries will be judged; none: they are not known yet."""
        names = ", ".join(group.replace("_", " ") for group in groups)
        said = f"groups that count: {names}" if names else "reading the annotations …"
        self.say((said, "dim"), (f" {self._glyphs.dot} p chooses others" if names else "", "dim"))

    def _paint(self) -> None:
        spans: list[TextSpan] = []
        for number, chip in enumerate(self._chips):
            if spans:
                spans.append((f" {self._glyphs.dot} ", "dim"))
            chosen = self.has_focus and number == self._chosen
            name = f"{chip.name} (dropped)" if chip.dropped else chip.name
            kind = "chosen" if chosen else ("dim" if chip.dropped else "strong")
            spans.append((f"[{name}]" if chosen else name, kind))
            if chip.why and not chip.dropped:
                spans.append((f" {chip.why}", "dim"))
        if self._outside and not self._note:
            spans.append((f" {self._glyphs.dot} not in the chosen groups: {self._outside}", "part"))
        if self._note:
            spans += [("  ", "") if spans else ("", ""), *self._note]
        if self._tail:
            spans += [("   ", ""), *self._tail]
        self.heights = (1, 3) if self._wait else (1, 2)
        self.show_lines([*self._wait_lines(), Line.of(*spans)])

    def _wait_lines(self) -> list[Line]:
        """What the query waits for, on one line above the keywords, which may fill two."""
        width = self.scrollable_content_region.width
        if not self._wait or not width:
            return []
        return [Line(tuple(cut_spans(Line.of(*self._wait).spans, width, self._glyphs.ellipsis)))]

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self._paint()

    def action_previous(self) -> None:
        self._chosen = max(0, self._chosen - 1)
        self._paint()

    def action_next(self) -> None:
        self._chosen = min(max(0, len(self._chips) - 1), self._chosen + 1)
        self._paint()

    def action_drop(self) -> None:
        chip = self._chips[self._chosen]
        self.post_message(self.Dropped(chip.keyword, not chip.dropped))

    def action_add(self) -> None:
        self.post_message(self.AddWanted())

    def action_restore(self) -> None:
        self.post_message(self.Restored())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "restore":
            return self._edited
        if action == "drop":
            return bool(self._chips)
        return True


def _empty_note(inspection: QueryKeywords, nouns: Nouns) -> tuple[TextSpan, ...]:
    mapping = inspection.mapping
    near, outside = (mapping.near, mapping.outside) if mapping else ((), ())
    parts = [nouns.spell("no keyword of the chosen groups, so nothing is judged:")]
    if outside:
        named = ", ".join(str(item.keyword) for item in outside)
        parts.append(f"it names {named} (p chooses groups);")
    if near:
        names = ", ".join(f"{item.keyword.name} {item.score:.2f}" for item in near)
        parts.append(f"near: {names};")
    parts.append("e, then a adds one")
    return ((" ".join(parts), "part"),)
