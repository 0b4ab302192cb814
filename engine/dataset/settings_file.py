"""Opening a dataset: a folder with a `dataset.toml`, or single files without settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from engine.base.choices import CUTOFFS_ALLOWED, ProfileName, sort_cutoffs
from engine.base.errors import InputError, Place
from engine.base.messages import fit_on_line, list_names, suggest
from engine.base.similarity import Similarity, parse_similarity
from engine.dataset.annotations.source_rule import BY_VIDEO, SourceRule
from engine.dataset.dataset import SETTINGS, Dataset
from engine.dataset.model_spec import ModelSpec
from engine.files.envelope import name_schema
from engine.files.reader import reads
from engine.files.reading import require_regular
from engine.files.text import read_text
from engine.files.toml import parse_toml
from engine.text import EMBEDDED, MAPPER_THRESHOLD

if TYPE_CHECKING:
    from engine.dataset.annotations.read import DuplicateClipPolicy

_KEYS = frozenset(
    "schema name description annotations queries groups default_model models synonyms "
    "never_means mapper group_columns duplicates profile k source".split()
)
_MODEL_KEYS = frozenset("embeddings ids metric encoder query_vectors description".split())


@reads("dataset settings")
def open_dataset(path: Path) -> Dataset:
    """Open a folder that has a `dataset.toml`, or that file itself."""
    settings = path / SETTINGS if path.is_dir() else path
    if path.is_dir() and not settings.exists():
        raise InputError(
            f"the folder has no {SETTINGS}",
            path,
            hint="write one (see docs/datasets.md), or name single files: tui-eval inspect "
            "--annotations FILE --embeddings FILE",
        )
    if settings.suffix.lower() != ".toml" and settings.exists():
        raise InputError(
            f"is not a dataset folder or a {SETTINGS}",
            path,
            hint=f"name single files: tui-eval inspect --annotations {path.name} --embeddings FILE",
        )
    return _parse(read_text(settings), settings)


def open_dataset_files(
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
            embeddings.stem, embeddings, ids, parse_similarity(metric), encoder, query_vectors
        )
        models[spec.name] = spec
    return Dataset(annotations.stem, annotations, annotations, models)


def _parse(text: str, file: Path) -> Dataset:
    table = parse_toml(text, file)
    _check_keys(table, _KEYS, file, "")
    known = name_schema("dataset")
    if (named := table.get("schema", known)) != known:
        raise InputError(
            f"schema is {named!r}, this version reads {known!r}", Place(file, setting="schema")
        )
    folder = file.parent
    annotations = _path(table, "annotations", folder, file)
    if annotations is None:
        raise InputError(
            "names no annotation file", file, hint='write annotations = "unified_annotation.csv"'
        )
    groups = _strings(table, "groups", file)
    columns = _strings(table, "group_columns", file)
    default_model = _text(table, "default_model", file)
    models = _models(table.get("models", {}), folder, file)
    if default_model is not None and default_model not in models:
        raise InputError(
            f"default_model is {default_model!r}, but there is no such model",
            Place(file, setting="default_model"),
            hint=f"models: {list_names(models) or 'none'}",
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
        synonyms=_phrases(table, "synonyms", file),
        never_means=_phrases(table, "never_means", file),
        threshold=_threshold(_mapper(table, file), file),
        settings_file=file,
        learns=_learns(_mapper(table, file), file),
        source_rule=_source(table, file),
        **_numbers(table, file),
    )


def _numbers(table: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """The profile and the cut-offs, where the settings say them."""
    said: dict[str, Any] = {}
    if "profile" in table:
        said["profile"] = _profile(table["profile"], file)
    if "k" in table:
        said["ks"] = _cutoffs(table["k"], file)
    return {**said, "own_settings": frozenset(said)}


def _profile(value: object, file: Path) -> str:
    names = get_args(ProfileName)
    if value not in names:
        near = suggest(value, names) if isinstance(value, str) else ""
        hint = f"{near} choose one of {list_names(names)}".strip()
        raise InputError(f"profile is {value!r}", Place(file, setting="profile"), hint=hint)
    return str(value)


def _cutoffs(value: object, file: Path) -> tuple[int, ...]:
    ks = sort_cutoffs(value)
    if ks is None:
        said, hint = fit_on_line(repr(value)), f"list {CUTOFFS_ALLOWED}: k = [1, 3, 5]"
        raise InputError(f"k is {said}", Place(file, setting="k"), hint=hint)
    return ks


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


def _metric(entry: Mapping[str, Any], file: Path, where: str) -> Similarity:
    try:
        return parse_similarity(_text(entry, "metric", file) or "cosine")
    except InputError as error:
        raise error.at(Place(file, setting=f"{where}.metric")) from error


def _check_keys(table: Mapping[str, Any], known: frozenset[str], file: Path, prefix: str) -> None:
    for key in table:
        if key not in known:
            near = suggest(key, known)
            raise InputError(
                f"unknown setting {key!r}",
                Place(file, setting=f"{prefix}{key}"),
                hint=f"{near} known: {list_names(sorted(known))}",
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
        hint = "name a file, or leave the setting out"
        raise InputError(f"{key} is no file name", Place(file, setting=key), hint=hint)
    return require_regular(folder / value)


def _strings(table: Mapping[str, Any], key: str, file: Path) -> tuple[str, ...] | None:
    value = table.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"{key} must be a list of texts", Place(file, setting=key))
    return tuple(value)


def _duplicates(table: Mapping[str, Any], file: Path) -> DuplicateClipPolicy:
    value = table.get("duplicates", "error")
    if value == "error":
        return "error"
    if value == "merge":
        return "merge"
    raise InputError(
        f"duplicates is {value!r}", Place(file, setting="duplicates"), hint="choose error or merge"
    )


def _source(table: Mapping[str, Any], file: Path) -> SourceRule:
    """`[source]`: a column or a pattern that names the recording of each clip."""
    source = table.get("source", {})
    hint = 'write [source] and below it column = "NAME" or pattern = "REGULAR EXPRESSION"'
    if not isinstance(source, dict):
        raise InputError("source must be a table", Place(file, setting="source"), hint=hint)
    _check_keys(source, frozenset({"column", "pattern"}), file, "source.")
    if len(source) > 1:
        both = "source names a column and a pattern"
        raise InputError(both, Place(file, setting="source"), hint="keep one of them")
    column, pattern = _text(source, "column", file), _text(source, "pattern", file)
    if column is not None:
        return SourceRule("column", column, file)
    return BY_VIDEO if pattern is None else SourceRule("pattern", pattern, file)


def _phrases(table: Mapping[str, Any], name: str, file: Path) -> dict[str, list[str]]:
    """`[synonyms]` or `[never_means]`: what the dataset itself says of its keywords' phrases."""
    if name not in table:
        return {}
    from engine.text.mapping.lexicon import check_phrases

    try:
        return check_phrases(table[name], name)
    except InputError as error:
        raise error.at(Place(file, setting=name)) from error


def _mapper(table: Mapping[str, Any], file: Path) -> Mapping[str, Any]:
    mapper = table.get("mapper", {})
    if not isinstance(mapper, dict):
        raise InputError(
            "mapper must be a table",
            Place(file, setting="mapper"),
            hint=f"write [mapper] and below it threshold = {MAPPER_THRESHOLD}",
        )
    _check_keys(mapper, frozenset({"threshold", "learns"}), file, "mapper.")
    return mapper


def _learns(mapper: Mapping[str, Any], file: Path) -> bool:
    value = mapper.get("learns", True)
    if not isinstance(value, bool):
        raise InputError(
            "mapper.learns must be true or false",
            Place(file, setting="mapper"),
            hint="false keeps what is learned with the sessions, not in this file",
        )
    return value


def _threshold(mapper: Mapping[str, Any], file: Path) -> float:
    value = mapper.get("threshold", MAPPER_THRESHOLD)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise InputError(
            "mapper.threshold must be a number above 0, at most 1",
            Place(file, setting="mapper"),
            hint=f"write [mapper] and below it threshold = {MAPPER_THRESHOLD}",
        )
    return float(value)
