"""Labelled queries for `map test` and `map learn`, and what makes keywords of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.messages import pluralise
from tui.cli.map.options import KeywordOptions
from tui.cli.shared.console import show_loading
from tui.cli.shared.dataset_options import check_encoder_option

if TYPE_CHECKING:
    from engine.dataset.labelled_queries import LabelledQueries
    from engine.files.input_file import InputFile
    from engine.text.mapping.mapper import Mapper


@dataclass(frozen=True)
class LabelledInput:
    """Queries with their keywords, the mapper, and the files behind both."""

    labelled: LabelledQueries
    mapper: Mapper
    files: Mapping[str, InputFile]

    @property
    def notes(self) -> list[str]:
        """What a reader must know of the queries."""
        count = self.labelled.unlabelled
        if not count:
            return []
        left = f"{pluralise(count, 'query')} without keywords left out"
        return [f'{left}; {{"q": "…", "kw": []}} says that a query means none']


@contextmanager
def open_labelled(
    queries: Path, known: KeywordOptions, groups: str | None, encoder: str | None
) -> Iterator[LabelledInput]:
    """Read the queries, and keep the encoder open as long as they are mapped."""
    from engine.dataset.labelled_queries import read_labelled_queries
    from engine.files.input_file import InputFile, reading_inputs
    from engine.text import EMBEDDED
    from engine.text.model_files import hash_model
    from engine.text.opening import open_encoder

    check_encoder_option(encoder)
    with open_encoder(encoder or EMBEDDED, while_loading=show_loading) as text_encoder:
        words, mapper, files = known.mapper(text_encoder)
        with reading_inputs(queries) as read:
            # Labels of groups that nobody looks at are mostly missing: without --groups they must
            # not count here either.
            default = known.choose_groups(groups, words)
            labelled = read_labelled_queries(queries, words, default)
        name = text_encoder.name
        inputs = {**files, **read.named({"queries": queries})}
        inputs["encoder"] = InputFile(name, hash_model(name))
        yield LabelledInput(labelled, mapper, inputs)
