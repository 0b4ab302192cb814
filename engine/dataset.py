"""Dataset: annotations, named embedding sets ("models"), a query set, and how they belong together.

Opened from a folder with `dataset.toml`, or from single files. Opening reads the settings only;
each part is read when it is first asked for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.annotations import Annotations, Duplicates, read_annotations
from engine.annotations_layout import listed, suggestion
from engine.encoder import EMBEDDED, PrecomputedEncoder, SentenceEncoder, TextEncoder
from engine.errors import InputError, Place
from engine.groundtruth import GroundTruth
from engine.mapper import DEFAULT_THRESHOLD, Mapper
from engine.mapping.lexicon import check_extra
from engine.search.base import Metric, parse_metric
from engine.textfile import file_sha256, read_text, require_regular

if TYPE_CHECKING:
    from engine.collection import Collection

SETTINGS = "dataset.toml"
SCHEMA = "tui-eval/dataset@1"

_KEYS = frozenset(
    "schema name description annotations queries groups default_model models synonyms mapper "
    "group_columns duplicates".split()
)
_MODEL_KEYS = frozenset("embeddings ids metric encoder query_vectors description".split())


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One embedding set: its files, its similarity, and what encodes text into its space."""

    name: str
    embeddings: Path
    ids: Path | None = None
    metric: Metric = "cosine"
    encoder: str = EMBEDDED
    query_vectors: Path | None = None
    description: str = ""

    @property
    def files(self) -> dict[str, Path]:
        named = {
            "embeddings": self.embeddings,
            "ids": self.ids,
            "query_vectors": self.query_vectors,
        }
        return {role: path for role, path in named.items() if path is not None}


@dataclass(frozen=True)
class Dataset:
    """What a user evaluates. `source` is the folder or file it was opened from."""

    name: str
    source: Path
    annotations_file: Path
    models: Mapping[str, ModelSpec]
    description: str = ""
    queries_file: Path | None = None
    default_groups: tuple[str, ...] | None = None
    default_model: str | None = None
    group_columns: tuple[str, ...] | None = None
    duplicates: Duplicates = "error"
    synonyms: Mapping[str, list[str]] = field(default_factory=dict)
    threshold: float = DEFAULT_THRESHOLD

    @cached_property
    def annotations(self) -> Annotations:
        return read_annotations(self.annotations_file, self.group_columns, self.duplicates)

    @cached_property
    def truth(self) -> GroundTruth:
        """All annotated clips, also those that no model has embedded."""
        return GroundTruth.from_annotations(self.annotations)

    @property
    def files(self) -> list[Path]:
        """Every file that the dataset reads."""
        own = [self.annotations_file, *filter(None, [self.queries_file])]
        return own + [file for model in self.models.values() for file in model.files.values()]

    def model(self, name: str | None = None) -> ModelSpec:
        """The named model; the default, or the only one, if no name is given."""
        if not self.models:
            raise InputError(
                "the dataset has no embeddings",
                Place(self.source),
                hint="add [models.NAME] to dataset.toml, or give --embeddings FILE",
            )
        wanted = name or self.default_model or next(iter(self.models))
        if wanted not in self.models:
            near = suggestion(wanted, self.models)
            raise InputError(
                f"no model {wanted!r}",
                Place(self.source),
                hint=f"{near} models: {listed(self.models)}",
            )
        return self.models[wanted]

    def collection(self, model: str | None = None) -> Collection:
        """The clips that are both annotated and embedded by the model, ready to be searched."""
        from engine.collection import Collection

        return Collection.open(self.model(model), self.truth)

    def mapper(self, encoder: SentenceEncoder) -> Mapper:
        """Text → keywords of this dataset's vocabulary."""
        return Mapper(
            self.truth.vocabulary(),
            encoder,
            threshold=self.threshold,
            synonyms=dict(self.synonyms),
        )

    def input_hashes(self, model: ModelSpec, queries: Path | None) -> dict[str, str]:
        """sha256 of every file that a result depends on, by role."""
        files = {"annotations": self.annotations_file, **model.files}
        if queries is not None:
            files["queries"] = queries
        return {role: file_sha256(path) for role, path in files.items()}


@contextmanager
def text_encoder(model: ModelSpec, shared: SentenceEncoder) -> Iterator[TextEncoder]:
    """What turns query texts into vectors of this model's space, for as long as it is needed.

    `shared` is the encoder that the mapper uses; it serves the model too if it is the same one.
    """
    encoder = _text_encoder(model, shared)
    try:
        yield encoder
    finally:
        if encoder is not shared:
            encoder.close()


def _text_encoder(model: ModelSpec, shared: SentenceEncoder) -> TextEncoder:
    if model.query_vectors is not None:
        from engine.embeddings import read_query_vectors

        vectors = read_query_vectors(model.query_vectors)
        return PrecomputedEncoder(vectors.ids, vectors.vectors, model.query_vectors)
    if model.encoder == shared.name:
        return shared
    return SentenceEncoder(model.encoder)


def open_dataset(path: Path) -> Dataset:
    """Open a folder that has a `dataset.toml`, or that file itself."""
    settings = path / SETTINGS if path.is_dir() else path
    if path.is_dir() and not settings.exists():
        raise InputError(
            f"the folder has no {SETTINGS}",
            Place(path),
            hint="write one (see docs/datasets.md), or use --annotations and --embeddings",
        )
    if settings.suffix.lower() != ".toml" and settings.exists():
        raise InputError(
            f"is not a dataset folder or a {SETTINGS}",
            Place(path),
            hint=f"for single files use --annotations {path.name} --embeddings FILE",
        )
    return _parse(read_text(settings), settings)


def dataset_from_files(
    annotations: Path,
    embeddings: Path | None = None,
    *,
    ids: Path | None = None,
    metric: str = "cosine",
    encoder: str = EMBEDDED,
    query_vectors: Path | None = None,
) -> Dataset:
    """A dataset of one annotation file and at most one embedding file, without settings."""
    models = {}
    for path in filter(None, (annotations, embeddings, ids, query_vectors)):
        require_regular(path)
    if embeddings is not None:
        spec = ModelSpec(
            embeddings.stem, embeddings, ids, parse_metric(metric), encoder, query_vectors
        )
        models[spec.name] = spec
    return Dataset(annotations.stem, annotations, annotations, models)


def _parse(text: str, file: Path) -> Dataset:
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers of absurd length
        raise InputError(f"is not valid TOML: {error}", Place(file)) from error
    _check_keys(table, _KEYS, file, "")
    if (schema := table.get("schema", SCHEMA)) != SCHEMA:
        raise InputError(
            f"schema is {schema!r}, this version reads {SCHEMA!r}", Place(file, setting="schema")
        )
    folder = file.parent
    annotations = _path(table, "annotations", folder, file)
    if annotations is None:
        raise InputError(
            "names no annotation file",
            Place(file),
            hint='write annotations = "unified_annotation.csv"',
        )
    groups = _strings(table, "groups", file)
    columns = _strings(table, "group_columns", file)
    default_model = _text(table, "default_model", file)
    models = _models(table.get("models", {}), folder, file)
    if default_model is not None and default_model not in models:
        raise InputError(
            f"default_model is {default_model!r}, but there is no such model",
            Place(file, setting="default_model"),
            hint=f"models: {listed(models) or 'none'}",
        )
    return Dataset(
        name=_text(table, "name", file) or folder.name,
        source=folder,
        annotations_file=annotations,
        models=models,
        description=_text(table, "description", file) or "",
        queries_file=_path(table, "queries", folder, file),
        default_groups=groups,
        default_model=default_model,
        group_columns=columns,
        duplicates=_duplicates(table, file),
        synonyms=_synonyms(table, file),
        threshold=_threshold(table, file),
    )


def _models(table: object, folder: Path, file: Path) -> dict[str, ModelSpec]:
    if not isinstance(table, dict) or not all(isinstance(m, dict) for m in table.values()):
        raise InputError(
            "models must be tables",
            Place(file, setting="models"),
            hint='write [models."NAME"] and below it embeddings = "FILE"',
        )
    models = {}
    for name, entry in table.items():
        where = f"models.{name}"
        _check_keys(entry, _MODEL_KEYS, file, f"{where}.")
        embeddings = _path(entry, "embeddings", folder, file)
        if embeddings is None:
            raise InputError("names no embeddings file", Place(file, setting=where))
        encoder = _text(entry, "encoder", file) or EMBEDDED
        local = folder / encoder
        models[name] = ModelSpec(
            name=name,
            embeddings=embeddings,
            ids=_path(entry, "ids", folder, file),
            metric=_metric(entry, file, where),
            encoder=str(local) if encoder != EMBEDDED and local.is_dir() else encoder,
            query_vectors=_path(entry, "query_vectors", folder, file),
            description=_text(entry, "description", file) or "",
        )
    return models


def _metric(entry: Mapping[str, Any], file: Path, where: str) -> Metric:
    try:
        return parse_metric(_text(entry, "metric", file) or "cosine")
    except InputError as error:
        place = Place(file, setting=f"{where}.metric")
        raise InputError(error.message, place, hint=error.hint) from error


def _check_keys(table: Mapping[str, Any], known: frozenset[str], file: Path, prefix: str) -> None:
    for key in table:
        if key not in known:
            near = suggestion(key, known)
            raise InputError(
                f"unknown setting {key!r}",
                Place(file, setting=f"{prefix}{key}"),
                hint=f"{near} known: {listed(sorted(known))}",
            )


def _text(table: Mapping[str, Any], key: str, file: Path) -> str | None:
    value = table.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{key} must be a text in quotes", Place(file, setting=key))
    return value


def _path(table: Mapping[str, Any], key: str, folder: Path, file: Path) -> Path | None:
    value = _text(table, key, file)
    if value is None:
        return None
    if "\0" in value or not value.strip():
        raise InputError(f"{key} is no file name", Place(file, setting=key))
    return require_regular(folder / value)


def _strings(table: Mapping[str, Any], key: str, file: Path) -> tuple[str, ...] | None:
    value = table.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"{key} must be a list of texts", Place(file, setting=key))
    return tuple(value)


def _duplicates(table: Mapping[str, Any], file: Path) -> Duplicates:
    value = table.get("duplicates", "error")
    if value == "error":
        return "error"
    if value == "merge":
        return "merge"
    raise InputError(
        f"duplicates is {value!r}", Place(file, setting="duplicates"), hint="choose error or merge"
    )


def _synonyms(table: Mapping[str, Any], file: Path) -> dict[str, list[str]]:
    try:
        return check_extra(table.get("synonyms", {}))
    except InputError as error:
        raise InputError(error.message, Place(file, setting="synonyms"), hint=error.hint) from error


def _threshold(table: Mapping[str, Any], file: Path) -> float:
    mapper = table.get("mapper", {})
    if isinstance(mapper, dict):
        _check_keys(mapper, frozenset({"threshold"}), file, "mapper.")
    value = mapper.get("threshold", DEFAULT_THRESHOLD) if isinstance(mapper, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise InputError(
            "mapper.threshold must be a number above 0, at most 1",
            Place(file, setting="mapper"),
            hint=f"write [mapper] and below it threshold = {DEFAULT_THRESHOLD}",
        )
    return float(value)
