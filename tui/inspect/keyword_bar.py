"""The keywords of the query: what each comes from, and what was dropped or added by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.binding import BindingType
from textual.message import Message

from tui.inspect.keyword_origin import KeywordOrigin, find_keyword_origin
from tui.keys.commands import make_bindings
from tui.keys.keymap import Keymap
from tui.look.nouns import Nouns
from tui.widgets.lines_view import Line, LinesView, TextSpan, cut_spans, wrap

if TYPE_CHECKING:
    from engine.base.keyword import Keyword
    from engine.keywords.inspection import Inspection
    from engine.keywords.query_keywords import QueryKeywords
    from engine.text.mapping.mapper import MappedKeyword
    from tui.inspect.lessons import Lesson


class Chip(NamedTuple):
    """One keyword of the query as it is shown. `keyword` is "group:name"."""

    keyword: str
    name: str
    why: str
    dropped: bool = False


def list_chips(inspection: QueryKeywords) -> tuple[Chip, ...]:
    """The query's keywords, then those that a person dropped."""
    mapped = {
        item.keyword: item for item in (inspection.mapping.keywords if inspection.mapping else ())
    }
    first = find_keyword_origin(inspection)
    counted = [
        Chip(str(keyword), keyword.name, _why(first, keyword, mapped.get(keyword)))
        for keyword in inspection.keywords
    ]
    dropped = [
        Chip(str(keyword), keyword.name, "dropped", dropped=True)
        for keyword in first.keywords
        if first.edited and keyword not in inspection.keywords
    ]
    return (*counted, *dropped)


def describe_relevant(inspection: Inspection) -> str:
    """How many clips have all keywords; nothing where there are none."""
    if not inspection.keywords:
        return ""
    what = " sources" if inspection.one_per_source else ""
    return f"{inspection.relevant:,} relevant of {inspection.reachable:,}{what}"


def _why(first: KeywordOrigin, keyword: Keyword, item: MappedKeyword | None) -> str:
    """What a keyword comes from: the words of the text, the query set, or a person."""
    if keyword not in first.keywords:
        return "added by you"
    if first.source == "from the query set":
        return first.source if first.edited else ""  # else said once, of all of them
    return f'"{item.ngram}" {item.why} {item.score:.2f}' if item is not None else ""


_FULL_LINES = 2
"""Lines that keywords take with what each comes from; where they need more, names must do."""

_NAME_LINES = 3
"""Lines that names alone may take."""


class KeywordBar(LinesView, inherit_bindings=False):
    """The keywords, below them what was not understood and what may be learned. Left and right
    choose a keyword, to drop it."""

    BINDINGS: ClassVar[list[BindingType]] = [*make_bindings("keywords")]
    jump_key = "e"
    pane = "keywords"
    heights = (1, _NAME_LINES + 4)

    @dataclass
    class Dropped(Message):
        """Drop the keyword from the query, or take a dropped one in again."""

        keyword: str
        dropped: bool

    class AddWanted(Message):
        """The user wants to choose a keyword to add."""

    class Restored(Message):
        """Back to the query's own keywords."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._chips: tuple[Chip, ...] = ()
        self._tail: tuple[TextSpan, ...] = ()
        self._note: tuple[TextSpan, ...] = ()
        self._wait: tuple[TextSpan, ...] = ()
        self._chosen = 0
        self._edited = False
        self._outside = ""
        self._known: QueryKeywords | None = None
        self._last_edit, self._new = ("", ""), ""
        self._said_of_all = ""
        self.offers: tuple[MappedKeyword, ...] = ()
        """The keywords that are nearest to what was not understood."""
        self.lesson: Lesson | None = None
        """What can be learned from the last edit."""

    def note_edit(self, query: str, keyword: str) -> None:
        """A keyword of a query is added or dropped: what can be learned from it is offered with
        the answer."""
        self._last_edit, self._new = (query, keyword), keyword

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
        from tui.inspect.lessons import find_lesson
        from tui.inspect.not_understood import list_offers

        self._chips = list_chips(known)
        first = find_keyword_origin(known)
        is_set = first.source == "from the query set" and not first.edited
        self._said_of_all = first.source if is_set and self._chips else ""
        self._edited = known.question.keywords is not None
        outside = known.mapping.outside if known.mapping else ()
        self._outside = ", ".join(item.keyword.name for item in outside)
        self._known, self._wait = known, ()
        self.offers = list_offers(known)
        query, keyword = self._last_edit
        learns = query == known.query and not self._nouns.has_labels
        self.lesson = find_lesson(known, keyword) if learns else None
        self._note = () if known.keywords else _empty_note(known, self._nouns, self._keymap)
        self._place_cursor()

    def _place_cursor(self) -> None:
        """On the keyword that was added by hand just now; else it stays."""
        for place, chip in enumerate(self._chips):
            if chip.keyword == self._new and not chip.dropped:
                self._chosen, self._new = place, ""
        self._chosen = max(0, min(self._chosen, len(self._chips) - 1))

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
        self._outside, self._known, self._wait, self._said_of_all = "", None, (), ""
        self.offers, self.lesson = (), None
        self._paint()
        self.refresh_bindings()

    def say_what_counts(self, groups: Sequence[str]) -> None:
        """By which groups queries will be judged; none: they are not known yet."""
        names = ", ".join(group.replace("_", " ") for group in groups)
        said = f"groups that count: {names}" if names else "reading the annotations …"
        others = f" {self._glyphs.dot} {self._keymap.say('inspect.pick')} chooses others"
        self.say((said, "dim"), (others if names else "", "dim"))

    def _paint(self) -> None:
        self.draw(lambda width, _: self._draw_lines(width))

    def _draw_lines(self, width: int) -> list[Line]:
        lines = [*self._wait_lines(width), self._draw_keywords(width)]
        if self._known is not None:
            from tui.inspect.not_understood import describe_not_understood

            lines += describe_not_understood(self._known, width, self._glyphs, self._keymap)
        if self.lesson is not None:
            key = self._keymap.say("inspect.learn")
            lines.append(_describe_lesson(self.lesson, self._glyphs.ellipsis, key))
        return lines

    def _wait_lines(self, width: int) -> list[Line]:
        """What the query waits for, on one line above the keywords."""
        spans = Line.of(*self._wait).spans
        return [Line(tuple(cut_spans(spans, width, self._glyphs.ellipsis)))] if spans else []

    def _draw_keywords(self, width: int) -> Line:
        """Every keyword with what it comes from; where that takes too long, their names, and with
        the focus what the chosen one comes from. Names that still do not fit are counted."""
        line = Line.of(*self._spans(self._chips, names_only=False))
        if len(wrap(line, width)) <= _FULL_LINES:
            return line
        for shown in range(len(self._chips), 0, -1):
            line = Line.of(*self._spans(self._window(shown), names_only=True))
            if len(wrap(line, width)) <= _NAME_LINES:
                break
        return line

    def _window(self, shown: int) -> tuple[Chip, ...]:
        """So many keywords, the chosen one among them."""
        last = max(shown, self._chosen + 1) if self.has_focus else shown
        return self._chips[last - shown : last]

    def _spans(self, chips: Sequence[Chip], *, names_only: bool) -> list[TextSpan]:
        spans: list[TextSpan] = []
        dot = (f" {self._glyphs.dot} ", "dim")
        for chip in chips:
            spans += [dot] if spans else []
            chosen = self.has_focus and chip is self._chips[self._chosen]
            name = f"{chip.name} (dropped)" if chip.dropped else chip.name
            kind = "chosen" if chosen else ("dim" if chip.dropped else "strong")
            spans.append((f"[{name}]" if chosen else name, kind))
            if chip.why and not chip.dropped and (chosen or not names_only):
                spans.append((f" {chip.why}", "dim"))
        if len(chips) < len(self._chips):
            more, key = len(self._chips) - len(chips), self._keymap.say("inspect.pick")
            spans += [dot, (f"+{more} more ({key} shows all)", "part")]
        if self._said_of_all:
            spans.append((f" {self._said_of_all}", "dim"))
        if self._outside and not self._note:
            spans.append((f" {self._glyphs.dot} not in the chosen groups: {self._outside}", "part"))
        if self._note:
            spans += [("  ", "") if spans else ("", ""), *self._note]
        if self._tail:
            spans += [("   ", ""), *self._tail]
        return spans

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


def _empty_note(known: QueryKeywords, nouns: Nouns, keymap: Keymap) -> tuple[TextSpan, ...]:
    from tui.inspect.not_understood import list_unexplained

    said = nouns.spell("no keyword of the chosen groups, so nothing is judged")
    if known.mapping is not None and known.mapping.outside:
        named = _name_by_group(item.keyword for item in known.mapping.outside)
        said += f"; outside them: {named}; {keymap.say('inspect.pick')} chooses groups"
    elif not list_unexplained(known):
        said += keymap.spell("; add one with {inspect.edit_keywords}, {keywords.add}")
    return ((said, "part"),)


def _name_by_group(keywords: Iterable[Keyword]) -> str:
    """The names, and behind those of a group what it is called."""
    names: dict[str, list[str]] = {}
    for keyword in keywords:
        names.setdefault(keyword.group.replace("_", " "), []).append(keyword.name)
    return ", ".join(f"{', '.join(own)} ({group})" for group, own in names.items())


def _describe_lesson(lesson: Lesson, ellipsis: str, key: str) -> Line:
    """What the key would remember."""
    if len(lesson.phrases) == 1:
        said = f"press {key} to remember: {lesson.describe(lesson.phrases[0], ellipsis)}"
    else:
        said = f"press {key} to remember which words mean {lesson.keyword.name}"
    return Line.of((said, "mark"))
