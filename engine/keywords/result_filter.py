"""A small language to choose results of one query; all terms must hold.

bicyclist 0002           the clip's id contains these, in any case
kw:bicyclist  kw:bic     the clip has the keyword; the beginning of a word does if only one has it
-bicyclist               the clip lacks the keyword
hit  miss  part  none    by its verdict: all keywords, not all, some of them, none
missed                   relevant, and no hit of the top K
judged  unjudged  noted  what a person said, or by the mark: bias, relevant, not-relevant
-judged  -kw:bicyclist   a leading minus: the term must not hold

The signs of the list can be typed as well: ✅ ◐ ❌ ⚑ ✓ ✗ ✎.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, cast, get_args

import numpy as np

from engine.base.arrays import Bools
from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.base.messages import fit_on_line, list_names, suggest
from engine.dataset.annotations.cells import clean_keyword
from engine.keywords.inspection import Inspection
from engine.keywords.judgement import Judgement

ResultState: TypeAlias = Literal[
    "hit",
    "miss",
    "part",
    "none",
    "missed",
    "judged",
    "unjudged",
    "noted",
    "bias",
    "relevant",
    "not-relevant",
]

_SIGNS: Final[Mapping[str, ResultState]] = {
    "✅": "hit",
    "◐": "part",
    "❌": "none",
    "⚑": "bias",
    "✓": "relevant",
    "✗": "not-relevant",
    "✎": "noted",
}
_STATES: Final = frozenset(get_args(ResultState))
_TERM = re.compile(
    r"""\s* (?P<minus>[-−]?) (?:
        [kK][wW]: (?P<keyword> [^\s"]* (?: "[^"]*"? )? )
      | "(?P<phrase>[^"]*)"?
      | (?P<word>[^\s"]+)
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class IdTerm:
    """The clip's id contains the text (kept casefolded)."""

    text: str


@dataclass(frozen=True, slots=True)
class HasTerm:
    """The clip has the keyword."""

    keyword: Keyword
    negated: bool = False


@dataclass(frozen=True, slots=True)
class StateTerm:
    """The result is so."""

    state: ResultState
    negated: bool = False


ResultTerm: TypeAlias = IdTerm | HasTerm | StateTerm


@dataclass(frozen=True, slots=True)
class ResultFilter:
    """Terms that must all hold; none: every result is kept."""

    terms: tuple[ResultTerm, ...] = ()

    def keep(
        self, found: Inspection, judgements: Mapping[str, Judgement], k: int | None = None
    ) -> Bools:
        """Which places of the ranking hold all terms; `k` is the cut-off of "missed"."""
        kept = np.ones(found.depth, np.bool_)
        for term in self.terms:
            kept &= _holds(term, found, judgements, found.shown if k is None else k)
        return kept


def parse_result_filter(text: str, found: Inspection) -> ResultFilter:
    """The filter that a line means; `InputError` says which term is wrong."""
    terms: list[ResultTerm] = []
    place, text = 0, text.rstrip()
    while place < len(text):
        match = _TERM.match(text, place)
        if match is None:
            raise InputError(
                f'"{fit_on_line(text[place:].strip())}" is not a filter term',
                hint="write a part of an id, kw:NAME, -NAME, miss or unjudged",
            )
        term = _read_term(match, found)
        if term is not None:
            terms.append(term)
        place = match.end()
    return ResultFilter(tuple(terms))


def _read_term(match: re.Match[str], found: Inspection) -> ResultTerm | None:
    negated = bool(match["minus"])
    if match["keyword"] is not None:
        return HasTerm(_find_keyword(match["keyword"].replace('"', ""), found), negated)
    said = match["phrase"] if match["word"] is None else match["word"]
    if said.strip("-−") == "":  # a term that is only begun
        return None
    state = _SIGNS.get(said.rstrip("\ufe0f")) or said.casefold()
    if match["word"] is not None and state in _STATES:
        return StateTerm(cast(ResultState, state), negated)
    # An id that lacks something is hardly asked for; a keyword that a clip lacks is why one looks.
    return HasTerm(_find_keyword(said, found), True) if negated else IdTerm(said.casefold())


def _find_keyword(name: str, found: Inspection) -> Keyword:
    """The keyword of this name, of the groups that count if there are several; else the only one
    that begins so, else the only one in which a word does; of the query's own first: those are what
    results lack."""
    words = found.collection.truth.words
    wanted = clean_keyword(name)
    if not wanted:
        raise InputError("no keyword is named", hint='write -NAME, kw:NAME or kw:"TWO WORDS"')
    known = (found.keywords, found.selection.keywords, words.keywords)
    tests: tuple[Callable[[str], bool], ...] = (
        wanted.__eq__,
        lambda one: one.startswith(wanted),
        lambda one: f" {wanted}" in one,
    )
    for fits in tests:
        for keywords in known:
            fitting = [one for one in keywords if fits(clean_keyword(one.name)) or fits(str(one))]
            if len(fitting) == 1:
                return fitting[0]
            if fitting:
                several = list_names(list(map(str, fitting)), 4)
                raise InputError(
                    f'"{fit_on_line(name)}" may be {several}', hint="type more of the name"
                )
    names = [*dict.fromkeys(one.name for one in words.keywords)]
    hint = suggest(name, names) or f"there are: {list_names(names, 6)}"
    raise InputError(f'unknown keyword "{fit_on_line(name)}"', hint=hint)


def _holds(
    term: ResultTerm, found: Inspection, judgements: Mapping[str, Judgement], k: int
) -> Bools:
    """Whether each place of the ranking is so."""
    if isinstance(term, IdTerm):
        return _ids_contain(term.text, found)
    if isinstance(term, HasTerm):
        lacks = found.lacks([term.keyword])[:, 0]
        return lacks if term.negated else ~lacks
    held = _is_in_state(term.state, found, judgements, k)
    return ~held if term.negated else held


def _ids_contain(text: str, found: Inspection) -> Bools:
    ids = found.collection.truth.ids
    has = np.fromiter((text in one.casefold() for one in ids), np.bool_, len(ids))
    return has[found.rows]


def _is_in_state(
    state: ResultState, found: Inspection, judgements: Mapping[str, Judgement], k: int
) -> Bools:
    if state in ("judged", "unjudged", "noted", "bias", "relevant", "not-relevant"):
        return _was_said(state, found, judgements)
    if not found.keywords:  # nothing is judged, so nothing has a verdict
        return np.zeros(found.depth, np.bool_)
    if state == "hit":
        return found.is_relevant & found.retrieved
    if state == "missed":
        missed = np.zeros(found.depth, np.bool_)
        missed[found.missed(k)] = True
        return missed
    some: Bools = found.matched > 0
    if state == "part":
        return ~found.is_relevant & some
    return ~found.is_relevant & ~some if state == "none" else ~found.is_relevant


def _was_said(state: ResultState, found: Inspection, judgements: Mapping[str, Judgement]) -> Bools:
    fits: Callable[[Judgement], bool]
    if state in ("judged", "unjudged"):
        fits = lambda said: said.mark is not None  # noqa: E731
    elif state == "noted":
        fits = lambda said: bool(said.note)  # noqa: E731
    else:
        fits = lambda said: said.mark == state.replace("-", " ")  # noqa: E731
    return _is_one_of([clip for clip, said in judgements.items() if fits(said)], found) ^ (
        state == "unjudged"
    )


def _is_one_of(clips: Sequence[str], found: Inspection) -> Bools:
    rows = found.collection.truth.rows_of(clips)
    is_one: Bools = np.isin(found.rows, rows[rows >= 0])
    return is_one
