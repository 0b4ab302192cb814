"""Where the source of a clip, the recording that it is cut from, is known from: a column of the
annotations, a pattern over the slice_id, or its video_path.

A pattern is searched for with RE2, as pyarrow has it: no text takes it more time than its length
times that of the pattern, so that no expression of a user can hang the program. That is also why
it knows neither look-ahead nor references back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from engine.base.errors import InputError, Place
from engine.base.messages import fit_on_line, list_names, quote, suggest
from engine.dataset.annotations.layout import normalise_column

SourceKind: TypeAlias = Literal["video_path", "column", "pattern", "column or pattern"]

LONGEST_PATTERN = 200
MOST_CHARACTERS = 200
"""How many characters a pattern may spell out, counted repetitions among them."""

_TOKEN = re.compile(
    r"(?P<literal>\\Q.*?(?:\\E|$))|(?P<one>\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\])"
    r"|(?P<named>\(\?P?<)|(?P<plain>\(\?(?:[a-zA-Z-]*:)?)|(?P<group>\()|(?P<close>\))"
    r"|\{(?P<least>\d+)(?:,(?P<most>\d*))?\}|(?P<sign>[*+?|^$])|(?P<char>.)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class SourceRule:
    """What names the sources of clips.

    kind     "column or pattern": a column of that name if the annotations have one
    text     the name or the pattern
    said_in  the settings that say so; None: an option does

    >>> SourceRule().describe()
    'video_path'
    """

    kind: SourceKind = "video_path"
    text: str = ""
    said_in: Path | None = None

    def __post_init__(self) -> None:
        if self.kind != "video_path" and not self.text.strip():
            raise InputError("is empty", self.place, hint="name a column, or write a pattern")
        if self.kind == "pattern":
            name_group(self.text, self.place)

    @property
    def place(self) -> Place:
        if self.said_in is None:
            return Place("--source")
        return Place(self.said_in, setting=f"source.{self.kind}")

    def find_column(self, header: Sequence[str]) -> int | None:
        """Where the column that it names stands; None: it names none."""
        if self.kind not in ("column", "column or pattern"):
            return None
        keys = [normalise_column(name) for name in header]
        found = [i for i, key in enumerate(keys) if key == normalise_column(self.text)]
        exact = [i for i in found if header[i] == self.text] or found
        if len(exact) > 1:
            named = ", ".join(header[i] for i in exact)
            raise InputError(f"{len(exact)} columns are meant: {named}", self.place)
        if not exact and self.kind == "column":
            near = suggest(self.text, header)
            hint = f"{near} found {list_names(header)}".strip()
            missing = f"the annotations have no column {quote(self.text)}"
            raise InputError(missing, self.place, hint=hint)
        return exact[0] if exact else None

    def extract(self, ids: Sequence[str], header: Sequence[str]) -> tuple[str, ...]:
        """What the pattern finds in each id; "" where it finds nothing."""
        found = extract_sources(ids, self.text, self.place)
        if any(found):
            return found
        sample = f"the first slice_id is {quote(ids[0])}"
        if self.kind == "pattern":
            raise InputError(
                f"the pattern {quote(self.text)} matches no slice_id", self.place, hint=sample
            )
        near = suggest(self.text, header)
        raise InputError(
            f"{quote(self.text)} is no column of the annotations, and as a pattern it matches no "
            "slice_id",
            self.place,
            hint=f"{near} columns: {list_names(header)}; {sample}".strip(),
        )

    def describe(self) -> str:
        """In words, for notes and results."""
        if self.kind == "video_path":
            return "video_path"
        kind = "column" if self.kind == "column" else "pattern"
        return f"{kind} {fit_on_line(self.text)}"


def extract_sources(ids: Sequence[str], pattern: str, place: Place) -> tuple[str, ...]:
    r"""The group of the pattern, or all of it if it has none, in each id; "" where it is not found.

    >>> extract_sources(["day1_007", "day2_001", "night"], r"(.*)_\d+", Place())
    ('day1', 'day2', '')
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    named = name_group(pattern, place)
    try:
        found = pc.extract_regex(pa.array(ids, pa.string()), pattern=named)
    except pa.ArrowInvalid as error:
        why = str(error).removeprefix("Invalid regular expression: ")
        raise InputError(
            f"{quote(pattern)} is no pattern: {why}",
            place,
            hint="write a regular expression of RE2, with no look-ahead and no reference back",
        ) from error
    group = pc.struct_field(found, [0])
    return tuple(text.strip() for text in group.fill_null("").to_pylist())


def name_group(pattern: str, place: Place) -> str:
    """The pattern with its one group named, as pyarrow needs it.

    >>> name_group("(day[(]*)_", Place()), name_group("^day", Place())
    ('(?P<source>day[(]*)_', '(?P<source>^day)')
    """
    if len(pattern) > LONGEST_PATTERN:
        raise InputError(
            f"the pattern has {len(pattern):,} characters",
            place,
            hint=f"write it with {LONGEST_PATTERN} at most",
        )
    tokens = [*_TOKEN.finditer(pattern)]
    spelled = _count_characters(tokens)
    if spelled > MOST_CHARACTERS:
        raise InputError(
            f"the pattern spells out {spelled:,} characters, its counted repetitions among them",
            place,
            hint=f"keep it to {MOST_CHARACTERS}: write + or * in place of a count",
        )
    groups = [token for token in tokens if token["group"] or _is_named_group(token, pattern)]
    if len(groups) > 1:
        raise InputError(
            f"the pattern has {len(groups)} groups",
            place,
            hint="put one pair of brackets around the source, and write (?:…) for others",
        )
    if not groups:
        return f"(?P<source>{pattern})"
    at = groups[0].start()
    body = pattern[groups[0].end() :]
    return pattern[:at] + "(?P<source>" + (body if groups[0]["group"] else body.split(">", 1)[1])


def _is_named_group(token: re.Match[str], pattern: str) -> bool:
    return bool(token["named"]) and re.match(r"\w+>", pattern[token.end() :]) is not None


def _count_characters(tokens: Sequence[re.Match[str]]) -> int:
    """How many characters are spelled out, what stands in {n} as often as it may be there."""
    sizes, last = [0], 0
    for token in tokens:
        if token["named"] or token["plain"] or token["group"]:
            sizes.append(0)
            last = 0
        elif token["close"]:
            last = sizes.pop() if len(sizes) > 1 else 0
            sizes[-1] += last
        elif token["least"]:
            times = max(int(count or 0) for count in (token["least"], token["most"]))
            sizes[-1] += last * (times - 1)
            last *= times
        elif not token["sign"]:
            last = len(token["literal"] or ".")
            sizes[-1] += last
    return sum(sizes)


BY_VIDEO = SourceRule()
"""Clips of one video_path are of one source."""
