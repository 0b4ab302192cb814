"""Label files as sessions remember them: the options that open them again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError
from tui.opening.label_files import (
    SAMPLE_LABELS,
    SENSOR,
    collect_label_files,
    is_sample,
    open_labels,
)

if TYPE_CHECKING:
    from engine.labels.data.label_files import LabelFiles
    from engine.labels.dataset import LabelDataset


def dump_label_source(dataset: LabelDataset) -> str:
    """The dataset as sessions name it: the options that open it again."""
    options = list(_options_of(dataset))
    if is_sample(dataset.read_from):
        return shlex.join([SAMPLE_LABELS, *options]) if options else SAMPLE_LABELS
    return shlex.join([*_file_options_of(dataset.read_from), *options])


def _file_options_of(files: LabelFiles) -> Iterator[str]:
    yield from (SENSOR, str(files.a.resolve()))
    if files.b is not None:
        yield from ("--text-embeddings", str(files.b.resolve()))
    for level in files.levels:
        path = str(level.path.resolve())
        # With its name in any case: a path may have a = of its own.
        yield from ("--labels", f"{level.name}={path}")
        if level.key is not None:
            yield from ("--labels-key", f"{level.name}={level.key}")
    for option, value, usual in (
        ("--sensor-key", files.a_key, None),
        ("--text-key", files.b_key, None),
        ("--name-a", files.name_a, "sensor"),
        ("--name-b", files.name_b, "text"),
    ):
        if value is not None and value != usual:
            yield from (option, value)
    if not files.normalize:
        yield "--no-normalize"


def _options_of(dataset: LabelDataset) -> Iterator[str]:
    from engine.labels.dataset import LABEL_KS
    from engine.text.defaults import EMBEDDED

    if dataset.ks != LABEL_KS:
        yield from ("--k", ",".join(map(str, dataset.ks)))
    model = dataset.model()
    if model.encoder != EMBEDDED:
        yield from ("--encoder", _in_full(model.encoder))
    if model.query_vectors is not None:
        yield from ("--query-vectors", str(model.query_vectors.resolve()))
    texts = dataset.prototypes
    if texts is not None:
        yield from (
            "--metadata",
            str(texts.metadata.resolve()),
            "--dataset-name",
            texts.dataset_name,
        )
        if texts.caption_style is not None:
            yield from ("--caption-style", texts.caption_style)


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
    if options is None or not options.get("--labels"):
        return SAMPLE_LABELS if options is not None and is_label_source(source) else source
    from engine.labels.data.label_files import LevelFile

    try:
        return str(LevelFile.parse(options["--labels"][0]).path)
    except InputError:  # an imported session may hold anything
        return source


def open_label_source(source: str) -> LabelDataset:
    """The dataset of label files that a session names."""
    options = _parsed(source)
    if options is None:
        raise InputError(f"the session names its label files in no way that is known: {source}")

    def one(name: str) -> str | None:
        return options[name][0] if options.get(name) else None

    def path(name: str) -> Path | None:
        value = one(name)
        return None if value is None else Path(value)

    files = collect_label_files(
        path(SENSOR),
        path("--text-embeddings"),
        options.get("--labels"),
        sensor_key=one("--sensor-key"),
        text_key=one("--text-key"),
        labels_key=options.get("--labels-key"),
        name_a=one("--name-a"),
        name_b=one("--name-b"),
        normalize="--no-normalize" not in options,
    )
    return open_labels(
        files,
        ks=_ks(one("--k")),
        encoder=one("--encoder"),
        query_vectors=path("--query-vectors"),
        metadata=path("--metadata"),
        dataset_name=one("--dataset-name"),
        caption_style=one("--caption-style"),
    )


def _ks(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    from tui.opening.arguments import parse_ks

    return parse_ks(text)


def _parsed(source: str) -> dict[str, list[str]] | None:
    """Options with their values, in order; None: these are none."""
    try:
        words = shlex.split(source) if source != SAMPLE_LABELS else [SAMPLE_LABELS]
    except ValueError:
        return None
    if words[:1] == [SAMPLE_LABELS]:
        words = words[1:]
    options: dict[str, list[str]] = {}
    place = 0
    while place < len(words):
        option = words[place]
        if not option.startswith("--"):
            return None
        flag = option == "--no-normalize"
        value = [] if flag else words[place + 1 : place + 2]
        if not flag and not value:
            return None
        options.setdefault(option, []).extend(value)
        place += 1 if flag else 2
    return options
