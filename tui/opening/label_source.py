"""Label files as sessions remember them: the options that open them again."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.base.errors import InputError
from tui.opening.label_files import (
    SAMPLE_LABELS,
    SENSOR,
    collect_label_files,
    is_sample,
    open_labels,
)
from tui.opening.option_text import dump_options, parse_ks, parse_options

if TYPE_CHECKING:
    from engine.labels.data.label_files import LabelFiles
    from engine.labels.dataset import LabelDataset

_PATHS = ("sensor_embeddings", "text_embeddings", "query_vectors", "metadata")
_LISTS = ("labels", "labels_key", "exclude")
_TEXTS = ("sensor_key", "text_key", "name_a", "name_b", "encoder", "dataset_name", "caption_style")
_OF_DATASET = ("ks", "encoder", "query_vectors", "metadata", "dataset_name", "caption_style")


def dump_label_source(dataset: LabelDataset) -> str:
    """The dataset as sessions name it: the options that open it again."""
    from engine.labels.dataset import LABEL_KS
    from engine.text import EMBEDDED

    model, texts = dataset.model(), dataset.prototypes
    options = dump_options(
        {
            "k": None if dataset.ks == LABEL_KS else ",".join(map(str, dataset.ks)),
            "encoder": None if model.encoder == EMBEDDED else _in_full(model.encoder),
            "query_vectors": model.query_vectors,
            "exclude": [*dataset.read_from.exclude],
            **({} if texts is None else asdict(texts)),
        }
    )
    if is_sample(dataset.read_from):
        words = [SAMPLE_LABELS, *options]
        return shlex.join(words) if len(words) > 1 else SAMPLE_LABELS
    return shlex.join([*dump_options(_file_options_of(dataset.read_from)), *options])


def _file_options_of(files: LabelFiles) -> dict[str, Any]:
    keys = [f"{level.name}={level.key}" for level in files.levels if level.key is not None]
    return {
        "sensor_embeddings": files.a,
        "text_embeddings": files.b,
        # With its name in any case: a path may have a = of its own.
        "labels": [f"{level.name}={level.path.resolve()}" for level in files.levels],
        "labels_key": keys,
        "sensor_key": files.a_key,
        "text_key": files.b_key,
        "name_a": None if files.name_a == "sensor" else files.name_a,
        "name_b": None if files.name_b == "text" else files.name_b,
        "normalize": files.normalize,
    }


def _in_full(encoder: str) -> str:
    """A folder that is named from here is found from everywhere; a local name stays one."""
    folder = Path(encoder).expanduser()
    return str(folder.resolve()) if folder.is_dir() else encoder


def is_label_source(source: str) -> bool:
    """Whether a session is about label files.

    >>> is_label_source("--sensor-embeddings /a.npy --labels /l.npy"), is_label_source("/data")
    (True, False)
    """
    return source.startswith((f"{SENSOR} ", SAMPLE_LABELS, shlex.quote(SAMPLE_LABELS)))


def name_label_place(source: str) -> str:
    """Where the labels of a source lie; sessions about one place are about the same items.

    >>> name_label_place("--sensor-embeddings /a.npy --labels scene=/l.csv"), name_label_place("'x")
    ('/l.csv', "'x")
    """
    options = _parsed(source)
    if options is None or not options.get("labels"):
        return SAMPLE_LABELS if options is not None and is_label_source(source) else source
    from engine.labels.data.label_files import LevelFile

    try:
        return str(LevelFile.parse(options["labels"][0]).path)
    except InputError:  # an imported session may hold anything
        return source


def open_label_source(source: str) -> LabelDataset:
    """The dataset of label files that a session names."""
    given = _parsed(source)
    if given is None:
        raise InputError(f"the session names its label files in no way that is known: {source}")
    options: dict[str, Any] = {name: given[name] for name in _LISTS if name in given}
    options |= {name: given[name][0] for name in _TEXTS if name in given}
    options |= {name: Path(given[name][0]) for name in _PATHS if name in given}
    options["normalize"] = "no_normalize" not in given
    options["ks"] = parse_ks(given["k"][0]) if "k" in given else None
    of_dataset = {name: options.pop(name) for name in _OF_DATASET if name in options}
    return open_labels(collect_label_files(**options), **of_dataset)


def _parsed(source: str) -> dict[str, list[str]] | None:
    """Options with their values; None: these are none."""
    if source == SAMPLE_LABELS:
        return {}
    return parse_options(source.removeprefix(shlex.quote(SAMPLE_LABELS)))
