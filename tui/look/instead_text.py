"""In words: what stands in for a keyword that results lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from engine.base.messages import format_percentage
from tui.look.glyphs import UNICODE, Glyphs
from tui.look.safe import escape

if TYPE_CHECKING:
    from engine.keywords.instead import Absence, StandIn

_NOTHING = "nothing of its group"


def format_lift(lift: float, glyphs: Glyphs = UNICODE) -> str:
    """How many times as often, in few characters.

    >>> format_lift(2.345), format_lift(0.04), format_lift(34.2)
    ('2.3×', '<0.1×', '34×')
    """
    if 0 < lift < 0.05:
        return f"<0.1{glyphs.times}"
    return f"{lift:.1f}{glyphs.times}" if lift < 9.95 else f"{lift:,.0f}{glyphs.times}"


def format_stand_in(absence: Absence, one: StandIn, glyphs: Glyphs) -> str:
    """Share and lift of a stand-in, and whether to believe them.

    few  too few different clips lack the keyword: then it is a count, and no lift is named
    ?    the interval of the lift does not lie above 1
    """
    if absence.is_few:
        return f"{one.results:,} of {one.of:,} few"
    doubt = "" if one in absence.proven else " ?"
    return f"{format_percentage(one.share)} % {format_lift(one.lift, glyphs)}{doubt}"


def name_best(absence: Absence, glyphs: Glyphs) -> tuple[str, str]:
    """What to say where there is room for one: its name, and the numbers behind it. That is the
    best stand-in, unless more results have nothing of the group and it is not proven."""
    best = absence.stand_ins[0] if absence.stand_ins else None
    if best is None or (absence.bare > best.results and best not in absence.proven):
        return _NOTHING, _count_bare(absence)
    return best.keyword.name, format_stand_in(absence, best, glyphs)


def describe_absence(absence: Absence, glyphs: Glyphs, width: int) -> str:
    """One line: what was asked, how many results lack it, and what they have instead; as many of
    those as the width has room for, and one at least."""
    asked = escape(absence.keyword.name)
    if not absence.results:
        return f"{asked}: every result has it" if absence.retrieved else f"{asked}: no results"
    said = f"{asked}: {absence.results:,} of {absence.retrieved:,} results lack it"
    named = [
        f"{escape(one.keyword.name)} {_describe(absence, one, glyphs)}" for one in absence.stand_ins
    ]
    if absence.bare:
        named.append(f"{_NOTHING} {_count_bare(absence)}")
    for number, text in enumerate(named):
        longer = f"{said}{',' if number else f' {glyphs.arrow}'} {text}"
        if number and cell_len(longer) > width:
            break
        said = longer
    return said


def describe_best(absence: Absence, glyphs: Glyphs) -> str:
    """In short what is retrieved instead of a keyword; nothing: every result has it."""
    if not absence.results:
        return ""
    name, numbers = name_best(absence, glyphs)
    return f"{escape(absence.keyword.name)} {glyphs.arrow} {escape(name)} {numbers}"


def _count_bare(absence: Absence) -> str:
    return f"{absence.bare:,} of {absence.results:,}"


def _describe(absence: Absence, one: StandIn, glyphs: Glyphs) -> str:
    numbers = format_stand_in(absence, one, glyphs)
    if absence.is_few or not one.low:  # one query bounds nothing
        return numbers
    return f"{numbers} (95 % CI {format_lift(one.low)[:-1]} to {format_lift(one.high, glyphs)})"
