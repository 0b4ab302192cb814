"""What people teach the mapper: "lorry" means `large vehicle`, "bus stop" never means `bus`.

It is kept in the dataset's own settings. Where these cannot be written, or are not to be, it is
kept in a file of the same two tables beside the sessions, which is read with the dataset.
"""

from __future__ import annotations

import errno
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from pathlib import Path

from engine.base.errors import InputError, Place
from engine.base.keyword import Keyword
from engine.dataset.dataset import Dataset
from engine.dataset.learned_file import find_main_file
from engine.dataset.phrase_tables import (
    PhraseTables,
    add_phrase,
    list_phrases,
    normalise_phrase,
)
from engine.dataset.phrase_tables_file import parse_phrase_tables, read_phrase_tables
from engine.files.change import FileChange, change_file, may_be_written, take_back
from engine.files.private import make_private_folder, tighten_file

_NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS)


@dataclass(frozen=True, slots=True)
class RememberedPhrase:
    """In which file a phrase is kept, and all that was changed for it."""

    file: Path
    changes: tuple[FileChange, ...]

    @property
    def is_new(self) -> bool:
        """Whether anything was written: the file may have said so before."""
        return any(change.before != change.after for change in self.changes)

    def take_back(self) -> None:
        """Put back what the files said before; not where others have written since."""
        take_back(self.changes)


def remember_phrase(
    dataset: Dataset, keyword: Keyword, phrase: str, *, never: bool, beside: Path
) -> RememberedPhrase:
    """Write down that a phrase means a keyword, or never does, and return the file that says so.

    The phrase is taken word for word. It goes to the dataset's settings, or to the file `beside`
    (see `engine.dataset.learned_file`) if the dataset has none that may be written. What said the
    contrary is taken out. What counts is what the files say when they are changed, whatever they
    said when the dataset was opened.
    """
    from engine.text.learning.literal_phrases import write_literal

    written = write_literal(phrase)

    def change(file: Path, text: str) -> str:
        _check_sense(_read_files(dataset, beside, {file: text}), keyword, written, never)
        return add_phrase(text or _first_line(dataset), keyword.name, written, never=never)

    settings = dataset.settings_file
    if settings is not None and dataset.learns and may_be_written(settings):
        try:
            changes = [_change(settings, change)]
        except InputError as error:
            if getattr(error.__cause__, "errno", None) not in _NOT_ALLOWED:
                raise
        else:
            # What was once kept beside must not contradict it from there.
            if beside.exists():
                try:
                    changes.append(_change_learned(beside, change))
                except InputError:
                    take_back(changes)
                    raise
            return RememberedPhrase(settings, tuple(changes))
    make_private_folder(beside.parent, ["*.toml"])
    return RememberedPhrase(beside, (_change_learned(beside, change),))


def reread_phrases(dataset: Dataset, learned: Path) -> Dataset:
    """The dataset with the phrases that its settings and the file beside say now."""
    files = _read_files(dataset, learned)
    tables, kept = _overlay(files.values()), learned if learned in files else None
    return dataset.with_phrases(tables.synonyms, tables.never_means, kept)


def _first_line(dataset: Dataset) -> str:
    return f"# What was learned about {ascii(str(find_main_file(dataset)))[1:-1]}\n\n"


def _change_learned(file: Path, change: Callable[[Path, str], str]) -> FileChange:
    """What was learned is its owner's alone, from the first moment on."""
    tighten_file(file)
    return _change(file, change, private=True)


def _change(file: Path, change: Callable[[Path, str], str], *, private: bool = False) -> FileChange:
    try:
        return change_file(file, partial(change, file), private=private)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not valid TOML: {error}", file) from error
    except InputError as error:
        if str(error.place):
            raise
        raise error.at(Place(file)) from error.__cause__


def _read_files(
    dataset: Dataset, beside: Path, texts: Mapping[Path, str] | None = None
) -> dict[Path, PhraseTables]:
    """What the settings and then the file beside say; `texts` are known already."""
    texts = texts or {}
    files = [dataset.settings_file, beside if beside in texts or beside.exists() else None]
    return {
        file: parse_phrase_tables(texts[file], file) if file in texts else read_phrase_tables(file)
        for file in files
        if file is not None
    }


def _overlay(tables: Iterable[PhraseTables]) -> PhraseTables:
    return reduce(PhraseTables.overlaid, tables, PhraseTables())


def _check_sense(
    files: Mapping[Path, PhraseTables], keyword: Keyword, phrase: str, never: bool
) -> None:
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
    for veto in _find_vetoes(_overlay(files.values()).never_means, keyword.name, phrase):
        raise InputError(
            f'[never_means] has "{veto}" for "{keyword.name}", so "{phrase}" cannot mean it',
            next(f for f in files if veto in list_phrases(files[f].never_means, keyword.name)),
            hint="take that out first",
        )


def _find_vetoes(never: Mapping[str, Sequence[str]], keyword: str, phrase: str) -> list[str]:
    """The phrases because of which this one would not mean the keyword, but for itself."""
    from engine.text.mapping.evidence import is_vetoed

    return [
        listed
        for listed in list_phrases(never, keyword)
        if normalise_phrase(listed) != normalise_phrase(phrase) and is_vetoed(phrase, listed)
    ]
