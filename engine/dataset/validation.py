"""Validation: everything about a dataset that could surprise its user, found in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np

from engine.base.errors import InputError, Place, Severity
from engine.base.messages import pluralise, quote
from engine.base.progress import ProgressHook, Step
from engine.dataset.annotations.media_paths import locate_media
from engine.dataset.collection import Collection
from engine.dataset.dataset import Dataset
from engine.dataset.duplicate_checks import (
    PairList,
    check_equal_media,
    check_near_duplicates,
    check_sources,
)
from engine.dataset.embeddings.read import read_query_vectors
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.model_spec import ModelSpec
from engine.dataset.phrase_checks import check_phrase_tables
from engine.dataset.phrase_tables import PhraseTables
from engine.dataset.query_files import TextQuery, read_queries
from engine.dataset.query_set import find_given_keyword
from engine.files.reading import is_regular_file
from engine.text import EMBEDDED, EMBEDDED_DIMENSION
from engine.text.model_files import check_encoder


@dataclass(frozen=True, slots=True)
class DatasetFault:
    """One thing to know. An error makes some evaluation impossible, a warning changes numbers.

    pairs  the clips that it is about, where it is about pairs
    """

    level: Severity
    part: str
    message: str
    pairs: PairList | None = None


Remarks: TypeAlias = (
    Iterator[tuple[Severity, str]] | Iterator[tuple[Severity, str, PairList | None]]
)
"""What is to be known of one part."""


Hold: TypeAlias = Callable[[Iterable[Path]], AbstractContextManager[None]]
"""Surrounds the reading of files."""


def validate(
    dataset: Dataset, report: ProgressHook | None = None, hold: Hold | None = None
) -> list[DatasetFault]:
    """All faults, in the order of the dataset's parts; nothing is evaluated.

    hold  surrounds the reading of each part's files, so that few of thousands are open at a time
    """
    faults: list[DatasetFault] = []

    def attempt(part: str, check: Callable[[], Remarks], *files: Path) -> bool:
        with hold(files) if hold else nullcontext():
            try:
                faults.extend(DatasetFault(one[0], part, *one[1:]) for one in check())
            except InputError as error:
                faults.append(DatasetFault("error", part, str(error)))
                return False
        return True

    if not attempt("annotations", lambda: _annotations(dataset), dataset.annotations_file):
        return faults
    truth = dataset.truth
    if attempt("groups", lambda: _default_groups(dataset)):
        for group in truth.words.groups:
            attempt(f"group {group}", partial(_group, truth, group))
    attempt("synonyms", lambda: _synonyms(dataset))
    for column in ("video_path", "gif_path"):
        attempt(column, partial(_media, dataset, column))
    attempt("sources", lambda: check_sources(dataset.annotations, truth))
    attempt("media", lambda: check_equal_media(dataset.annotations, truth))
    if not dataset.models:
        message = "no embeddings: nothing can be searched; add [models.NAME] or --embeddings"
        faults.append(DatasetFault("warning", "models", message))
    opened: list[Collection] = []
    for done, model in enumerate(dataset.models.values(), 1):
        # The next model may have the same files; otherwise its vectors need the room.
        opened = [one for one in opened[-1:] if one.model.searched == model.searched]
        part, files = f"model {model.name}", model.files.values()
        if attempt(part, partial(_model, dataset, model, opened), *files):
            attempt(part, partial(check_near_duplicates, opened[-1]))
        if report:
            report(Step("", "models", done, len(dataset.models)))
    if dataset.queries_file is not None:
        file = dataset.queries_file
        attempt("queries", lambda: _queries(read_queries(file), truth, file), file)
    return faults


def _annotations(dataset: Dataset) -> Remarks:
    notes, truth = dataset.annotations, dataset.truth
    yield (
        "info",
        f"{len(truth):,} clips, {len(truth.words.keywords)} keywords in "
        f"{len(truth.words.groups)} groups ({notes.path.name}, {notes.encoding})",
    )
    if notes.encoding not in ("utf-8", "utf-8-sig", "parquet"):
        yield "warning", f"read as {notes.encoding}; save the file as UTF-8"
    if notes.merged:
        yield "warning", f"{notes.merged:,} lines repeat a slice_id and were merged"
    if notes.ignored:
        yield "info", f"columns not used: {', '.join(notes.ignored)} (groups? name group_columns)"
    bare = int(np.count_nonzero(~truth.bits.any(axis=1)))
    if bare:
        yield "warning", f"{bare:,} clips have no keyword at all"


def _default_groups(dataset: Dataset) -> Remarks:
    if dataset.default_groups is not None:
        dataset.truth.words.select(dataset.default_groups)
    yield from ()


def _group(truth: GroundTruth, group: str) -> Remarks:
    columns = truth.words.columns([group])
    if not columns:
        yield "warning", "no clip has a keyword of this group"
        return
    counts = truth.counts[columns]
    once = int(np.count_nonzero(counts == 1))
    least, most = int(counts.min()), int(counts.max())
    clips = f"{least:,} to {most:,} clips" if least < most else f"{pluralise(most, 'clip')} each"
    text = f"{pluralise(len(columns), 'keyword')}, in {clips}"
    if once:
        text += f"; {once} in a single clip, so that a video query with it finds no other"
    yield "info", text


def _synonyms(dataset: Dataset) -> Remarks:
    tables = PhraseTables(dataset.synonyms, dataset.never_means)
    for message in check_phrase_tables(tables, dataset.truth.words.keywords):
        yield "warning", message


def _media(dataset: Dataset, column: str) -> Remarks:
    paths = getattr(dataset.annotations, column)
    if paths is None:
        return
    named = [path for path in paths if path]
    folder = dataset.annotations_file.parent
    places = [(text, locate_media(text)) for text in named]
    missing = [text for text, path in places if path is None or not is_regular_file(folder / path)]
    if missing:
        yield (
            "warning",
            f"{len(missing):,} of {len(named):,} files are missing, first {quote(missing[0])}",
        )
    else:
        yield "info", f"all {len(named):,} files are there"


def _model(dataset: Dataset, model: ModelSpec, opened: list[Collection]) -> Remarks:
    collection = dataset.collection(model.name, opened)
    opened.append(collection)
    dimension = int(collection.vectors.shape[1])
    yield "info", f"{len(collection):,} clips × {dimension} dimensions, {model.metric}"
    for note in collection.alignment.notes():
        yield "warning", f"{note}: left out of the search"
    yield from _text_side(model, dimension)


def _text_side(model: ModelSpec, dimension: int) -> Remarks:
    """Whether text queries can be encoded into the model's space."""
    if model.query_vectors is not None:
        texts = read_query_vectors(model.query_vectors)
        if texts.dimension != dimension:
            raise InputError(
                f"has vectors of {texts.dimension} dimensions, the embeddings have {dimension}",
                Place(model.query_vectors),
            )
        yield "info", f"vectors of {len(texts):,} query texts"
    elif model.encoder != EMBEDDED:
        check_encoder(model.encoder)
        yield "info", f"text encoder {model.encoder}"
    elif dimension != EMBEDDED_DIMENSION:
        yield (
            "warning",
            f"text queries need vectors of {dimension} dimensions, the embedded encoder gives "
            f"{EMBEDDED_DIMENSION}: set encoder or query_vectors",
        )


def _queries(queries: Sequence[TextQuery], truth: GroundTruth, file: Path) -> Remarks:
    given = [query for query in queries if query.keywords is not None]
    yield "info", f"{len(queries):,} text queries, {len(given):,} with keywords ({file.name})"
    unanswerable = 0
    everything = truth.words.select()
    for query in given:
        found = [
            find_given_keyword(name, query, truth, everything) for name in query.keywords or ()
        ]
        keywords = [keyword for keyword in found if keyword is not None]
        unanswerable += bool(keywords) and truth.relevant(keywords).count == 0
    if unanswerable:
        yield "info", f"{unanswerable:,} have no relevant clip over all groups"
