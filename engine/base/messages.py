"""Words that messages, reports and screens share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

from engine.base.visible import make_visible, spell_hidden, spell_message

LONGEST_MESSAGE = 600
"""Characters of a message to the user: what can be read before the next one comes."""

LONGEST_LINE = 200
"""Characters of a user's text that a message quotes."""

LONGEST_KEY = 60
"""Characters of a name that a message lists or quotes."""


def pluralise(count: int, noun: str) -> str:
    """A number with its noun.

    >>> pluralise(1, "model"), pluralise(1200, "clip"), pluralise(2, "query"), pluralise(0, "key")
    ('1 model', '1,200 clips', '2 queries', '0 keys')
    """
    if count == 1:
        return f"1 {noun}"
    ends_in_y = noun.endswith("y") and noun[-2:-1] not in "aeiou"
    return f"{count:,} {noun[:-1]}ies" if ends_in_y else f"{count:,} {noun}s"


def suggest(name: str, options: Iterable[str]) -> str:
    """`did you mean "…"?`, or nothing if no option is near."""
    if len(name) > LONGEST_LINE:  # the time to compare grows with the square of the length
        return ""
    known = [option for option in options if len(option) <= LONGEST_LINE]
    near = get_close_matches(name, known, 1, cutoff=0.6)
    return f'did you mean "{make_visible(near[0])}"?' if near else ""


def list_names(names: Iterable[str], limit: int = 30) -> str:
    """Names for a message, each on one line and not too long, cut aloud after `limit`.

    >>> list_names(["a", "b", "c"], limit=2)
    'a, b and 1 more'
    """
    names = list(names)
    rest = len(names) - limit
    shown = ", ".join(make_visible(cut_middle(name, LONGEST_KEY)) for name in names[:limit])
    return shown + (f" and {rest:,} more" if rest > 0 else "")


def quote(key: str, limit: int = LONGEST_KEY) -> str:
    """A key as it may stand in a message: quoted, hidden characters spelt out, not too long.

    >>> quote("clip\\x1b[2J")
    "'clip\\\\x1b[2J'"
    """
    return spell_message(repr(cut_middle(key, limit)))


def cut_middle(text: str, longest: int) -> str:
    """At most so many characters; where the middle was, that something is left out.

    Names often differ at their end, and a message says there what to do.

    >>> cut_middle("alfa-0.1", 12), cut_middle("a-very-long-model-name-v2", 12)
    ('alfa-0.1', 'a-ver…ame-v2')
    """
    if len(text) <= longest:
        return text
    end = longest // 2
    return type(text)(f"{text[: longest - end - 1]}…{text[-end:]}")  # a visible one stays visible


_LINE_BREAK = re.compile(r"\s*[\n\r]\s*")


def fit_message(text: str, longest: int = LONGEST_MESSAGE) -> str:
    """A message on one line of readable length, with every hidden character spelt out.

    >>> fit_message("cannot be read:\\n  bad magic\\x1b"), fit_message("wrote " + 9 * "abc", 11)
    ('cannot be read: bad magic\\\\x1b', 'wrote…bcabc')
    """
    # No more is looked at than can be shown, whatever is spelt out.
    line = _LINE_BREAK.sub(" ", cut_middle(text.strip(), 4 * longest))
    return cut_middle(spell_hidden(line), longest)


def fit_message_lines(text: str, longest: int = LONGEST_MESSAGE) -> str:
    """A message of several lines, each as `fit_message` has it. A line feed alone ends one: what
    else might, a quoted text may hold.

    >>> fit_message_lines("not saved:\\na\\u2028b\\x0bc")
    'not saved:\\na\\\\u2028b\\\\x0bc'
    """
    return "\n".join(fit_message(line, longest) for line in text.rstrip("\n").split("\n"))


def fit_on_line(text: str, longest: int = LONGEST_LINE) -> str:
    """A user's text on one line, shortened, with every character spelt out that a terminal or an
    XML parser would trip over, or that is not seen at all.

    >>> fit_on_line("a\\nb\\x1b[31m")
    'a\\\\nb\\\\x1b[31m'
    >>> fit_on_line("abcdef", longest=4)
    'a…ef'
    """
    return make_visible(cut_middle(text, longest))


def format_percentage(share: float) -> str:
    """A share in whole per cent; something is never shown as nothing, nor less than all as all.

    >>> [format_percentage(share) for share in (0.336, 0.004, 0.996, 1.0, 0.0)]
    ['34', '<1', '>99', '100', '']
    """
    if share <= 0:
        return ""
    whole = round(100 * float(f"{share:.2f}"))  # as a mean of two decimals is rounded
    if whole == 0:
        return "<1"
    return ">99" if whole >= 100 and share < 1 else str(whole)


def make_slug(value: str) -> str:
    """A text as the id of an element of HTML, or as a label of LaTeX.

    >>> make_slug("Text queries: P@5"), make_slug("summary-a_b}c")
    ('text-queries-p-5', 'summary-a-b-c')
    """
    return re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-") or "part"
