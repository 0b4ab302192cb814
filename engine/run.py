"""A run: a request in plain values, carried out against a dataset."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.collection import Collection
from engine.dataset import Dataset, text_encoder
from engine.encoder import SentenceEncoder, model_digest
from engine.errors import InputError
from engine.evaluate import (
    DEFAULT_POLICIES,
    Evaluation,
    Mode,
    Policies,
    Progress,
    evaluate,
    text_queries,
    video_queries,
)
from engine.groundtruth import GroundTruth
from engine.metrics import Measure, Profile, parse_measures, profile
from engine.queries import TextQuery, combination_queries, read_queries, sample_rows
from engine.report.run import Run
from engine.selection import Selection

Modes: TypeAlias = Literal["text", "video", "both"]

COMBINATIONS = "combinations"
"""In place of a query file: every observed combination of one keyword per chosen group."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What to evaluate; the defaults are those of the command line."""

    modes: Modes = "both"
    groups: tuple[str, ...] | None = None
    keywords: tuple[str, ...] | None = None
    ks: tuple[int, ...] = (1, 3, 5)
    model: str | None = None
    queries: str | None = None
    videos: tuple[str, ...] | None = None
    sample: int | None = None
    seed: int = 0
    limit: int | None = None
    profile: str = "alfa"
    metrics: tuple[str, ...] | None = None
    depth: int | None = None
    policies: Policies = DEFAULT_POLICIES


def carry_out(
    request: RunRequest,
    dataset: Dataset,
    encoder: SentenceEncoder,
    progress: Callable[[Mode], Progress] | None = None,
) -> Run:
    """Evaluate what is asked for. `progress(mode)` yields the callback for that part."""
    language = profile(request.profile)
    measures = _measures(request, language)
    if request.limit is not None and request.limit < 1:
        raise InputError(f"the limit is {request.limit}", hint="evaluate at least one query")
    collection = dataset.collection(request.model)
    selection = choose_selection(dataset, collection.truth, request.groups, request.keywords)
    evaluations: list[Evaluation] = []
    source, file = "", None
    if request.modes in ("text", "both"):
        texts, source, file = _texts(request, dataset, collection.truth, selection)
        queries = text_queries(
            texts[: request.limit],
            collection.truth,
            selection,
            lambda: dataset.mapper(encoder),
            request.policies.no_keyword,
        )
        with text_encoder(collection.model, encoder) as speaker:
            evaluations.append(
                evaluate(
                    collection,
                    queries,
                    measures,
                    k=max(request.ks),
                    encoder=speaker,
                    policies=request.policies,
                    depth=request.depth,
                    progress=progress("text") if progress else None,
                )
            )
    if request.modes in ("video", "both"):
        rows = _rows(request, collection)[: request.limit]
        queries = video_queries(collection.truth, selection, rows, request.policies.no_keyword)
        evaluations.append(
            evaluate(
                collection,
                queries,
                measures,
                k=max(request.ks),
                policies=request.policies,
                depth=request.depth,
                progress=progress("video") if progress else None,
            )
        )
    inputs = dataset.input_hashes(collection.model, file)
    if source and collection.model.query_vectors is None:
        inputs["encoder"] = model_digest(collection.model.encoder)
    return Run(
        dataset=dataset,
        collection=collection,
        selection=selection,
        profile=language,
        ks=request.ks,
        evaluations=tuple(evaluations),
        inputs=inputs,
        query_source=source,
    )


def choose_selection(
    dataset: Dataset,
    truth: GroundTruth,
    groups: tuple[str, ...] | None,
    keywords: tuple[str, ...] | None,
) -> Selection:
    """The asked groups and keywords; the dataset's default groups if none are asked for.

    Keywords without groups choose the groups that they belong to.
    """
    if groups is None and keywords:
        groups = tuple(dict.fromkeys(_group_of(truth, name) for name in keywords))
    return truth.select(groups or dataset.default_groups, keywords)


def _group_of(truth: GroundTruth, name: str) -> str:
    return truth.find(name).group


def _measures(request: RunRequest, language: Profile) -> tuple[Measure, ...]:
    if not request.ks or min(request.ks) < 1:
        raise InputError("K must be at least 1", hint="write for example --k 1,3,5")
    if request.metrics:
        return parse_measures(request.metrics, language)
    return language.measures(request.ks)


def _texts(
    request: RunRequest, dataset: Dataset, truth: GroundTruth, selection: Selection
) -> tuple[list[TextQuery], str, Path | None]:
    """The text queries, where they come from in words, and their file if they have one."""
    file = Path(request.queries) if request.queries else dataset.queries_file
    if file is None or request.queries == COMBINATIONS:
        return combination_queries(truth, selection), COMBINATIONS, None
    return read_queries(file), file.name, file


def _rows(request: RunRequest, collection: Collection) -> npt.NDArray[np.int64]:
    if request.videos is not None:
        return np.array([collection.truth.row_of(name) for name in request.videos], np.int64)
    return sample_rows(len(collection), request.sample, request.seed)
