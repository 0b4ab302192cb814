"""Workbench: a dataset with everything that was opened, mapped and ranked for it kept at hand.

The first question to a model reads its embeddings; the same query judged by other keywords is not
searched again. Answers to the same question are the same, however they came about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.base.arrays import Ints
from engine.base.caches import OnceCache, RecentCache
from engine.base.choices import OnePerPolicy
from engine.base.errors import InputError
from engine.base.messages import fit_on_line
from engine.base.ranking import Ranking
from engine.dataset.collection import Collection
from engine.dataset.dataset import Dataset
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.query_files import check_text
from engine.dataset.query_set import QuerySet
from engine.dataset.vocabulary import Selection
from engine.keywords.clip_ranks import ClipRanks
from engine.keywords.evaluate import (
    Evaluation,
    check_measures,
    choose_ranking_depth,
    count_reachable_clips,
    has_chance_levels,
)
from engine.keywords.inspection import Inspection
from engine.keywords.mapped_texts import MappedTexts
from engine.keywords.model_encoders import ModelEncoders
from engine.keywords.query_keywords import QueryKeywords, make_query
from engine.keywords.query_vectors import make_query_vector
from engine.keywords.question import AskedQuery, Question
from engine.keywords.searching import adapt_policies, rank_all
from engine.keywords.typed_relevance import (
    TypedRelevance,
    assess_query,
    compute_query_chance,
)
from engine.metrics import Measure
from engine.metrics.policies import Policies
from engine.text.encoder import LoadingHook, SentenceEncoder, TextEncoder
from engine.text.mapping.mapper import KeywordMapping, Mapper

FULLY_RANKED_CLIPS = 2_000_000
"""Largest collection of which every clip is ranked for one question (0.6 s per million)."""

LARGE_COLLECTION_DEPTH = 100_000
"""Depth to which a larger one is ranked."""

_RANKINGS_BYTES = 256 << 20
_RANKINGS_KEPT = 200
"""However small they are: a long session with a small collection must not grow with each query."""


class Workbench:
    """Answers questions about one dataset. Safe to use from several threads."""

    def __init__(
        self,
        dataset: Dataset,
        encoder: SentenceEncoder,
        policies: Policies | None = None,
        *,
        while_loading: LoadingHook | None = None,
    ) -> None:
        """`encoder` serves the mapper, and every model that names no other. `while_loading`
        surrounds the loading of the encoder that such a model names, which takes seconds."""
        self.encoder = encoder
        self.policies = policies or dataset.policies
        # Whoever waits for one model must not hold up a question to another: a lock for each.
        self._truth: OnceCache[None, GroundTruth] = OnceCache(lambda _: dataset.truth)
        self._collections: OnceCache[str, Collection] = OnceCache(self._open_collection)
        self.encoders = ModelEncoders(dataset, encoder, while_loading)
        self.mapped = MappedTexts(dataset, self._make_mapper)
        """What texts mean by now. Who needs it twice takes it once: it may be relearned between."""
        self._rankings: RecentCache[tuple[str, AskedQuery, int, OnePerPolicy], Ranking]
        self._rankings = RecentCache(_RANKINGS_BYTES)

    def __enter__(self) -> Workbench:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the encoders that were started for single models; the shared one stays."""
        self.encoders.close()

    @property
    def dataset(self) -> Dataset:
        """The dataset, with the phrases by which texts are mapped."""
        return self.mapped.dataset

    def collection(self, model: str | None = None) -> Collection:
        """The model's clips, read once."""
        collection = self._collections[self.dataset.model(model).name]
        collection.check_unchanged()
        return collection

    def _open_collection(self, model: str) -> Collection:
        self._truth[None]  # read once, however many models are opened at the same time
        return self.dataset.collection(model, self.opened)

    def release(self, model: str) -> None:
        """Let go of the model's clips: whoever goes through many models needs one at a time."""
        self._collections.forget(model)

    @property
    def opened(self) -> tuple[Collection, ...]:
        """The collections that were read so far."""
        return self._collections.made

    def text_encoder(self, model: str) -> TextEncoder:
        """What turns texts into vectors of the model's space."""
        return self.encoders.of(model)

    def wait_until_ready(self, model: str) -> None:
        """Make ready for texts that are asked of the model: the mapper, then the encoders."""
        self.mapper.prepare()
        self.encoders.wait_until_ready(model)

    def mapping(self, text: str, groups: tuple[str, ...]) -> KeywordMapping:
        """What keywords of these groups a text means."""
        return self.mapped.find(text, groups)

    @property
    def mapper(self) -> Mapper:
        """The mapper of the dataset's vocabulary, compiled once."""
        return self.mapped.mapper

    def relearn(self, dataset: Dataset) -> None:
        """Map texts from now on by what a later reading of the dataset says of its phrases.

        The clips, the models and the vocabulary stay those of before.
        """
        self._truth[None]  # what is read now is shared with the dataset of before
        known = self.dataset.with_phrases(
            dataset.synonyms, dataset.never_means, dataset.learned_file
        )
        self.mapped = MappedTexts(known, self._make_mapper)

    def _make_mapper(self, dataset: Dataset) -> Mapper:
        self._truth[None]  # read once, also if a model is opened at the same time
        return dataset.mapper(self.encoder)

    def ask(
        self,
        question: Question,
        measures: Sequence[Measure],
        *,
        k: int,
        depth: int | None = None,
        typed: TypedRelevance | None = None,
    ) -> Inspection:
        """Find the query's keywords, search, judge and score.

        `k` results are listed. `depth` is how deep the ranking goes; None: as deep as `k` and the
        measures need. Clips that were `typed` decide what is relevant in place of the keywords.
        """
        known = self.find_keywords(question)
        collection, queries = known.collection, known.queries
        policies = self._policies(question, collection)
        check_measures(measures, policies)
        reachable = count_reachable_clips(collection, queries, policies)
        depth = choose_ranking_depth(measures, k, reachable, depth, clips=len(collection))
        ranking = self._rank(question, queries, depth)
        if typed is not None:
            typed = _reachable(typed, question, collection, policies)
        scores, judged = assess_query(collection, queries, ranking, measures, policies, typed, k)
        chance = None
        if has_chance_levels(policies):
            chance = compute_query_chance(judged, scores, policies, typed)
        judged = judged.top(depth)  # a ranking goes deeper where it would cut a tie
        has_truth = typed is not None or bool(queries.bits.any())
        evaluation = Evaluation(
            queries=queries,
            scores=scores,
            judged=judged,
            policies=policies,
            depth=depth,
            complete=depth >= reachable,
            chance=chance,
        )
        return Inspection(
            question=question,
            collection=collection,
            selection=known.selection,
            mapping=known.mapping,
            queries=queries,
            judged=judged,
            evaluation=evaluation if has_truth else None,
            unjudged=None if has_truth else evaluation,
            shown=k,
            policies=policies,
            typed=typed,
        )

    def find_keywords(self, question: Question) -> QueryKeywords:
        """What the query means: all of an answer that no model of texts is needed for, so that it
        is known while one still loads."""
        collection = self.collection(question.model)
        selection = select(collection.truth, question.groups, question.left_out)
        mapping = None
        text = question.text
        if text is not None:
            check_text(text)
            mapping = self.mapping(text, selection.groups)
        rows = self._rows(question, collection)
        queries = make_query(question, collection, selection, mapping, rows)
        return QueryKeywords(question, collection, selection, mapping, queries)

    def must_load(self, question: Question) -> bool:
        """Whether the answer has to wait for a text encoder that takes seconds to load."""
        text = question.text
        return text is not None and self.encoders.must_load(question.model, text)

    def ask_whole(
        self,
        question: Question,
        measures: Sequence[Measure],
        k: int,
        typed: TypedRelevance | None = None,
    ) -> Inspection:
        """Ask with the whole ranking, at least `k` deep; with fewer clips, as deep as there are."""
        depth = max(k, self.whole(question.model))
        return self.ask(question, measures, k=k, depth=depth, typed=typed)

    def _policies(self, question: Question, collection: Collection) -> Policies:
        policies = adapt_policies(collection, self.policies)
        if question.min_similarity is not None:
            policies = replace(policies, min_similarity=question.min_similarity)
        if question.relevance is not None:
            policies = replace(policies, relevance=question.relevance)
        if question.one_per is not None:
            policies = replace(policies, one_per=question.one_per)
        return policies

    def whole(self, model: str | None = None) -> int:
        """The depth at which every clip of the model is ranked, or where that is cut."""
        size = len(self.collection(model))
        return size if size <= FULLY_RANKED_CLIPS else LARGE_COLLECTION_DEPTH

    def standing(self, question: Question, model: str) -> ClipRanks:
        """Where every clip stands for the question's query in another model."""
        collection = self.collection(model)
        rows = self._rows(question, collection)
        queries = QuerySet.of(question.mode, collection.truth, [question.query], [()], rows)
        policies = self._policies(question, collection)
        depth = min(self.whole(model), count_reachable_clips(collection, queries, policies))
        ranking = self._rank(replace(question, model=model), queries, depth)
        ranks = np.zeros(len(collection), np.int64)
        ranks[ranking.indices[0]] = np.arange(1, ranking.depth + 1)
        return ClipRanks(model, collection.truth, ranks)

    def _rows(self, question: Question, collection: Collection) -> Ints | None:
        """The row of the query clip; None if none asks."""
        clip, truth = question.clip, collection.truth
        if clip is None:
            return None
        if truth.rows_of([clip])[0] < 0 and self._truth[None].rows_of([clip])[0] >= 0:
            raise _no_vector(collection, clip, "ask another model, or another clip")
        return np.array([truth.row_of(clip)], np.int64)

    def _rank(self, question: Question, queries: QuerySet, depth: int) -> Ranking:
        collection = self.collection(question.model)
        policies = self._policies(question, collection)
        key = (question.model, question.asked, depth, policies.one_per)
        known = self._rankings.get(key)
        if known is None:
            texts = question.text is not None
            text_encoder = self.text_encoder(question.model) if texts else None
            if question.mode in ("joint", "vector"):
                vector = make_query_vector(question, collection, queries.rows, text_encoder)
                queries = replace(queries, vectors=vector[None])
            ((_, known),) = rank_all(
                collection, queries, depth, encoder=text_encoder, policies=policies
            )
            size = known.indices.nbytes + known.scores.nbytes
            self._rankings.put(key, known, max(size, _RANKINGS_BYTES // _RANKINGS_KEPT))
        return known


def select(truth: GroundTruth, groups: Sequence[str], left_out: Sequence[str] = ()) -> Selection:
    """The chosen groups without the keywords that were left out.

    A group all of whose keywords are left out is not chosen.
    """
    dropped = {truth.words.find(name) for name in left_out}
    words = truth.words.of(groups)
    kept = [word for word in words if word not in dropped]
    touched = {word.group for word in dropped}
    remaining = {word.group for word in kept} | {group for group in groups if group not in touched}
    return truth.words.select(
        [group for group in groups if truth.words.group(group) in remaining],
        [word for word in kept if word.group in touched],
    )


def _reachable(
    typed: TypedRelevance, question: Question, collection: Collection, policies: Policies
) -> TypedRelevance:
    """The typed clips that a search of this model can find; without the query clip itself."""
    for clip, row in zip(typed.clips, collection.truth.rows_of(typed.clips), strict=True):
        if row < 0:
            raise _no_vector(collection, clip, "ask another model, or leave this clip out")
    own = question.clip if policies.self_clip == "remove" else None
    if policies.one_per == "source":
        return typed.keep_one_per_source(collection.truth, own)
    return typed if own is None else typed.without(own)


def _no_vector(collection: Collection, clip: str, hint: str) -> InputError:
    name = collection.model.name
    return InputError(
        f'the model {name} has no vector of the clip "{fit_on_line(clip)}"', hint=hint
    )
