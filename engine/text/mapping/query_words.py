"""A query's words: where they stand, what form they reduce to, and where a clause ends."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.text.wordnet.table import load_wordnet

EGO = "ego"

ARTICLES = frozenset("the a an any some this that these those its their his her another".split())
"""Words that a phrase may have anywhere without meaning anything else."""

STOP_WORDS = ARTICLES | frozenset(
    "of in on at by to from with and or as is are was were be been being it they he she there "
    "which who whose what when where while for into onto over under up down off out about than "
    "then also just very per via both either each all has have had does do did not no nor but if "
    "so how why can could will would should may might must shall we i you your".split()
)
"""Words that are never a keyword's evidence on their own."""

REQUEST_WORDS = frozenset(
    "show find give get see want need search look looking clip clips footage video videos film "
    "scene scenes shot shots moment moments please anything something everything".split()
)
"""Words that say that something is asked for, not what."""

_FUNCTION_WORDS = frozenset(
    "through during near between around toward towards along across among amid against within "
    "upon beyond after before behind beside besides below above throughout until till since "
    "because although though like such even still yet again now here too really quite rather "
    "maybe perhaps only else etc them him hers theirs ours myself itself themselves".split()
)
"""Words that join others, beside the stop words; some say where, which phrases read."""

_JOINTS = frozenset(
    "and or but while when as where then with because since so if whereas once until".split()
)
"""Words after which something new begins, with a subject of its own."""

_EGO_WORDS = frozenset("ego our ours us we my me mine i host egos".split())
_EGO_BODY = frozenset("vehicle car vehicles truck driver".split())
_IRREGULAR = {
    "people": "person",
    "persons": "person",
    "men": "man",
    "women": "woman",
    "children": "child",
    "lying": "lie",
    "ran": "run",
    "went": "go",
    "came": "come",
    "drove": "drive",
    "stood": "stand",
    "driven": "drive",
    "bus": "bus",
    "buses": "bus",
    "taxis": "taxi",
    "skies": "sky",
    "grass": "grass",
    "left": "left",
    "bring": "bring",
    "travelled": "travel",
}

_WITHOUT_CONTENT = STOP_WORDS | REQUEST_WORDS | _FUNCTION_WORDS | _EGO_WORDS

# An apostrophe joins ("doesn't"), a hyphen or slash parts ("left-adjacent", "bridge/tunnel").
# A number with decimals is one word, and so is a time of the clock.
_HOURS = "one two three four five six seven eight nine ten eleven twelve".split()
_CLOCK = (
    rf"(?<![\w:.])(?P<hour>\d{{1,2}}|{'|'.join(_HOURS)})(?:[:.]\d\d)?\s?(?P<half>[ap])(?:\.m\.|\.?m\b)"
    r"|(?<![\w:.])(?P<hour24>[01]\d|2[0-3]):[0-5]\d(?![\w:])"
)
_HOUR = re.compile(r"\d{1,2}h")
_WORD = re.compile(rf"{_CLOCK}|\d+(?:\.\d+)+(?![^\W_])|[^\W_]+(?:['’][^\W_]+)*", re.IGNORECASE)
# Emoji, symbols and arrows that picture things, and what joins or colours them.
_PICTURES = re.compile(
    "[\u2190-\u21ff\u2600-\u27bf\U0001f000-\U0001faff][\ufe0f\u200d\u2600-\u27bf\U0001f000-\U0001faff]*"
)
_BREAK = re.compile(r"[;:.!?()\[\]{}|\n–—]|--|\s[-/]\s")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a query. `start` and `end` are offsets in the text as it was typed."""

    form: str
    stem: str
    start: int
    end: int
    clause: int
    after_comma: bool
    leads: bool = False
    """Whether something new begins here: a clause, a part after a comma, what "and" joins."""

    @property
    def skippable(self) -> bool:
        return self.form in ARTICLES

    @property
    def has_content(self) -> bool:
        """Whether it can say something by itself, in any field."""
        return self.form not in _WITHOUT_CONTENT

    @property
    def written(self) -> str:
        """As a phrase has it: a time of the clock is its hour."""
        return self.stem if _HOUR.fullmatch(self.stem) else self.form

    @property
    def is_stop_word(self) -> bool:
        return self.form in STOP_WORDS or self.stem == EGO


def split_words(text: str, spelling: Mapping[str, str]) -> list[Word]:
    """The words of a text, lower-case, with offsets, stems and clause numbers.

    >>> [word.stem for word in split_words("Cars, stopped on OUR road!", {})]
    ['car', 'stop', 'on', 'ego', 'road']
    >>> [word.stem for word in split_words("at 2:30 p.m., seven pm or 07:15, 2.5 m", {})]
    ['at', '14h', '19h', 'or', '7h', '2.5', 'm']
    """
    words: list[Word] = []
    clause, last = 0, 0
    for match in _WORD.finditer(text):
        between = text[last : match.start()]
        if _BREAK.search(between):
            clause += 1
        form = _normal(match.group())
        form = spelling.get(form, form)
        hour = _read_hour(match)
        last = match.end()
        if words and words[-1].stem == EGO and form in _EGO_BODY and not between.strip():
            # "our car" is ego itself, not a car to be found.
            words[-1] = replace(words[-1], end=match.end())
            continue
        stem = EGO if form in _EGO_WORDS else hour or reduce_form(form)
        comma = "," in between
        leads = comma or not words or words[-1].clause != clause or _opens(words[-1])
        words.append(Word(form, stem, match.start(), match.end(), clause, comma, leads))
    return words


def find_pictures(text: str) -> list[tuple[int, int]]:
    """Where signs stand that picture something and are no words.

    >>> find_pictures("a 🚗🚗 in ☔ 25 °C")
    [(2, 4), (8, 9)]
    """
    return [match.span() for match in _PICTURES.finditer(text)]


def _normal(text: str) -> str:
    """One word in one spelling. Some ligatures unfold to several words; they stay one here."""
    form = "".join(unicodedata.normalize("NFKC", text).casefold().split())
    return form.replace("’", "'").removesuffix("'s")


def _read_hour(time: re.Match[str]) -> str:
    """The hour of a time of the clock, from "0h" to "23h", whatever way it is written."""
    if time["hour24"]:
        return f"{int(time['hour24'])}h"
    if not time["hour"]:
        return ""
    said = time["hour"].casefold()
    hour = _HOURS.index(said) + 1 if said in _HOURS else int(said)
    if not 1 <= hour <= 12:
        return ""
    return f"{hour % 12 + (12 if time['half'] in 'pP' else 0)}h"


def _opens(word: Word) -> bool:
    return word.form in _JOINTS or (word.leads and word.skippable)


@lru_cache(maxsize=10_000)
def reduce_form(form: str) -> str:
    """A word without its inflection: plural, -ing, -ed, and a silent e.

    Only used to compare words with each other, so it need not be a word itself.

    >>> [reduce_form(w) for w in ("crosses", "crossing", "stopped", "lorries", "merging", "merge")]
    ['cross', 'cross', 'stop', 'lorry', 'merg', 'merg']
    """
    if form.endswith("n't"):
        return "not"
    if form in _IRREGULAR:
        return _strip_silent_e(_IRREGULAR[form])
    if (lemma := load_wordnet().irregular.get(form)) is not None:
        form = lemma
    if len(form) <= 3:
        return form
    stem = _strip_plural(form)
    for suffix in ("ing", "ed"):
        rest = stem.removesuffix(suffix)
        if rest != stem and len(rest) >= 3 and re.search("[aeiouy]", rest) and rest[-1] != "e":
            return _strip_silent_e(_undouble(rest))
    return _strip_silent_e(stem)


def _strip_plural(form: str) -> str:
    if form.endswith("ies") and len(form) > 4:
        return form[:-3] + "y"
    if form.endswith(("sses", "shes", "ches", "xes", "zes")):
        return form[:-2]
    if form.endswith("s") and not form.endswith(("ss", "us", "is")):
        return form[:-1]
    return form


def _undouble(stem: str) -> str:
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "aeioulsz":
        return stem[:-1]
    return stem


def _strip_silent_e(stem: str) -> str:
    return stem[:-1] if len(stem) > 3 and stem.endswith("e") and stem[-2] not in "e" else stem
