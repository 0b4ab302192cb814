"""A file with `[synonyms]` and `[never_means]`, read and checked."""

from __future__ import annotations

from pathlib import Path

from engine.base.errors import InputError, Place
from engine.dataset.phrase_tables import NEVER_MEANS, SYNONYMS, PhraseTables
from engine.files.reader import reads
from engine.files.text import read_text
from engine.files.toml import parse_toml


@reads("what the mapper learned")
def read_phrase_tables(file: Path) -> PhraseTables:
    return parse_phrase_tables(read_text(file), file)


def parse_phrase_tables(text: str, file: Path) -> PhraseTables:
    from engine.text.mapping.lexicon import check_phrases

    table = parse_toml(text, file)
    try:
        found = {n: check_phrases(table.get(n, {}), n) for n in (SYNONYMS, NEVER_MEANS)}
    except InputError as error:
        raise error.at(Place(file)) from error
    return PhraseTables(found[SYNONYMS], found[NEVER_MEANS])
