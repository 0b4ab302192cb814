"""Reading plain values that nobody vouches for: each is checked, and named when it is wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from engine.base.errors import InputError, Place

LONGEST_TEXT = 200_000
"""Characters; more than a cell of an annotation file may have."""
MOST_ITEMS = 1_000_000
LARGEST_COUNT = 1 << 53
_SHOWN = 40

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Field:
    """A value with its path inside its document.

    >>> document = Field({"answers": [{"relevant": -1}]}, "", Place("s.json"))
    >>> next(document["answers"].items())["relevant"].count()
    Traceback (most recent call last):
    engine.base.errors.InputError: s.json: answers[0].relevant is -1, not a whole number from 0 up
    """

    value: Any
    path: str
    place: Place

    def wrong(self, what: str, *, hint: str = "") -> InputError:
        return InputError(f"{self.path or 'the document'} {what}", self.place, hint=hint)

    def _not(self, wanted: str) -> InputError:
        if isinstance(self.value, dict | list):
            shown = f"{'an object' if isinstance(self.value, dict) else 'a list'}"
        elif self.value is None:
            shown = "null"
        else:
            text = ascii(self.value) if isinstance(self.value, str) else _number_text(self.value)
            shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        return self.wrong(f"is {shown}, not {wanted}")

    def __getitem__(self, name: str) -> Field:
        """A field of an object; one that is absent is an error."""
        found = self.optional(name)
        if found is None:
            raise self.wrong(f'has no "{name}"')
        return found

    def optional(self, name: str) -> Field | None:
        """A field of an object, None if it is absent."""
        if not isinstance(self.value, dict):
            raise self._not("an object")
        if name not in self.value:
            return None
        path = f"{self.path}.{name}" if self.path else name
        return Field(self.value[name], path, self.place)

    def named(self) -> Iterator[tuple[str, Field]]:
        """The fields of an object by their names; none of null."""
        if self.value is not None and not isinstance(self.value, dict):
            raise self._not("an object")
        for name in self.value or ():
            yield name, self[name]

    def part(self, name: str) -> Field:
        """A field of an object; null if it is absent."""
        return self.optional(name) or Field(None, name, self.place)

    @property
    def null(self) -> bool:
        return self.value is None

    def items(self, most: int = MOST_ITEMS) -> Iterator[Field]:
        """The items of a list."""
        if not isinstance(self.value, list):
            raise self._not("a list")
        if len(self.value) > most:
            raise self.wrong(f"has {len(self.value):,} items; at most {most:,} are read")
        for number, value in enumerate(self.value):
            yield Field(value, f"{self.path}[{number}]", self.place)

    def text(self, longest: int = LONGEST_TEXT) -> str:
        if not isinstance(self.value, str):
            raise self._not("a text")
        if len(self.value) > longest:
            raise self.wrong(f"has {len(self.value):,} characters; at most {longest:,} are read")
        try:
            self.value.encode()
        except UnicodeEncodeError as error:
            raise self.wrong("is not valid Unicode") from error
        return self.value

    def filled(self, longest: int = LONGEST_TEXT) -> str:
        """A text that says something."""
        text = self.text(longest)
        if not text.strip():
            raise self.wrong("is empty")
        return text

    def texts(self) -> tuple[str, ...]:
        return tuple(item.text() for item in self.items())

    def choice(self, options: Sequence[T]) -> T:
        for option in options:
            if isinstance(self.value, str) and option == self.value:
                return option
        raise self._not(f"one of {', '.join(map(str, options))}")

    def count(self, least: int = 0) -> int:
        whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        if not whole or not least <= self.value <= LARGEST_COUNT:
            raise self._not(f"a whole number from {least} up")
        return int(self.value)

    def number(self) -> float:
        """A number that is one: neither true nor NaN nor infinite."""
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            try:
                number = float(self.value)
            except OverflowError:
                number = math.inf
            if math.isfinite(number):
                return number
        raise self._not("a finite number")

    def share(self) -> float:
        """A number from 0 to 1."""
        number = self.number()
        if not 0 <= number <= 1:
            raise self._not("a number from 0 to 1")
        return number

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self._not("true or false")
        return self.value

    def in_words(self) -> str:
        """A text, a number, yes or no, or none, as a reader would say it.

        >>> [Field(value, "", Place("f")).in_words() for value in (None, True, 0.15, 384, "skip")]
        ['none', 'yes', '0.15', '384', 'skip']
        """
        if self.null or isinstance(self.value, bool):
            return {None: "none", True: "yes", False: "no"}[self.value]
        if isinstance(self.value, str):
            return self.text()
        number = self.number()
        return str(self.value) if isinstance(self.value, int) else f"{number:g}"

    def moment(self) -> datetime:
        """A time in ISO 8601 with its offset, as UTC."""
        try:
            moment = datetime.fromisoformat(self.text())
            if moment.tzinfo is None:
                raise ValueError("no offset")
            return moment.astimezone(UTC)
        except (ValueError, OverflowError) as error:
            wanted = 'a time with its offset, such as "2026-01-31T12:00:00+00:00"'
            raise self._not(wanted) from error


def _number_text(value: Any) -> str:
    """A number for a message; one of thousands of digits has no spelling that helps."""
    if isinstance(value, int) and abs(value) > LARGEST_COUNT:
        return "a huge number"
    return repr(value)
