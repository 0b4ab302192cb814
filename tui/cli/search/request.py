"""What a search is asked, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError, Place
from tui.cli.shared import options as o
from tui.cli.shared.console import open_workbench, show_spinner

if TYPE_CHECKING:
    from engine.base.choices import OnePerPolicy, RelevancePolicy
    from engine.dataset.collection import Collection
    from engine.dataset.dataset import Dataset
    from engine.files.input_file import InputFile
    from engine.keywords.clip_ranks import ClipRanks
    from engine.keywords.inspection import Inspection
    from engine.keywords.question import AskedQuery
    from engine.keywords.typed_relevance import TypedRelevance
    from engine.metrics import Measure, Profile

_TEXT_FILES = (".txt", ".csv", ".tsv", ".json", ".jsonl")
"""Endings by which a misspelt file is told from a clip."""


@dataclass(frozen=True)
class SearchRequest:
    """The options of a search, resolved.

    relevant       the relevant clips as they were typed; None: those with all keywords
    relevant_file  the file that `relevant` names, if it names one
    vector_file    the file of the vector that asks, if one does
    against        the model whose ranks stand beside
    """

    asked: AskedQuery
    dataset: Dataset
    model: str | None
    groups: tuple[str, ...] | None
    keywords: tuple[str, ...] | None
    ks: tuple[int, ...]
    language: Profile
    measures: tuple[Measure, ...]
    min_similarity: float | None
    one_per: OnePerPolicy
    relevance: RelevancePolicy
    relevant: str | None
    relevant_file: Path | None
    vector_file: Path | None
    against: str | None


@dataclass(frozen=True)
class SearchAnswer:
    """What was found, among which clips, and where it stands in the other model.

    inputs  the files that it was found in, with their digests: read when they are asked for
    """

    found: Inspection
    collection: Collection
    language: Profile
    standing: ClipRanks | None
    inputs: Callable[[], Mapping[str, InputFile]]


def run_search(request: SearchRequest) -> SearchAnswer:
    """Ask the dataset."""
    from engine.files.input_file import reading_inputs
    from engine.keywords.inputs import collect_inputs
    from engine.keywords.question import Question

    files = {"relevant": request.relevant_file, "vector": request.vector_file}
    own = {role: file for role, file in files.items() if file is not None}
    ks = request.ks
    with open_workbench(request.dataset) as bench, reading_inputs(*own.values()) as read:
        asked = _read_asked(request)
        with show_spinner("reading the dataset"):
            clips = bench.collection(request.model)
        groups, left_out = o.resolve_keywords(
            request.dataset, request.groups, request.keywords, clips.truth
        )
        typed = None if request.relevant is None else _find_relevant(request)
        question = Question(
            asked.mode,
            asked.query,
            model=clips.model.name,
            groups=groups,
            left_out=left_out,
            keywords=find_asked_keywords(request),
            vector=asked.vector,
            min_similarity=request.min_similarity,
            one_per=request.one_per,
            relevance=request.relevance,
        )
        with show_spinner("searching"):
            found = bench.ask_whole(question, request.measures, ks[-1], typed)
            rival = request.against
            standing = bench.standing(question, rival) if rival else None

    def inputs() -> Mapping[str, InputFile]:
        of_dataset = collect_inputs(bench, bench.opened, texts=question.text is not None)
        return {**of_dataset, **read.named(own)}

    return SearchAnswer(found, clips, request.language, standing, inputs)


def _read_asked(request: SearchRequest) -> AskedQuery:
    """What is asked; a vector as its file holds it now, of which the digest is told."""
    from engine.keywords.vector_query import read_query_vector

    if request.vector_file is None:
        return request.asked
    found = read_query_vector(request.vector_file)
    return request.asked._replace(query=found.name, vector=found.data)


def find_asked_keywords(request: SearchRequest) -> tuple[str, ...] | None:
    """The keywords of a vector, which says none by itself: those that --keywords names. None: the
    query's own."""
    if request.asked.mode != "vector" or not request.keywords:
        return None
    words = request.dataset.truth.words
    return tuple(dict.fromkeys(str(words.find(name)) for name in request.keywords))


def _find_relevant(request: SearchRequest) -> TypedRelevance:
    """The clips that `--relevant` names, or those of the file that it names."""
    from engine.keywords.typed_relevance import TypedClip, find_typed_clips, read_typed_clips

    text, truth = request.relevant or "", request.dataset.truth
    if request.relevant_file is not None:
        return find_typed_clips(read_typed_clips(request.relevant_file), truth)
    parts = o.split_list(text) or ()
    if len(parts) == 1 and Path(text).suffix.lower() in _TEXT_FILES:
        raise InputError("no such file", Place(text), hint="check the path of --relevant")
    return find_typed_clips(map(TypedClip, parts), truth)
