"""Where the keywords of `tui-eval map` come from, and what finds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engine.base.errors import InputError
from engine.text import MAPPER_THRESHOLD
from tui.cli.shared import dataset_options as d
from tui.cli.shared import options as o
from tui.cli.shared.groups import argument, option
from tui.opening.source import open_from_options

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset
    from engine.dataset.vocabulary import Vocabulary
    from engine.files.input_file import InputFile
    from engine.text.encoder import SentenceEncoder
    from engine.text.mapping.mapper import Mapper


@dataclass(frozen=True)
class KeywordOptions:
    """Where the keywords come from, and how likely one must be to count."""

    vocabulary: Path | None = option(
        "JSON file {group: \\[keyword, …]}, used instead of a dataset's keywords."
    )
    dataset: str | None = d.DATASET()
    annotations: Path | None = d.ANNOTATIONS()
    duplicates: Literal["error", "merge"] | None = d.DUPLICATES()
    threshold: float | None = option(
        "How likely a keyword must be to count, from 0 to 1. "
        f"Default: the dataset's threshold, or {MAPPER_THRESHOLD}."
    )

    def __post_init__(self) -> None:
        if self.vocabulary is None:
            _ = self.opened  # from now on nothing of it is written over
            return
        given = {**vars(self), "dataset": self.named}
        for name in ("dataset", "annotations", "duplicates"):
            if given[name] is not None:
                raise InputError(
                    f"--vocabulary and --{name} were given",
                    hint="leave out one of the two: a vocabulary takes the place of a dataset",
                )

    @cached_property
    def opened(self) -> Dataset:
        """The dataset; only where no vocabulary stands in its place."""
        return open_from_options(self.named, self.annotations, self.duplicates)

    @property
    def named(self) -> str | None:
        """The dataset that is meant; None: the usual one."""
        return self.dataset

    def choose_groups(self, groups: str | None, words: Vocabulary) -> tuple[str, ...]:
        """The groups that `--groups` names; without it those that count in the dataset."""
        chosen = o.split_list(groups)
        if chosen == (o.EVERY_GROUP,):
            return words.groups
        if chosen is None and self.vocabulary is None:
            chosen = self.opened.default_groups
        return words.select(chosen).groups

    def mapper(
        self, encoder: SentenceEncoder
    ) -> tuple[Vocabulary, Mapper, Mapping[str, InputFile]]:
        """The keywords, what finds them, and the file that they come from."""
        from engine.dataset.vocabulary import read_vocabulary
        from engine.files.input_file import reading_inputs
        from engine.text.mapping.mapper import Mapper

        if self.threshold is not None and not 0 < self.threshold <= 1:
            raise InputError(
                f"--threshold is {self.threshold:g}", hint="it is above 0 and at most 1"
            )
        if self.vocabulary is not None:
            with reading_inputs(self.vocabulary) as read:
                words = read_vocabulary(self.vocabulary)
            mapper = Mapper(words.keywords, encoder)
            files = read.named({"vocabulary": self.vocabulary})
        else:
            opened = self.opened
            words, mapper = opened.truth.words, opened.mapper(encoder)
            files = opened.annotations.files.named({"annotations": opened.annotations_file})
        mapper.threshold = self.threshold or mapper.threshold
        return words, mapper, files


@dataclass(frozen=True)
class LearningOptions(KeywordOptions):
    """Where no text or file is an argument, the dataset may be."""

    as_argument: str | None = argument("DATASET", d.FOLDER, None)

    @property
    def named(self) -> str | None:
        return d.choose_dataset(self.as_argument, self.dataset)
