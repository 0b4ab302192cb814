"""The file of phrases that is kept beside the sessions, for a dataset whose own settings have none.

`engine.dataset.remember` writes it; here it is found and read. Most starts find none.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from engine.files.data_folder import find_data_folder

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset


def find_learned_file(dataset: Dataset, folder: Path | None = None) -> Path:
    """Where phrases are kept that cannot go into the dataset: one file for each place of a dataset.

    It need not be there. `folder`: another one than that beside the sessions.
    """
    folder = find_data_folder() / "learned" if folder is None else folder
    place = str(find_main_file(dataset)).encode(errors="surrogateescape")
    return folder / f"{hashlib.sha256(place).hexdigest()[:16]}.toml"


def add_learned(dataset: Dataset, learned: Path) -> Dataset:
    """The dataset with what is kept beside it; what was learned counts for more."""
    if not learned.exists():
        return dataset
    from engine.dataset.phrase_tables import PhraseTables
    from engine.dataset.phrase_tables_file import read_phrase_tables

    own = PhraseTables(dataset.synonyms, dataset.never_means)
    tables = own.overlaid(read_phrase_tables(learned))
    return dataset.with_phrases(tables.synonyms, tables.never_means, learned)


def find_main_file(dataset: Dataset) -> Path:
    """The file by which a dataset is known: its settings, or else its annotations."""
    return (dataset.settings_file or dataset.annotations_file).resolve()
