"""Mutations of any text: its words, its lines, its encoding."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

from tests.fuzz.mutations.values import ODD_NUMBERS, ODD_TEXTS, nest

TextMutation: TypeAlias = Callable[[str, Random], str]

_WORD = re.compile(r"\w+|[^\w\s]")
_DELIMITERS = ",;\t|: "


def replace_word(text: str, rng: Random) -> str:
    words = list(_WORD.finditer(text))
    if not words:
        return text + rng.choice(ODD_TEXTS)
    word = rng.choice(words)
    put = rng.choice((rng.choice(ODD_TEXTS), str(rng.choice(ODD_NUMBERS)), rng.choice(words)[0]))
    return text[: word.start()] + put + text[word.end() :]


def swap_words(text: str, rng: Random) -> str:
    words = list(_WORD.finditer(text))
    if len(words) < 2:
        return text
    one, two = sorted(rng.sample(words, 2), key=lambda word: word.start())
    middle = text[one.end() : two.start()]
    return text[: one.start()] + two[0] + middle + one[0] + text[two.end() :]


def change_lines(text: str, rng: Random) -> str:
    lines = text.split("\n")
    number = rng.randrange(len(lines))
    how = rng.randrange(6)
    if how == 0:
        del lines[number]
    elif how == 1:
        lines.insert(number, lines[number])
    elif how == 2:
        lines.insert(number, rng.choice(("", " ", "#", '"', "\x0c", nest(rng))))
    elif how == 3:
        lines[number] = lines[number] * rng.choice((2, 10, 3000))
    elif how == 4:
        rng.shuffle(lines)
    else:
        lines = lines * rng.choice((2, 20))
    return "\n".join(lines)


def change_ends(text: str, rng: Random) -> str:
    return text.replace(
        "\n", rng.choice(("\r\n", "\r", "\n\r", "\u2028", "\n\n", "", "\0", "\x85"))
    )


def widen(text: str, rng: Random) -> str:
    """A hundred thousand columns, keys or words in one line."""
    number = rng.choice((1_000, 100_000))
    piece = rng.choice(_DELIMITERS) + rng.choice(("", "x", "1"))
    lines = text.split("\n")
    where = rng.randrange(len(lines))
    lines[where] += piece * number
    return "\n".join(lines)


def change_quotes(text: str, rng: Random) -> str:
    place = rng.randrange(len(text) + 1)
    return text[:place] + rng.choice(('"', "'", '""', '"""', "\\", "`", "#")) + text[place:]


def change_delimiter(text: str, rng: Random) -> str:
    return text.replace(rng.choice(_DELIMITERS), rng.choice(_DELIMITERS))


TEXT_MUTATIONS: Sequence[TextMutation] = (
    replace_word,
    replace_word,
    replace_word,
    swap_words,
    change_lines,
    change_lines,
    change_ends,
    widen,
    change_quotes,
    change_delimiter,
)

_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "utf-7")


def encode(text: str, rng: Random) -> bytes:
    """Mostly UTF-8; also what other programs save, and halves of characters as they stand."""
    name = rng.choice(_ENCODINGS) if rng.random() < 0.1 else "utf-8"
    try:
        return text.encode(name, "surrogatepass" if name.startswith("utf") else "replace")
    except UnicodeError:
        return text.encode("utf-8", "surrogatepass")
