"""Datasets in memory, with a workbench over them, for tests that need to know every clip."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.base.ranking import Ranking
from engine.base.similarity import Similarity
from engine.dataset.annotations.read import Annotations
from engine.dataset.collection import Collection
from engine.dataset.dataset import Dataset
from engine.dataset.embeddings.read import EmbeddingSet, align_rows
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.model_spec import ModelSpec
from engine.keywords.inspection import Inspection
from engine.keywords.question import Question
from engine.keywords.workbench import Workbench
from engine.metrics import Measure, find_profile, parse_measures
from engine.metrics.policies import KEYWORD_POLICIES, Policies
from engine.search import Index
from engine.text.opening import open_encoder

ALFA = find_profile("alfa")
MEASURES: tuple[Measure, ...] = (
    *ALFA.measures((1, 3, 5)),
    *parse_measures(("MAP", "MRR", "NDCG"), ALFA),
)
"""What the inspector shows: every metric of the profile, and those of the whole ranking."""

NO_FILE = Path("in memory")
NO_CLIPS = GroundTruth.from_columns((), {})


@dataclass
class CountedIndex:
    """A real index that writes down how deep it was searched, each time."""

    real: Index
    searches: list[int] = field(default_factory=list)

    @property
    def size(self) -> int:
        return self.real.size

    @property
    def dimension(self) -> int:
        return self.real.dimension

    @property
    def metric(self) -> Similarity:
        return self.real.metric

    def search(self, queries: npt.NDArray[np.floating], k: int) -> Ranking:
        self.searches.append(k)
        return self.real.search(queries, k)


class CountedCollection(Collection):
    """A collection whose index counts."""

    @cached_property
    def index(self) -> CountedIndex:
        return CountedIndex(super().index)


@dataclass(frozen=True)
class InMemory(Dataset):
    """A dataset whose parts are given. A model knows the clips that it has a vector for."""

    clips: GroundTruth = NO_CLIPS
    vectors: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)

    @property
    def truth(self) -> GroundTruth:
        return self.clips

    @cached_property
    def annotations(self) -> Annotations:
        """They name no media."""
        return Annotations(NO_FILE, self.clips.ids, (), "utf-8", ",")

    def collection(
        self, model: str | None = None, opened: Iterable[Collection] = ()
    ) -> CountedCollection:
        spec = self.model(model)
        known = self.vectors[spec.name]
        vectors = np.array(list(known.values()), np.float32)
        alignment = align_rows(EmbeddingSet(spec.name, tuple(known), vectors), self.clips.ids)
        return CountedCollection(
            spec,
            self.clips.take(alignment.truth_rows),
            vectors[alignment.set_rows],
            alignment,
        )


def workbench(
    truth: GroundTruth,
    vectors: Mapping[str, Mapping[str, Sequence[float]]],
    policies: Policies = KEYWORD_POLICIES,
) -> Workbench:
    """A workbench over these clips; its encoder is never started."""
    models = {name: ModelSpec(name, NO_FILE) for name in vectors}
    dataset = InMemory("by hand", NO_FILE, NO_FILE, models, clips=truth, vectors=vectors)
    return Workbench(dataset, open_encoder(), policies)


def counted(bench: Workbench, model: str) -> list[int]:
    """How deep the model's index was searched so far, search by search."""
    index = bench.collection(model).index
    assert isinstance(index, CountedIndex)
    return index.searches


def at_cosine(similarity: float) -> tuple[float, float]:
    """A vector that is so similar to (1, 0)."""
    return similarity, float(np.sqrt(1 - similarity**2))


def asked_of(
    groups: Mapping[str, Sequence[Iterable[str]]],
    *,
    clips: Sequence[str] = (),
    policies: Policies = KEYWORD_POLICIES,
    depth: int | None = None,
    keywords: tuple[str, ...] | None = None,
    k: int = 5,
) -> Inspection:
    """The clip `query` asked, whose keywords come first; the others follow as they rank.

    Similarities fall from 0.9 to 0.1. A clip without a name is called by its rank: c1, c2, …
    """
    truth = GroundTruth.from_columns(["query", *_names(groups, clips)], groups)
    others = truth.ids[1:]
    falling = np.linspace(0.9, 0.1, len(others)).tolist()
    vectors = {"query": (1.0, 0.0), **dict(zip(others, map(at_cosine, falling), strict=True))}
    bench = workbench(truth, {"m": vectors}, policies)
    question = Question("video", "query", "m", truth.words.groups, (), keywords)
    return bench.ask(question, MEASURES, k=k, depth=depth or max(len(truth), k))


def _names(groups: Mapping[str, Sequence[Iterable[str]]], clips: Sequence[str]) -> list[str]:
    others = len(next(iter(groups.values()))) - 1
    return [*clips, *(f"c{rank}" for rank in range(len(clips) + 1, others + 1))]
