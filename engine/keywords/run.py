"""A run: a request in plain values, carried out against a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from engine.base.choices import Mode
from engine.base.errors import InputError
from engine.base.progress import ProgressHook
from engine.dataset.collection import Collection
from engine.dataset.dataset import Dataset
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.model_spec import ModelSpec
from engine.dataset.query_files import (
    TextQuery,
    make_combination_queries,
    read_queries,
    sample_rows,
)
from engine.dataset.query_set import QuerySet, build_text_queries, build_video_queries
from engine.dataset.vocabulary import Selection
from engine.files.input_file import FileSet, InputFile, reading_inputs
from engine.keywords.evaluate import Evaluation, evaluate
from engine.keywords.mapped_texts import MappedTexts
from engine.keywords.searching import adapt_policies
from engine.keywords.workbench import Workbench
from engine.metrics import Measure, Profile, find_profile, parse_measures
from engine.metrics.policies import KEYWORD_POLICIES, Policies
from engine.text.encoder import PrecomputedEncoder, TextEncoder
from engine.text.model_files import hash_model

ModeChoice: TypeAlias = Literal["text", "video", "both"]

COMBINATIONS = "combinations"
"""In place of a query file: every observed combination of one keyword per chosen group."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What to evaluate; the defaults are those of the command line."""

    modes: ModeChoice = "both"
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
    policies: Policies = KEYWORD_POLICIES


@dataclass(frozen=True, slots=True)
class QuerySource:
    """Where a mode's queries come from: in words, how many there were, and the file if any.

    files  those that were read for them
    """

    name: str
    available: int
    file: Path | None = None
    files: FileSet = field(default_factory=FileSet)


@dataclass(frozen=True, slots=True)
class Run:
    """All that one run computed, and from what."""

    request: RunRequest
    dataset: Dataset
    collection: Collection
    selection: Selection
    profile: Profile
    evaluations: tuple[Evaluation, ...]
    sources: Mapping[Mode, QuerySource]
    inputs: Mapping[str, InputFile]


class SharedTexts:
    """The text queries of runs that differ in their model alone: the first of them reads and maps
    them, and the others have the same ones."""

    def __init__(self) -> None:
        self._found: dict[RunRequest, tuple[GroundTruth, QuerySet, QuerySource]] = {}

    def get(self, request: RunRequest, truth: GroundTruth) -> tuple[QuerySet, QuerySource] | None:
        """Those of an earlier run."""
        found = self._found.get(replace(request, model=None))
        if found is None or found[0].words is not truth.words:
            return None
        if found[2].name == COMBINATIONS and found[0] is not truth:  # those that clips have
            return None
        return found[1:]

    def put(
        self, request: RunRequest, truth: GroundTruth, queries: QuerySet, source: QuerySource
    ) -> None:
        self._found[replace(request, model=None)] = truth, queries, source


def run_request(
    request: RunRequest,
    bench: Workbench,
    report: ProgressHook | None = None,
    shared: SharedTexts | None = None,
) -> Run:
    """Evaluate what is asked for; what the workbench has opened before is not opened again.

    shared  the texts of earlier runs of the same queries, and of this one for later ones
    """
    language = find_profile(request.profile)
    measures = _measures(request, language)
    require_some(request)
    known, collection = bench.mapped, bench.collection(request.model)
    dataset = known.dataset  # what is recorded is what texts were mapped by
    request = replace(request, policies=adapt_policies(collection, request.policies))
    selection = choose_selection(dataset, collection.truth, request.groups, request.keywords)
    evaluations: list[Evaluation] = []
    sources: dict[Mode, QuerySource] = {}
    encoder: dict[str, InputFile] = {}
    text_encoder: TextEncoder | None = None

    def add(queries: QuerySet, source: QuerySource, text_encoder: TextEncoder | None) -> None:
        sources[queries.mode] = source
        evaluations.append(
            evaluate(
                collection,
                queries,
                measures,
                k=max(request.ks),
                encoder=text_encoder,
                policies=request.policies,
                depth=request.depth,
                report=report,
            )
        )

    if request.modes in ("text", "both"):
        text_encoder = bench.text_encoder(collection.model.name)
        encoder = identify_encoder(collection.model)  # as it is before it encodes
        shared = shared or SharedTexts()
        texts = shared.get(request, collection.truth)
        if texts is None:
            texts = collect_text_queries(request, known, collection.truth, selection, report)
            shared.put(request, collection.truth, *texts)
        add(*texts, text_encoder)
    if request.modes in ("video", "both"):
        add(*collect_video_queries(request, collection, selection), None)
    return Run(
        request=request,
        dataset=dataset,
        collection=collection,
        selection=selection,
        profile=language,
        evaluations=tuple(evaluations),
        sources=sources,
        inputs=collect_run_inputs(dataset, collection, sources, text_encoder, encoder),
    )


def require_some(request: RunRequest) -> None:
    """Refuse a limit that leaves no query."""
    if request.limit is not None and request.limit < 1:
        raise InputError(f"the limit is {request.limit}", hint="evaluate at least one query")


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
        groups = tuple(dict.fromkeys(truth.words.find(name).group for name in keywords))
    return truth.words.select(groups or dataset.default_groups, keywords)


def _measures(request: RunRequest, language: Profile) -> tuple[Measure, ...]:
    if not request.ks or min(request.ks) < 1:
        raise InputError("K must be at least 1", hint="write for example --k 1,3,5")
    if request.metrics:
        return parse_measures(request.metrics, language)
    return language.measures(request.ks)


def collect_text_queries(
    request: RunRequest,
    known: MappedTexts,
    truth: GroundTruth,
    selection: Selection,
    report: ProgressHook | None = None,
) -> tuple[QuerySet, QuerySource]:
    """The texts that a request asks for, with their keywords, and where they come from."""
    texts, source = read_text_queries(request, known.dataset, truth, selection)
    queries = build_text_queries(
        texts[: request.limit],
        truth,
        selection,
        lambda: known.mapper,
        request.policies.no_keyword,
        report,
    )
    return queries, source


def read_text_queries(
    request: RunRequest, dataset: Dataset, truth: GroundTruth, selection: Selection
) -> tuple[list[TextQuery], QuerySource]:
    """The same as they are written, before their keywords are read."""
    if request.queries and request.queries != COMBINATIONS:
        file = Path(request.queries)
        with reading_inputs(file) as files:
            texts = read_queries(file)
        return texts, QuerySource(file.name, len(texts), file, files)
    with reading_inputs(None if request.queries else dataset.texts_file) as files:
        own = None if request.queries else dataset.texts()
    if own is None:
        texts = make_combination_queries(truth, selection)
        return texts, QuerySource(COMBINATIONS, len(texts))
    named = dataset.queries_file
    return list(own), QuerySource(named.name if named else "its own texts", len(own), named, files)


def collect_video_queries(
    request: RunRequest, collection: Collection, selection: Selection
) -> tuple[QuerySet, QuerySource]:
    """The clips that a request asks with, and how they were chosen."""
    truth = collection.truth
    if request.videos is not None:
        named = [truth.row_of(name) for name in dict.fromkeys(request.videos)]
        rows, source = np.array(named, np.int64), "listed clips"
    else:
        rows = sample_rows(len(collection), request.sample, request.seed)
        source = "all clips" if request.sample is None else f"sample with seed {request.seed}"
    policy = request.policies.no_keyword
    queries = build_video_queries(truth, selection, rows[: request.limit], policy)
    return queries, QuerySource(source, len(collection))


def identify_encoder(model: ModelSpec) -> dict[str, InputFile]:
    """The encoder of a model's texts as one of the files behind the numbers; none where the texts
    have vectors of their own."""
    if model.query_vectors is not None:
        return {}
    return {"encoder": InputFile(model.encoder, hash_model(model.encoder))}


def collect_run_inputs(
    dataset: Dataset,
    collection: Collection,
    sources: Mapping[Mode, QuerySource],
    text_encoder: TextEncoder | None,
    encoder: Mapping[str, InputFile],
) -> Mapping[str, InputFile]:
    """Every file behind the numbers, by role."""
    files, roles = dataset.annotations.files | collection.files, dataset.inputs(collection.model)
    if isinstance(text_encoder, PrecomputedEncoder):
        files |= text_encoder.files
    for source in sources.values():
        files |= source.files
        roles |= {} if source.file is None else {"queries": source.file}
    return files.named(roles, encoder)
