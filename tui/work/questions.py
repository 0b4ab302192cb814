"""Single queries: asked, judged and scored in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tui.work.lanes import SETTLE_PATIENCE, FailureHook, LaneGroup, Ticket

if TYPE_CHECKING:
    from engine.base.choices import Mode
    from engine.base.keyword import Keyword
    from engine.dataset.dataset import Dataset
    from engine.dataset.ground_truth import GroundTruth
    from engine.keywords.clip_ranks import ClipRanks
    from engine.keywords.inspection import Inspection, MetricPair
    from engine.keywords.judgement import Judgement
    from engine.keywords.query_keywords import QueryKeywords
    from engine.keywords.question import Question
    from engine.metrics import Measure, Profile
    from engine.sessions import Answer
    from tui.work.bench import Bench
    from tui.work.fitting import QuestionFit

SAVED_RESULTS = 100
"""Results of a ranking that a session keeps."""


class QueryAnswer(NamedTuple):
    """The answer to a question, what was judged about its results, and the numbers of both.

    saved  what of it a session keeps
    """

    inspection: Inspection
    judgements: Mapping[str, Judgement]
    pairs: tuple[MetricPair, ...]
    saved: Answer


def score_answer(
    inspection: Inspection, judgements: Mapping[str, Judgement], language: Profile
) -> QueryAnswer:
    """An answer with the metrics that follow from the judgements."""
    from engine.keywords.inspection import pair_metrics
    from engine.sessions.build_answer import build_answer

    pairs = pair_metrics(inspection, judgements)
    inspection.absences  # noqa: B018 (found here, not when a screen asks for it)
    saved = build_answer(inspection, SAVED_RESULTS, pairs, language)
    return QueryAnswer(inspection, judgements, pairs, saved)


class QuestionService:
    """Asks about one query at a time; a newer question replaces the one that is asked."""

    def __init__(
        self, bench: Bench, lanes: LaneGroup, metrics: tuple[str, ...] | None = None
    ) -> None:
        """`metrics`: those that a command asked for; None: the inspector's own."""
        self._bench = bench
        self._metrics = metrics
        self._deliver = lanes.deliver
        self._asking = lanes.per_mode("ask")
        self._standing = lanes.per_mode("standing")
        self._scoring = lanes.lane("score")

    @property
    def pending(self) -> bool:
        """Whether a question still waits for its answer."""
        return any(lane.busy for lane in self._asking.values())

    @property
    def scoring(self) -> bool:
        return self._scoring.busy

    def ask(
        self,
        question: Question,
        judgements: Mapping[str, Judgement],
        done: Callable[[QueryAnswer], None],
        failed: FailureHook,
        waits: Callable[[QueryKeywords], None],
        *,
        unpins: bool = False,
    ) -> None:
        """Ask; `judgements` are those of the query's clips. `waits` is told what the query means
        if the answer has to wait for an encoder to load. `unpins`: keywords that were edited or
        given are not kept as such if they turn out to be what would be found anyway."""

        def work(ticket: Ticket[QueryAnswer]) -> QueryAnswer:
            bench, dataset = self._bench, self._bench.dataset
            bench.model(question.model)
            meant = self.resolve_item(question, dataset.truth)
            measures = choose_inspector_measures(dataset, self._metrics)
            if bench.work.must_load(meant):
                known = bench.work.find_keywords(meant)
                self._deliver(lambda: None if ticket.cancelled else waits(known))
                bench.wait_for_encoder(meant.model, ticket)
            found = bench.work.ask_whole(meant, measures, max(dataset.ks))
            found = _unpin(found) if unpins else found
            return score_answer(found, judgements, bench.language)

        self.cancel()
        self._asking[_choose_lane(question)].submit(work, done, failed)

    def cancel(self) -> None:
        """What is asked is no longer waited for."""
        for lane in (*self._asking.values(), *self._standing.values()):
            lane.cancel()

    def score(
        self,
        inspection: Inspection,
        judgements: Mapping[str, Judgement],
        done: Callable[[QueryAnswer], None],
        failed: FailureHook,
    ) -> None:
        """The numbers of an answer that is judged again."""
        self._scoring.submit(
            lambda _: score_answer(inspection, judgements, self._bench.language), done, failed
        )

    def settle(self, patience: float = SETTLE_PATIENCE) -> None:
        """Wait until what is judged is scored, for so many seconds at most."""
        self._scoring.settle(patience)

    def standing(
        self, question: Question, model: str, done: Callable[[ClipRanks], None], failed: FailureHook
    ) -> None:
        """Where every clip stands for the same query in another model."""

        def work(ticket: Ticket[ClipRanks]) -> ClipRanks:
            bench = self._bench
            if bench.work.must_load(replace(question, model=model)):
                bench.wait_for_encoder(model, ticket)
            return bench.work.standing(question, model)

        self._standing[_choose_lane(question)].submit(work, done, failed)

    def resolve_item(self, question: Question, truth: GroundTruth) -> Question:
        """The question about the item that was meant: one may type its id, or its row."""
        if question.mode != "video" or not question.query or not self._bench.dataset.has_labels:
            return question
        from engine.labels.data.labelled_items import find_item

        rows = self._bench.dataset.file_rows
        return replace(question, query=find_item(question.query, truth, rows))

    def fit(self, question: Question) -> QuestionFit:
        """The question without what the annotations, once they are read, do not know."""
        from tui.work.fitting import fit_question

        # Those of all models: a clip that only this model lacks is for the engine to report.
        return fit_question(question, self._bench.dataset.truth)


def _choose_lane(question: Question) -> Mode:
    """Whatever has no text must not wait behind texts, nor behind their encoder."""
    return "video" if question.text is None else "text"


def choose_inspector_measures(
    dataset: Dataset, metrics: tuple[str, ...] | None = None
) -> tuple[Measure, ...]:
    """What the inspector computes for one query: the metrics that are asked for, or those of the
    dataset's profile and of the whole ranking."""
    from engine.metrics import find_profile, parse_measures

    language = find_profile(dataset.profile)
    if metrics is not None:
        return parse_measures(metrics, language)
    return (*language.measures(dataset.ks), *parse_measures(("AP", "RR", "nDCG"), language))


def find_original_keywords(known: QueryKeywords) -> tuple[Keyword, ...]:
    """The keywords of the selection before any was dropped or added."""
    words = known.collection.truth.words
    own = map(words.find, list_own_keywords(known))
    return tuple(keyword for keyword in own if keyword in known.selection)


def list_own_keywords(known: QueryKeywords) -> tuple[str, ...]:
    """What the query means if nothing is edited, of whatever groups: what the query set says of
    it, else what a text is mapped to, the keywords of a clip, or what both together mean."""
    given = known.question.given
    return _find_own(known) if given is None else given


def _find_own(known: QueryKeywords) -> tuple[str, ...]:
    from engine.keywords.query_keywords import list_meant_keywords

    meant = list_meant_keywords(known.collection.truth, known.mapping, known.queries.rows)
    return tuple(map(str, meant))


def _unpin(inspection: Inspection) -> Inspection:
    """The answer to the question without keywords that say nothing new."""
    question = inspection.question
    if question.given is not None and _means_same(question.given, inspection):
        question = replace(question, given=None)
    if question.keywords is not None and _means_same(question.keywords, inspection):
        question = replace(question, keywords=None)
    return replace(inspection, question=question)


def _means_same(names: tuple[str, ...], known: QueryKeywords) -> bool:
    """Whether these are the keywords that would be found; of groups that do not count it is enough
    that none would be new."""
    words, own = known.collection.truth.words, {*_find_own(known)}

    def counted(all_names: Iterable[str]) -> set[str]:
        return {name for name in all_names if words.find(name) in known.selection}

    return counted(names) == counted(own) and {*names} <= own
