"""Opening the dataset that a command line means: a folder, single files, or the sample."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine.base.errors import InputError, Place
from tui.opening.config import Config, load_config
from tui.opening.label_source import (
    dump_label_source,
    is_label_source,
    name_label_place,
    open_label_source,
)
from tui.opening.option_text import dump_options, parse_options

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset

SAMPLE = "sample"
_PATHS = ("annotations", "embeddings", "ids", "query_vectors")


def open_from_options(
    dataset: str | None,
    annotations: Path | None = None,
    duplicates: Literal["error", "merge"] | None = None,
    source: str | None = None,
    **of_model: Any,
) -> Dataset:
    """The dataset that the options mean: a folder, single files, or the sample.

    source    the column or the pattern that names the recording of each clip
    of_model  what `open_dataset_files` takes beside the annotations; None: as without the option
    """
    from engine.dataset.settings_file import open_dataset, open_dataset_files

    given = {name: value for name, value in of_model.items() if value is not None}
    if annotations is not None and dataset is not None:
        raise InputError("a dataset and --annotations were given", hint="choose one of the two")
    if annotations is not None:
        opened = open_dataset_files(annotations, **given)
    else:
        for name in given:
            raise InputError(
                f"--{name.replace('_', '-')} needs --annotations",
                hint="for a dataset folder, set it in dataset.toml under [models.NAME]",
            )
        opened = open_dataset(_folder(dataset))
    return _prepare(opened, duplicates, source)


def _prepare(
    opened: Dataset,
    duplicates: Literal["error", "merge"] | None = None,
    source: str | None = None,
) -> Dataset:
    """The dataset with what was learned of it and what its user has set; nothing of it is written
    over."""
    from dataclasses import replace

    from engine.dataset.annotations.source_rule import SourceRule
    from engine.dataset.learned_file import add_learned, find_learned_file

    opened = apply_config(opened, load_config())
    opened = add_learned(opened, find_learned_file(opened))
    opened = replace(opened, duplicates=duplicates) if duplicates else opened
    if source is not None:
        opened = replace(opened, source_rule=SourceRule("column or pattern", source))
    opened.protect_files()
    return opened


def _folder(dataset: str | None) -> Path:
    if dataset is None:
        return find_default_dataset(load_config())
    if dataset == SAMPLE and not Path(SAMPLE).exists():
        return _find_sample()
    return Path(dataset)


def _find_sample() -> Path:
    from sample_data import folder

    return folder()


def find_default_dataset(config: Config) -> Path:
    """The dataset where none is named: that of the environment or of the user's settings, else the
    sample. A path of the settings starts in their folder."""
    chosen = config.find("dataset")
    if chosen.value == SAMPLE:
        return _find_sample()
    is_of_file = chosen.origin == str(config.file)
    path = Path(os.path.expanduser(str(chosen.value)))  # noqa: PTH111 (never raises)
    path = config.file.parent / path if is_of_file else path
    if not os.path.exists(path):  # noqa: PTH110 (never raises)
        place = Place(config.file, setting="dataset") if is_of_file else chosen.origin
        hint = "write tui-eval config set dataset FOLDER, or sample" if is_of_file else ""
        raise InputError(
            f"there is no {path}", place, hint=hint or "name another folder, or leave it out"
        )
    return path


def apply_config(opened: Dataset, config: Config) -> Dataset:
    """The dataset with the cut-offs and the profile that the environment says; then that its own
    settings say; then the user's."""
    from dataclasses import replace

    said: dict[str, Any] = {}
    for name, own in (("k", "ks"), ("profile", "profile")):
        chosen = config.find(name)
        is_of_environment = chosen.origin.startswith("$")
        if is_of_environment or not (chosen.is_usual or own in opened.own_settings):
            said[own] = chosen.value
    return replace(opened, **said) if said else opened


def dump_source(dataset: Dataset) -> str:
    """The dataset as sessions name it: the sample by its name, a folder by its absolute path,
    single files by the options that open them."""
    from sample_data import folder

    if dataset.has_labels:
        from engine.labels.dataset import LabelDataset

        assert isinstance(dataset, LabelDataset)
        return dump_label_source(dataset)
    place = dataset.source.resolve()
    if place == folder().resolve():
        return SAMPLE
    if place.suffix.lower() == ".toml" or place.is_dir():
        return str(place)
    return shlex.join(dump_options(_options_of(dataset)))


def _options_of(dataset: Dataset) -> dict[str, Any]:
    from engine.text import EMBEDDED

    options: dict[str, Any] = {"annotations": dataset.annotations_file}
    for model in dataset.models.values():
        options["embeddings"], options["ids"] = model.embeddings, model.ids
        options["metric"] = None if model.metric == "cosine" else model.metric
        options["encoder"] = None if model.encoder == EMBEDDED else model.encoder
        options["query_vectors"] = model.query_vectors
    merged = None if dataset.duplicates == "error" else dataset.duplicates
    return {**options, "duplicates": merged, "source": dataset.source_rule.text or None}


def collect_files(source: str) -> dict[str, str]:
    """The options of a source that names single files; none for any other.

    >>> collect_files("--annotations '/a b.csv' --metric l2"), collect_files("/data")
    ({'annotations': '/a b.csv', 'metric': 'l2'}, {})
    """
    options = parse_options(source) if source.startswith("--annotations ") else None
    return {name: values[-1] for name, values in (options or {}).items() if values}


def name_place(source: str) -> str:
    """Where the annotations of a source lie: sessions about one place are about one dataset,
    whatever embeddings were looked at.

    >>> name_place("--annotations /a.csv --embeddings /b.npz"), name_place("/data")
    ('/a.csv', '/data')
    """
    if is_label_source(source):
        return name_label_place(source)
    return collect_files(source).get("annotations", source)


def open_source(source: str) -> Dataset:
    """The dataset that a session names."""
    if is_label_source(source):
        labels = open_label_source(source)
        labels.protect_files()
        return labels
    files = collect_files(source)
    if source == SAMPLE:
        from engine.dataset.settings_file import open_dataset

        return _prepare(open_dataset(_find_sample()))
    if not files:
        return open_from_options(source)
    paths = {name: Path(files[name]) for name in _PATHS if name in files}
    return open_from_options(
        None,
        **paths,
        metric=files.get("metric"),
        encoder=files.get("encoder"),
        duplicates="merge" if files.get("duplicates") == "merge" else None,
        source=files.get("source"),
    )
