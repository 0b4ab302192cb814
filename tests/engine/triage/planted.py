"""Studies made by hand: clips whose vectors are made of known parts, so that what an analysis
should find is known beforehand.

A clip's vector is the sum of its keywords' directions, times what its group weighs, the direction
of its look, and noise. A group of weight 0 is not in the vectors at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats, Ints, Vectors
from engine.base.choices import OnePerPolicy
from engine.dataset.collection import Collection
from engine.dataset.embeddings.read import Alignment
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.model_spec import ModelSpec
from engine.dataset.query_set import QuerySet, build_video_queries
from engine.keywords.judge import judge
from engine.search import Index, search_in_chunks
from engine.search.one_per_source import keep_one_per_source
from engine.triage.clusters import cluster_queries
from engine.triage.mode_queries import ModeQueries, compute_precision
from engine.triage.settings import TriageSettings
from engine.triage.study import QueryTexts, Reference, Study

QUICK = TriageSettings(resamples=400, splits=4, least_support=10)


@dataclass(frozen=True)
class Plan:
    """What is planted.

    groups   how many keywords each group has; every clip has one of each
    weights  what the keywords of a group weigh in the vectors; 1 if it is not named
    looks    what the look of a clip weighs in its vector; looks are drawn per source
    kinds    how many different looks there are
    per_source  clips of one source: they share their look
    noise    length of a random direction in each vector
    """

    clips: int = 240
    dimension: int = 32
    groups: Mapping[str, int] = field(default_factory=lambda: {"who": 4, "way": 4})
    weights: Mapping[str, float] = field(default_factory=dict)
    looks: float = 0.0
    kinds: int = 6
    per_source: int = 1
    noise: float = 1.6
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Scene:
    """The parts that a study is made of; a test changes some of them before it makes the study.

    numbers     group → (clips,) the number of each clip's keyword
    directions  group → (keywords, d) the direction of each keyword
    """

    plan: Plan
    truth: GroundTruth
    numbers: Mapping[str, Ints]
    directions: Mapping[str, Floats]
    look: Ints
    look_vectors: Floats
    sources: Ints
    vectors: Floats

    def with_vectors(self, vectors: npt.NDArray[np.floating]) -> Scene:
        return replace(self, vectors=vectors)


def draw_scene(plan: Plan = Plan()) -> Scene:  # noqa: B008 (a frozen value)
    """Clips with independent keywords; what their vectors are made of is in the plan."""
    rng = np.random.default_rng(plan.seed)
    n, d = plan.clips, plan.dimension
    sources = np.arange(n) // plan.per_source
    numbers = {group: rng.integers(0, size, n) for group, size in plan.groups.items()}
    directions = {group: draw_directions(rng, size, d) for group, size in plan.groups.items()}
    look = rng.integers(0, plan.kinds, sources.max() + 1)[sources]
    look_vectors = draw_directions(rng, plan.kinds, d)
    vectors = plan.noise * draw_directions(rng, n, d) + plan.looks * look_vectors[look]
    for group, which in numbers.items():
        vectors = vectors + plan.weights.get(group, 1.0) * directions[group][which]
    return Scene(
        plan,
        make_truth(numbers, sources),
        numbers,
        directions,
        look,
        look_vectors,
        sources,
        vectors,
    )


def draw_directions(rng: np.random.Generator, rows: int, dimension: int) -> Floats:
    """Random unit rows."""
    found = rng.normal(size=(rows, dimension))
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def make_truth(numbers: Mapping[str, Ints], sources: Ints | None = None) -> GroundTruth:
    """Clips c000 … with one keyword of each group, named after its group: who0, who1 …"""
    count = len(next(iter(numbers.values())))
    ids = [f"c{row:05d}" for row in range(count)]
    columns = {g: [[f"{g}{number}"] for number in which.tolist()] for g, which in numbers.items()}
    videos = None if sources is None else [f"v{number}.mp4" for number in sources.tolist()]
    return GroundTruth.from_columns(ids, columns, videos)


def make_unit(vectors: npt.NDArray[np.floating]) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def make_collection(
    truth: GroundTruth, vectors: Vectors, index: Callable[[], Index] | None = None
) -> Collection:
    """A collection of these vectors; `index` searches them, if it is not the exact one."""
    rows = np.arange(len(truth))
    return Collection(
        ModelSpec("m", Path("m.npy")), truth, vectors, Alignment(rows, rows, (), ()), shared=index
    )


def make_study(
    scene: Scene,
    *,
    texts: Sequence[tuple[str, Sequence[str], npt.NDArray[np.floating]]] | None = None,
    videos: bool = True,
    settings: TriageSettings = QUICK,
    index: Callable[[], Index] | None = None,
    visual: Reference | None = None,
    second: Reference | None = None,
    read: QueryTexts | None = None,
    one_per: OnePerPolicy = "clip",
) -> Study:
    """The study of a scene. Every clip asks, and of `texts` each: its words, keywords, vector."""
    units = make_unit(scene.vectors)
    collection = make_collection(scene.truth, units, index)
    asked = []
    if texts is not None:
        words = scene.truth.words
        names = [name for name, _, _ in texts]
        keywords = [[words.find(word) for word in own] for _, own, _ in texts]
        queries = QuerySet.of("text", scene.truth, names, keywords)
        vectors = make_unit(np.stack([vector for _, _, vector in texts]))
        asked.append(ask(collection, queries, vectors, scene.sources, settings, one_per))
    selection = scene.truth.words.select()
    if videos:
        queries = build_video_queries(scene.truth, selection, np.arange(len(scene.truth)))
        own = collection.vectors[queries.rows]
        asked.append(ask(collection, queries, own, scene.sources, settings, one_per))
    return Study(
        collection=collection,
        selection=selection,
        asked=tuple(asked),
        vectors=units,
        sources=scene.sources,
        settings=settings,
        visual=visual,
        second=second,
        texts=read,
        one_per=one_per,
    )


def make_texts(scene: Scene, *, noise: float = 0.1) -> list[tuple[str, list[str], Floats]]:
    """A text for every pair of a keyword of the first group and one of the second: the sum of their
    directions. Keywords that no clip has are left out."""
    known = {str(word) for word in scene.truth.words.keywords}
    rng = np.random.default_rng([scene.plan.seed, 1])
    (one, ones), (two, twos) = list(scene.directions.items())[:2]
    every = [
        (
            f"{one}{i} {two}{j}",
            [f"{one}:{one}{i}", f"{two}:{two}{j}"],
            first + second + noise * draw_directions(rng, 1, len(first))[0],
        )
        for i, first in enumerate(ones)
        for j, second in enumerate(twos)
    ]
    return [text for text in every if known.issuperset(text[1])]


def make_visual(scene: Scene, *, noise: float = 0.1) -> Reference:
    """What a descriptor of the frames would see: the look of each clip."""
    rng = np.random.default_rng([scene.plan.seed, 2])
    n, d = len(scene.look), scene.look_vectors.shape[1]
    seen = scene.look_vectors[scene.look] + noise * draw_directions(rng, n, d)
    return Reference("frames", make_unit(seen), np.ones(n, np.bool_))


def ask(
    collection: Collection,
    queries: QuerySet,
    vectors: Vectors,
    sources: Ints,
    settings: TriageSettings,
    one_per: OnePerPolicy = "clip",
) -> ModeQueries:
    """Search and judge the queries; of sources, by thinning out the whole ranking."""
    own = queries.rows
    most = len(collection) - (own is not None)
    depth = most if one_per == "source" else min(settings.depth, most)
    ((_, ranking),) = search_in_chunks(
        collection.index, vectors, depth, own_rows=own, chunk_size=len(vectors)
    )
    if one_per == "source":
        own_sources = None if own is None else sources[own]
        ranking = keep_one_per_source(ranking, sources, own_sources, settings.depth)
    judged = judge(ranking, collection.truth, queries.bits, own_rows=own, one_per=one_per)
    values = compute_precision(judged, settings.k)
    return ModeQueries(queries, vectors, judged, values, cluster_queries(queries, sources).labels)
