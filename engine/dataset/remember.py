"""What people teach the mapper: "lorry" means `large vehicle`, "bus stop" never means `bus`.

It is kept in the dataset's own settings. Where these cannot be written, or are not to be, it is
kept in a file of the same two tables beside the sessions, which is read with the dataset.
"""

from __future__ import annotations

import errno
import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.base.errors import InputError, Place
from engine.base.keyword import Keyword
from engine.dataset.dataset import Dataset
from engine.dataset.phrase_tables import (
    NEVER_MEANS,
    SYNONYMS,
    PhraseTables,
    add_phrase,
    find_key,
    normalise_phrase,
)
from engine.files.change import change_file, may_be_written
from engine.files.data_folder import find_data_folder
from engine.files.text import read_text

_NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS)


def remember_phrase(
    dataset: Dataset, keyword: Keyword, phrase: str, *, never: bool, beside: Path
) -> Path:
    """Write down that a phrase means a keyword, or never does, and return the file that says so.

    The phrase is taken word for word. It goes to the dataset's settings, or to the file `beside`
    (see `find_learned_file`) if the dataset has none that may be written. What said the contrary
    is taken out.
    """
    from engine.text.mapping.literal_phrases import write_literal

    written = write_literal(phrase)
    _check_sense(dataset, keyword, written, never)

    def change(text: str) -> str:
        return add_phrase(text, keyword.name, written, never=never)

    settings = dataset.settings_file
    if settings is not None and dataset.learns and may_be_written(settings):
        try:
            _change(settings, change)
        except InputError as error:
            if getattr(error.__cause__, "errno", None) not in _NOT_ALLOWED:
                raise
        else:
            # What was once kept beside must not contradict it from there.
            if beside.exists():
                _change(beside, change)
            return settings
    _make_folder(beside.parent)
    _change(beside, lambda text: change(text or _first_line(dataset)))
    return beside


def find_learned_file(dataset: Dataset, folder: Path | None = None) -> Path:
    """Where phrases are kept that cannot go into the dataset: one file for each place of a dataset.

    It need not be there. `folder`: another one than that beside the sessions.
    """
    folder = find_data_folder() / "learned" if folder is None else folder
    place = str(_place(dataset)).encode(errors="surrogateescape")
    return folder / f"{hashlib.sha256(place).hexdigest()[:16]}.toml"


def add_learned(dataset: Dataset, learned: Path) -> Dataset:
    """The dataset with what is kept beside it; what was learned counts for more."""
    if not learned.exists():
        return dataset
    own = PhraseTables(dataset.synonyms, dataset.never_means)
    return replace(_with(dataset, own.overlaid(_read_tables(learned))), learned_file=learned)


def reread_phrases(dataset: Dataset, learned: Path) -> Dataset:
    """The dataset with the phrases that its settings and the file beside say now."""
    settings = dataset.settings_file
    own = PhraseTables() if settings is None else _read_tables(settings)
    return add_learned(_with(dataset, own), learned)


def _with(dataset: Dataset, tables: PhraseTables) -> Dataset:
    return replace(dataset, synonyms=tables.synonyms, never_means=tables.never_means)


def _place(dataset: Dataset) -> Path:
    return (dataset.settings_file or dataset.annotations_file).resolve()


def _first_line(dataset: Dataset) -> str:
    return f"# What was learned about {ascii(str(_place(dataset)))[1:-1]}\n\n"


def _change(file: Path, change: Any) -> None:
    try:
        change_file(file, change)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not valid TOML: {error}", file) from error
    except InputError as error:
        raise error.at(Place(file)) from error.__cause__


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or "input error"
        raise InputError(f"the folder cannot be made ({reason})", folder) from error


def _read_tables(file: Path) -> PhraseTables:
    from engine.text.mapping.lexicon import check_phrases

    try:
        table = tomllib.loads(read_text(file))
        found = {n: check_phrases(table.get(n, {}), n) for n in (SYNONYMS, NEVER_MEANS)}
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not valid TOML: {error}", file) from error
    except InputError as error:
        raise error.at(Place(file)) from error
    return PhraseTables(found[SYNONYMS], found[NEVER_MEANS])


def _check_sense(dataset: Dataset, keyword: Keyword, phrase: str, never: bool) -> None:
    """Refuse what could not take effect, or would leave a keyword that cannot be named."""
    from engine.text.mapping.table import normalise_words, split_alternatives

    if never:
        names = map(normalise_words, split_alternatives(keyword.name))
        if normalise_words(phrase) in names:
            raise InputError(
                f'"{phrase}" is the name of the keyword itself',
                hint="name the words beside it as well, which give it another meaning",
            )
        return
    vetoes = _find_vetoes(dataset.never_means, keyword.name, phrase)
    if vetoes:
        raise InputError(
            f'[never_means] has "{vetoes[0]}" for "{keyword.name}", so "{phrase}" cannot mean it',
            hint="take that out first",
        )


def _find_vetoes(never: Mapping[str, Sequence[str]], keyword: str, phrase: str) -> list[str]:
    """The phrases within this one that never mean the keyword, but for the phrase itself."""
    from engine.text.mapping.phrases import find_phrase, parse_phrase
    from engine.text.mapping.query_words import split_words
    from engine.text.mapping.table import load_word_classes

    key = find_key(never, keyword)
    words = split_words(phrase, {})
    classes = load_word_classes()
    return [
        listed
        for listed in (never[key] if key else ())
        if normalise_phrase(listed) != normalise_phrase(phrase)
        and any(
            find_phrase(parse_phrase(listed, classes), words, start) is not None
            for start in range(len(words))
        )
    ]
