"""Dataset: annotations, named embedding sets ("models"), a query set, and how they belong together.

`engine.dataset.settings_file` opens one. That reads the settings only; each part is read, and what
reads it is imported, when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError
from engine.base.messages import list_names, suggest
from engine.dataset.annotations.source_rule import BY_VIDEO, SourceRule
from engine.dataset.model_spec import ModelSpec, collect_model_files
from engine.files.protection import OverwritingError, protect_input, protect_listed
from engine.files.reading import is_folder
from engine.text import MAPPER_THRESHOLD

if TYPE_CHECKING:
    from engine.base.arrays import Ints
    from engine.base.choices import Mode
    from engine.dataset.annotations.read import Annotations, DuplicateClipPolicy
    from engine.dataset.collection import Collection
    from engine.dataset.ground_truth import GroundTruth
    from engine.dataset.query_files import TextQuery
    from engine.metrics.policies import Policies
    from engine.text.encoder import LoadingHook, SentenceEncoder, TextEncoder
    from engine.text.mapping.mapper import Mapper

SETTINGS = "dataset.toml"


@dataclass(frozen=True)
class Dataset:
    """What a user evaluates. `source` is the folder or file it was opened from.

    settings_file  its `dataset.toml`; None: it was opened from single files
    learned_file   what its users have taught the mapper elsewhere; its phrases are among the others
    learns         whether what people teach the mapper may be written into the settings
    source_rule    where the recording is known from that each clip is cut from
    profile, ks    the profile in which its numbers are shown at first, and their cut-offs
    own_settings   which of profile and ks dataset.toml sets; config.toml does not override them
    """

    name: str
    source: Path
    annotations_file: Path
    models: Mapping[str, ModelSpec]
    description: str = ""
    queries_file: Path | None = None
    default_groups: tuple[str, ...] | None = None
    default_model: str | None = None
    group_columns: tuple[str, ...] | None = None
    duplicates: DuplicateClipPolicy = "error"
    synonyms: Mapping[str, list[str]] = field(default_factory=dict)
    never_means: Mapping[str, list[str]] = field(default_factory=dict)
    threshold: float = MAPPER_THRESHOLD
    settings_file: Path | None = None
    learned_file: Path | None = None
    learns: bool = True
    profile: str = "alfa"
    ks: tuple[int, ...] = (1, 3, 5)
    source_rule: SourceRule = BY_VIDEO
    own_settings: frozenset[str] = frozenset()

    @property
    def policies(self) -> Policies:
        """What is done at first where definitions differ."""
        from engine.metrics.policies import KEYWORD_POLICIES

        return KEYWORD_POLICIES

    @property
    def file_rows(self) -> Ints | None:
        """Where its clips stand in its files; None: in the order in which they are."""
        return None

    @property
    def has_labels(self) -> bool:
        """Whether every clip has exactly one keyword of each group: its label."""
        return False

    @property
    def first_mode(self) -> Mode:
        """Which queries are evaluated unless others are asked for."""
        return "text"

    @property
    def texts_file(self) -> Path | None:
        """What `texts` reads."""
        return self.queries_file

    def texts(self) -> tuple[TextQuery, ...] | None:
        """The text queries that belong to the dataset; None: it has none of its own."""
        from engine.dataset.query_files import read_queries

        return None if self.queries_file is None else tuple(read_queries(self.queries_file))

    @cached_property
    def annotations(self) -> Annotations:
        from engine.dataset.annotations.read import read_annotations

        return read_annotations(
            self.annotations_file, self.group_columns, self.duplicates, self.source_rule
        )

    @cached_property
    def truth(self) -> GroundTruth:
        """All annotated clips, also those that no model has embedded."""
        from engine.dataset.ground_truth import GroundTruth

        return GroundTruth.from_annotations(self.annotations)

    @property
    def files(self) -> list[Path]:
        """Every file that the dataset reads, its settings among them."""
        own = [self.source, self.source / SETTINGS, self.annotations_file]
        own += filter(None, [self.queries_file, self.settings_file, self.learned_file])
        return own + [file for model in self.models.values() for file in model.files.values()]

    def protect_files(self) -> None:
        """Keep everything that belongs to it from being written over: also media, and the files of
        text encoders."""
        for file in self.files:
            protect_input(file)
        protect_listed(self._list_media)
        for encoder in {model.encoder for model in self.models.values()}:
            protect_listed(partial(_list_folder, encoder))

    def _list_media(self) -> Iterator[str]:
        from engine.dataset.annotations.media_paths import list_media

        try:
            yield from list_media(self.annotations)
        except OverwritingError:
            raise
        except InputError:
            return  # of annotations that cannot be read, no clip is known

    def model(self, name: str | None = None) -> ModelSpec:
        """The named model; the default, or the only one, if no name is given."""
        if not self.models:
            raise InputError(
                "the dataset has no embeddings",
                self.source,
                hint="add [models.NAME] to dataset.toml, or give --embeddings FILE",
            )
        wanted = name or self.default_model or next(iter(self.models))
        if wanted not in self.models:
            near = suggest(wanted, self.models)
            raise InputError(
                f"no model {wanted!r}",
                self.source,
                hint=f"{near} models: {list_names(self.models)}",
            )
        return self.models[wanted]

    def collection(self, model: str | None = None, opened: Iterable[Collection] = ()) -> Collection:
        """The clips that are both annotated and embedded by the model, ready to be searched.

        What one of those `opened` before searches is not read again.
        """
        from engine.dataset.collection import Collection

        spec = self.model(model)
        for other in opened:
            if other.model.searched == spec.searched:
                return other.for_model(spec)
        return Collection.open(spec, self.truth)

    def with_phrases(
        self,
        synonyms: Mapping[str, list[str]],
        never_means: Mapping[str, list[str]],
        learned_file: Path | None,
    ) -> Dataset:
        """The same with other phrases; what was read of it already is not read again."""
        other = replace(self, synonyms=synonyms, never_means=never_means, learned_file=learned_file)
        for name, value in vars(self).items():  # also what was read
            vars(other).setdefault(name, value)
        return other

    def mapper(self, encoder: SentenceEncoder) -> Mapper:
        """Text → keywords of this dataset's vocabulary."""
        from engine.text.mapping.mapper import Mapper

        return Mapper(
            self.truth.words.keywords,
            encoder,
            threshold=self.threshold,
            synonyms=dict(self.synonyms),
            never_means=dict(self.never_means),
        )

    def inputs(self, *models: ModelSpec) -> dict[str, Path]:
        """Every file that a result of the models depends on, by role; but for its queries."""
        return {"annotations": self.annotations_file, **collect_model_files(models)}


def open_text_encoder(
    model: ModelSpec, shared: SentenceEncoder, while_loading: LoadingHook | None = None
) -> TextEncoder:
    """What turns query texts into vectors of this model's space; the caller closes it.

    `shared` is the encoder that the mapper uses; it serves the model too if it is the same one.
    `while_loading` surrounds the loading of another one, which takes seconds.
    """
    from engine.text.encoder import PrecomputedEncoder
    from engine.text.opening import open_encoder

    if model.query_vectors is not None:
        from engine.dataset.embeddings.read import read_query_vectors

        vectors = read_query_vectors(model.query_vectors)
        return PrecomputedEncoder(vectors.ids, vectors.vectors, model.query_vectors, vectors.files)
    if model.encoder == shared.name:
        return shared
    return open_encoder(model.encoder, while_loading=while_loading)


def _list_folder(folder: str) -> Iterator[Path]:
    """The files in the folder of a text encoder; the embedded one has none of the user's."""
    path = Path(folder)
    if is_folder(path):
        with suppress(OSError):
            yield from path.rglob("*")
