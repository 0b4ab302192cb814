"""Options as text: as they are typed, and as a session remembers the files of its dataset."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from engine.base.choices import CUTOFFS_ALLOWED, sort_cutoffs
from engine.base.errors import InputError
from engine.base.messages import fit_on_line

OptionValue = Path | str | bool | list[str] | None


def parse_ks(text: str) -> tuple[int, ...]:
    """The cut-offs, ascending and each once.

    >>> parse_ks("5,1,3,1")
    (1, 3, 5)
    """
    try:
        ks = sort_cutoffs([int(part) for part in text.split(",") if part.strip()])
    except ValueError:
        ks = None
    if ks is None:
        hint = f"list {CUTOFFS_ALLOWED}: --k 1,3,5"
        raise InputError(f"--k is {fit_on_line(repr(text))}", hint=hint)
    return ks


def dump_options(options: Mapping[str, OptionValue]) -> Iterator[str]:
    """Options as the words of a command line; what is None or True is as it is without them.

    >>> list(dump_options({"sensor_key": "x", "encoder": None, "labels": ["a", "b"]}))
    ['--sensor-key', 'x', '--labels', 'a', '--labels', 'b']
    """
    for name, value in options.items():
        option = name.replace("_", "-")
        if value is False:
            yield f"--no-{option}"
        elif value is not None and value is not True:
            for one in value if isinstance(value, list) else [value]:
                yield from (f"--{option}", str(one.resolve() if isinstance(one, Path) else one))


def parse_options(text: str) -> dict[str, list[str]] | None:
    """The values of options by their names; of --no-NAME there are none. None: these are no
    options, for an imported session may hold anything.

    >>> parse_options("--annotations '/a b.csv' --no-normalize"), parse_options("/data")
    ({'annotations': ['/a b.csv'], 'no_normalize': []}, None)
    """
    try:
        words = iter(shlex.split(text))
    except ValueError:
        return None
    options: dict[str, list[str]] = {}
    for word in words:
        flag = word.startswith("--no-")
        value = [] if flag else [*islice(words, 1)]
        if not word.startswith("--") or not (flag or value):
            return None
        options.setdefault(word.removeprefix("--").replace("-", "_"), []).extend(value)
    return options
