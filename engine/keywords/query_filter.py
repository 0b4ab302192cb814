"""A small language to choose queries: words, keywords and values; all terms must hold.

crossing "ego path"      the query or one of its keywords contains these, in any case
kw:bicyclist             the query has the keyword; also kw:object_type:bicyclist and
                         kw:"entering ego path"
Recall@5<0.4  R>=10      a measure by its label or id; R is the number of relevant clips
-kw:bicyclist            a leading minus: the term must not hold
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.base.messages import fit_on_line, list_names, suggest
from engine.dataset.annotations.cells import clean_keyword
from engine.dataset.vocabulary import Vocabulary
from engine.metrics import Measure, Profile

Operator: TypeAlias = Literal["<", "<=", ">", ">=", "=", "!="]

RELEVANT_COLUMN = "R"
"""What the number of relevant clips is called."""


@dataclass(frozen=True, slots=True)
class WordTerm:
    """The query, or the name of one of its keywords, contains the text (kept casefolded)."""

    text: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class KeywordTerm:
    """The query has the keyword."""

    keyword: Keyword
    negated: bool = False


@dataclass(frozen=True, slots=True)
class ValueTerm:
    """The measure's value (None: the number of relevant clips) compares so.

    No comparison holds for a query that was left out of the measure. "=" and "!=" round the
    value to as many decimals as are written, if there are two or more: Recall@3=0.33 is 1/3.
    """

    measure: Measure | None
    operator: Operator
    value: float
    decimals: int = 0
    negated: bool = False

    @property
    def tolerance(self) -> float:
        return 0.5 * 10.0**-self.decimals if self.decimals >= 2 else 1e-9


Term: TypeAlias = WordTerm | KeywordTerm | ValueTerm


@dataclass(frozen=True, slots=True)
class Filter:
    """Terms that must all hold; none: every query matches."""

    terms: tuple[Term, ...] = ()


_TERM = re.compile(
    r"""\s* (?P<minus>-?) (?:
        [kK][wW]: (?P<keyword> [^\s"]* (?: "(?:[^"\\]|\\.)*"? )? )
      | (?P<name>[^\s"<>=!]+) \s* (?P<operator><=|>=|!=|==|<|>|=) \s* (?P<value>[^\s"]*)
      | "(?P<phrase>(?:[^"\\]|\\.)*)"?
      | (?P<word>[^\s"]+)
    )""",
    re.VERBOSE,
)


def parse_filter(
    text: str,
    words: Vocabulary,
    measures: Sequence[Measure],
    language: Profile,
    groups: Sequence[str] | None = None,
) -> Filter:
    """The filter that a line means; `InputError` says which term is wrong.

    A keyword that several groups have is looked for in `groups` first.

    >>> from engine.metrics import find_profile
    >>> words = Vocabulary(("object_type",), (Keyword("object_type", "bicyclist"),))
    >>> alfa = find_profile("alfa")
    >>> for term in parse_filter("Lane -kw:bicyclist R>=10", words, alfa.measures(), alfa).terms:
    ...     print(term)
    WordTerm(text='lane', negated=False)
    KeywordTerm(keyword=Keyword(group='object_type', name='bicyclist'), negated=True)
    ValueTerm(measure=None, operator='>=', value=10.0, decimals=0, negated=False)
    >>> parse_filter("kw:bicylist", words, alfa.measures(), alfa)
    Traceback (most recent call last):
    engine.base.errors.InputError: unknown keyword "bicylist"; did you mean "bicyclist"?
    """
    terms: list[Term] = []
    place = 0
    text = text.rstrip()
    while place < len(text):
        match = _TERM.match(text, place)
        if match is None:
            raise InputError(
                f'"{text[place:].strip()}" is not a filter term',
                hint="write a word, kw:… or Recall@5<0.4",
            )
        term = _term(match, words, measures, language, groups)
        if term is not None:
            terms.append(term)
        place = match.end()
    return Filter(tuple(terms))


def _term(
    match: re.Match[str],
    words: Vocabulary,
    measures: Sequence[Measure],
    language: Profile,
    groups: Sequence[str] | None,
) -> Term | None:
    negated = bool(match["minus"])
    if match["keyword"] is not None:
        return KeywordTerm(_keyword(_plain(match["keyword"]), words, groups), negated)
    if match["operator"] is not None:
        value, decimals = _number(match["value"], f"{match['name']}{match['operator']}")
        operator = cast(Operator, "=" if match["operator"] == "==" else match["operator"])
        measure = _measure(match["name"], measures, language)
        return ValueTerm(measure, operator, value, decimals, negated)
    found = match["word"] if match["phrase"] is None else _plain(match["phrase"])
    return WordTerm(found.casefold(), negated) if found else None


def write_term(keyword: Keyword) -> str:
    """The term that means this keyword and no other.

    >>> write_term(Keyword("object_type", "bollard")), write_term(Keyword("scene", "test track"))
    ('kw:object_type:bollard', 'kw:"scene:test track"')
    """
    name = str(keyword)
    if not re.search(r'[\s"\\]', name):
        return f"kw:{name}"
    escaped = re.sub(r'(["\\])', r"\\\1", name)
    return f'kw:"{escaped}"'


def _plain(quoted: str) -> str:
    """Without quotes, and without the backslashes that keep quotes."""
    return re.sub(r'\\(.)|"', lambda match: match[1] or "", quoted)


def _keyword(name: str, words: Vocabulary, groups: Sequence[str] | None) -> Keyword:
    if not name.strip():
        raise InputError("kw: needs a keyword", hint='write kw:NAME or kw:"TWO WORDS"')
    with suppress(InputError):
        return words.find(name, groups)
    try:
        return words.find(name)
    except InputError:
        if clean_keyword(name) in {keyword.name for keyword in words.keywords}:
            raise  # several groups have it
        known = [*dict.fromkeys(keyword.name for keyword in words.keywords)]
        near = suggest(name.rpartition(":")[2], known)
        hint = near or f"there are: {list_names(known, 10)}"
        raise InputError(f'unknown keyword "{fit_on_line(name)}"', hint=hint) from None


def _number(text: str, before: str) -> tuple[float, int]:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        wrong = f'has "{text}"' if text else "has nothing"
        raise InputError(f"{before} {wrong} behind it", hint=f"write a number, as {before}0.5")
    return value, len(text.partition(".")[2])


def _measure(name: str, measures: Sequence[Measure], language: Profile) -> Measure | None:
    if name.upper() == RELEVANT_COLUMN:
        return None
    known = [language.label(measure) for measure in measures]
    try:
        measure = language.parse(name)
    except InputError:
        near = suggest(name, (RELEVANT_COLUMN, *known))
        hint = f"{near} there are: {list_names((RELEVANT_COLUMN, *known))}"
        raise InputError(f'unknown measure "{fit_on_line(name)}"', hint=hint.strip()) from None
    if measure not in measures:
        raise InputError(
            f"{language.label(measure)} was not computed",
            hint=f"there are: {list_names((RELEVANT_COLUMN, *known))}",
        )
    return measure
