"""From a request in plain values to a study: files are read, texts encoded, queries searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from engine.base.arrays import Vectors
from engine.base.choices import Mode
from engine.base.errors import InputError
from engine.base.messages import list_names, pluralise, suggest
from engine.base.progress import ProgressHook, Step
from engine.base.ranking import Ranking
from engine.dataset.collection import Collection
from engine.dataset.dataset import Dataset
from engine.dataset.query_set import QuerySet
from engine.dataset.vocabulary import Selection
from engine.files.input_file import InputFile
from engine.keywords.evaluate import count_reachable_clips
from engine.keywords.judge import judge
from engine.keywords.run import (
    QuerySource,
    RunRequest,
    choose_selection,
    collect_run_inputs,
    collect_text_queries,
    collect_video_queries,
    identify_encoder,
    read_text_queries,
    require_some,
)
from engine.keywords.searching import adapt_policies, rank_parts
from engine.keywords.workbench import Workbench
from engine.media.looks import describe_clips
from engine.metrics.policies import Policies
from engine.search.exhaustive import scale_to_unit
from engine.search.index import as_float32
from engine.text.encoder import TextEncoder
from engine.triage.clusters import cluster_queries
from engine.triage.mode_queries import ModeQueries, compute_precision
from engine.triage.settings import DEFAULT_TRIAGE_SETTINGS, TriageSettings
from engine.triage.study import QueryTexts, Reference, Study

FRAMES = "frames"
"""In place of a model's name: how the clips look, by the descriptor of their frames."""


@dataclass(frozen=True, slots=True)
class TriageRequest:
    """What to study; the defaults are those of the command line.

    run       which queries of which model, in which groups
    visual    the model, or `FRAMES`, that says how alike clips look; None: the frames, if any
              can be read
    analyses  the names of those to carry out; None: all
    """

    run: RunRequest = field(default_factory=RunRequest)
    visual: str | None = None
    analyses: tuple[str, ...] | None = None
    settings: TriageSettings = DEFAULT_TRIAGE_SETTINGS


@dataclass(frozen=True, slots=True, eq=False)
class StudyInputs:
    """Where a study comes from: its files by role, its queries, and what was noticed."""

    files: Mapping[str, InputFile]
    sources: Mapping[Mode, QuerySource]
    policies: Policies
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class OpenedStudy:
    """A study and where it comes from."""

    study: Study
    inputs: StudyInputs
    dataset: Dataset
    notes: tuple[str, ...] = field(default=())


def open_study(
    request: TriageRequest, bench: Workbench, report: ProgressHook | None = None
) -> OpenedStudy:
    """Open the model, search all queries and judge them; `report` gets every step, also those of
    the analyses later on."""
    run, dataset = request.run, bench.dataset
    _check_policies(run.policies)
    require_some(run)
    collection = bench.collection(run.model)
    policies = adapt_policies(collection, run.policies)
    selection = choose_selection(dataset, collection.truth, run.groups, run.keywords)
    visual, notes = _find_visual(request, bench, collection, report)
    second = visual if request.visual not in (None, FRAMES) else None
    if second is None:
        second, why = _find_second(bench, collection)
        second, notes = second or visual, notes + why
    asked: list[ModeQueries] = []
    sources: dict[Mode, QuerySource] = {}
    encoder: TextEncoder | None = None
    texts: QueryTexts | None = None
    if run.modes in ("text", "both"):
        encoder = bench.text_encoder(collection.model.name)
        found, source = collect_text_queries(run, bench.mapped, collection.truth, selection, report)
        sources["text"] = source
        texts = _keep_texts(run, bench, collection, selection)
        asked.append(_ask(collection, found, encoder, policies, request.settings, report))
    if run.modes in ("video", "both"):
        found, sources["video"] = collect_video_queries(run, collection, selection)
        asked.append(_ask(collection, found, None, policies, request.settings, report))
    identity = identify_encoder(collection.model) if encoder is not None else {}
    plain = as_float32(collection.vectors)
    study = Study(
        collection=collection,
        selection=selection,
        asked=tuple(asked),
        vectors=scale_to_unit(plain) if collection.model.metric == "cosine" else plain,
        sources=collection.truth.source_numbers,
        settings=request.settings,
        visual=visual,
        second=second,
        texts=texts,
        one_per=policies.one_per,
    )
    inputs = StudyInputs(
        {
            **collect_run_inputs(dataset, collection, sources, encoder, identity),
            **_collect_references(bench, visual, second),
        },
        sources,
        policies,
    )
    return OpenedStudy(study, inputs, dataset, notes)


def _check_policies(policies: Policies) -> None:
    """What is measured by searching or judging anew knows no other rule than these."""
    if policies.min_similarity is not None:
        raise InputError(
            "a triage counts all results, however little similar",
            hint="leave the least similarity out",
        )
    if policies.relevance != "all":
        raise InputError(
            f"a triage knows no relevance {policies.relevance}: relevant are clips with all "
            "keywords of a query",
            hint="choose relevance all",
        )


def _collect_references(bench: Workbench, *used: Reference | None) -> Mapping[str, InputFile]:
    """The files of the other models that looks and labels are held against, by role."""
    models = bench.dataset.models
    names = dict.fromkeys(one.name for one in used if one is not None and one.name in models)
    return {
        role: file
        for name in names
        for role, file in bench.collection(name)
        .files.named({f"embeddings of {name}": models[name].embeddings})
        .items()
    }


def _keep_texts(
    run: RunRequest, bench: Workbench, collection: Collection, selection: Selection
) -> QueryTexts:
    given, _ = read_text_queries(run, bench.dataset, collection.truth, selection)
    mapped = bench.mapped
    return QueryTexts(
        tuple(given[: run.limit]),
        lambda some: tuple(mapped.mapper.map_batch(list(some), [selection.groups for _ in some])),
        bench.dataset.threshold,
    )


def _ask(
    collection: Collection,
    queries: QuerySet,
    encoder: TextEncoder | None,
    policies: Policies,
    settings: TriageSettings,
    report: ProgressHook | None,
) -> ModeQueries:
    """Search and judge queries, and keep the vectors that they were searched with."""
    if not len(queries):
        raise InputError(
            f"no {queries.mode} query is left to study: none has a keyword of the chosen groups",
            hint="choose other groups or keywords",
        )
    reachable = count_reachable_clips(collection, queries, policies)
    depth = min(max(settings.depth, settings.k, settings.hub_depth), reachable)
    vectors: list[Vectors] = []
    rankings: list[Ranking] = []
    done = 0
    for part in rank_parts(collection, queries, depth, encoder, policies):
        vectors.append(as_float32(part.vectors))
        rankings.append(part.ranking)
        done += len(part.ranking)
        if report:
            report(Step(queries.mode, "evaluating", done, len(queries)))
    asking = np.concatenate(vectors)
    if collection.model.metric == "cosine":
        asking = scale_to_unit(asking, "query")
    ranking = Ranking(
        np.concatenate([one.indices for one in rankings]),
        np.concatenate([one.scores for one in rankings]),
    )
    removes_own = queries.mode == "video" and policies.self_clip == "remove"
    judged = judge(
        ranking,
        collection.truth,
        queries.bits,
        own_rows=queries.rows if removes_own else None,
        one_per=policies.one_per,
    )
    clusters = cluster_queries(queries, collection.truth.source_numbers)
    return ModeQueries(
        queries=queries,
        vectors=asking,
        judged=judged,
        values=compute_precision(judged, settings.k),
        clusters=clusters.labels,
        cluster_note=clusters.note or "",
    )


def _find_visual(
    request: TriageRequest,
    bench: Workbench,
    collection: Collection,
    report: ProgressHook | None,
) -> tuple[Reference | None, tuple[str, ...]]:
    """How the clips look, and what is to be said of those that nobody can look at."""
    asked, models = request.visual, bench.dataset.models
    if asked is not None and asked in models:
        if models[asked].searched == collection.model.searched:
            raise InputError(
                f"the model {collection.model.name} cannot be held against itself",
                hint=f"look at the clips with {FRAMES} or another model",
            )
        found = _align(bench, asked, collection)
        if found is None:
            raise InputError(
                f"the model {asked} has no clip of {collection.model.name}",
                hint="name a model of the same clips",
            )
        return found, ()
    if asked is not None and asked != FRAMES:
        near = suggest(asked, [*models, FRAMES])
        hint = f"{near} choose {FRAMES} or a model: {list_names(models)}".strip()
        raise InputError(f"no model {asked!r} to look at the clips with", hint=hint)
    looks = describe_clips(bench.dataset.annotations, collection.truth.ids, report)
    seen = int(np.count_nonzero(looks.known))
    if not seen:
        return None, ()
    notes = tuple(
        f"looks: {pluralise(gap.clips, 'clip')} without a picture ({gap.reason}): {gap.example}"
        + (", …" if gap.clips > 1 else "")
        for gap in looks.gaps
    )
    return Reference(FRAMES, looks.vectors, looks.known), notes


def _find_second(
    bench: Workbench, collection: Collection
) -> tuple[Reference | None, tuple[str, ...]]:
    """Another model of the dataset: it can judge the ground truth without the one that is
    studied. Nobody asked for it, so one that cannot be read is no error, but said."""
    notes: list[str] = []
    for name, spec in bench.dataset.models.items():
        if spec.searched == collection.model.searched:
            continue
        try:
            found = _align(bench, name, collection)
        except InputError as error:
            where = f"{error.place}: ".removeprefix(": ")
            notes.append(f"{name} cannot judge the labels: {where}{error.message}")
            continue
        if found is not None:
            return found, tuple(notes)
    return None, tuple(notes)


def _align(bench: Workbench, model: str, collection: Collection) -> Reference | None:
    """The vectors of a model for the clips of another one; None: it has none of them."""
    other = bench.collection(model)
    rows = other.truth.rows_of(collection.truth.ids)
    known = rows >= 0
    if not known.any():
        return None
    vectors = np.zeros((len(rows), other.vectors.shape[1]), np.float32)
    vectors[known] = scale_to_unit(as_float32(other.vectors[rows[known]]))
    return Reference(model, vectors, known)
