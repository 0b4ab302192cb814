"""A request to score rankings, in plain values, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.base.errors import InputError
from engine.base.similarity import Similarity
from engine.files.input_file import InputFile, reading_inputs
from engine.files.reading import is_folder
from engine.metrics import Measure, Profile, find_profile, parse_measures
from engine.metrics.policies import RANKING_POLICIES, Policies
from engine.rankings.formats.csv_table import find_qrels_file, read_query_texts
from engine.rankings.formats.registry import RankingFormat, read_qrels, read_run
from engine.rankings.formats.run_and_qrels import Qrels, RunFile
from engine.rankings.matrix_files import (
    make_diagonal_qrels,
    open_embeddings,
    open_relevance,
    open_scores,
)
from engine.rankings.run_scores import RunScores
from engine.rankings.score import Ranker, score_run


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """What to score against what; the defaults are those of the command line.

    Rankings come from `runs`, from `scores`, or from two files of embeddings; what is relevant
    from `qrels`, from `relevance`, or from the `diagonal`.
    """

    runs: tuple[Path, ...] = ()
    run_format: RankingFormat | None = None
    scores: Path | None = None
    lower_is_better: bool = False
    query_embeddings: Path | None = None
    item_embeddings: Path | None = None
    metric: Similarity = "cosine"
    query_ids: Path | None = None
    item_ids: Path | None = None
    qrels: Path | None = None
    qrels_format: RankingFormat | None = None
    split: str = "test"
    relevance: Path | None = None
    diagonal: bool = False
    collection: int | None = None
    profile: str = "ir"
    metrics: tuple[str, ...] | None = None
    ks: tuple[int, ...] = (5, 10)
    policies: Policies = RANKING_POLICIES

    def __post_init__(self) -> None:
        embeddings = self.query_embeddings is not None, self.item_embeddings is not None
        if any(embeddings) and not all(embeddings):
            other = "--item-embeddings" if embeddings[0] else "--query-embeddings"
            raise InputError(f"{other} is missing", hint="embeddings come in two files")
        _exactly_one(
            "rankings",
            {
                "--run": bool(self.runs),
                "--scores": self.scores is not None,
                "--query-embeddings": any(embeddings),
            },
        )
        _exactly_one(
            "relevance",
            {
                "--qrels": self.qrels is not None,
                "--relevance": self.relevance is not None,
                "--diagonal": self.diagonal,
            },
        )
        if self.runs and self.qrels is None:
            raise InputError("run files need --qrels", hint="name the file of judgements")
        if self.lower_is_better and self.scores is None:
            raise InputError("--lower-is-better belongs to --scores")
        if self.runs and (self.query_ids or self.item_ids):
            raise InputError("run files have ids of their own", hint="leave out --query-ids")

    @property
    def inputs(self) -> dict[str, Path]:
        """The files beside the runs, by their role."""
        named = {
            "qrels": self._qrels_file,
            "relevance": self.relevance,
            "scores": self.scores,
            "query_embeddings": self.query_embeddings,
            "item_embeddings": self.item_embeddings,
            "query_ids": self.query_ids,
            "item_ids": self.item_ids,
        }
        return {role: path for role, path in named.items() if path is not None}

    @property
    def _qrels_file(self) -> Path | None:
        is_beir = self.qrels_format in (None, "beir")
        if self.qrels is None or not is_beir or not is_folder(self.qrels):
            return self.qrels
        return find_qrels_file(self.qrels, self.split)

    @property
    def language(self) -> Profile:
        return find_profile(self.profile)

    @property
    def measures(self) -> tuple[Measure, ...]:
        if self.metrics:
            return parse_measures(self.metrics, self.language)
        return self.language.measures(self.ks)


def _exactly_one(what: str, given: Mapping[str, bool]) -> None:
    named = [option for option, is_given in given.items() if is_given]
    if len(named) == 1:
        return
    choice = f"give one of {', '.join(given)}"
    if not named:
        raise InputError(f"no {what}", hint=choice)
    raise InputError(f"{what} from {' and '.join(named)}", hint=choice)


@dataclass(frozen=True, slots=True, eq=False)
class NamedRunScores:
    """A scored run with its name, the language of its numbers, its files, and the
    texts of its queries as far as they are known."""

    name: str
    scored: RunScores
    language: Profile
    ks: tuple[int, ...]
    inputs: Mapping[str, InputFile]
    texts: Mapping[str, str] = field(default_factory=dict)


def score_all(request: ScoreRequest) -> tuple[NamedRunScores, ...]:
    """Score every run of the request; judgements are read once."""
    measures = request.measures
    roles = request.inputs
    if not request.runs:
        with reading_inputs(*roles.values()) as files:
            rankings = _open_rankings(request)
            qrels = _relevance(request, rankings)
        scored = _score(request, qrels, rankings, measures)
        name, inputs = _source_name(request), files.named(roles)
        return (
            NamedRunScores(name, scored, request.language, request.ks, inputs, _texts(request)),
        )
    with reading_inputs(*roles.values()) as beside:
        qrels, texts = _qrels(request), _texts(request)
    found = []
    for path, name in zip(request.runs, name_runs(request.runs), strict=True):
        with reading_inputs(path) as own:
            run = read_run(path, request.run_format, duplicates=request.policies.duplicates)
        try:
            scored = _score(request, qrels, run, measures)
        except InputError as error:
            raise error.at(path) from error
        inputs = (beside | own).named({**roles, "run": path})
        found.append(NamedRunScores(name, scored, request.language, request.ks, inputs, texts))
    return tuple(found)


def _score(
    request: ScoreRequest, qrels: Qrels, run: RunFile | Ranker, measures: tuple[Measure, ...]
) -> RunScores:
    return score_run(
        qrels,
        run,
        measures,
        request.policies,
        k=max(request.ks),
        collection=request.collection,
    )


def _qrels(request: ScoreRequest) -> Qrels:
    if request.qrels is None:
        raise ValueError("the request has no qrels")
    return read_qrels(
        request.qrels,
        request.qrels_format,
        split=request.split,
        duplicates=request.policies.duplicates,
    )


def _texts(request: ScoreRequest) -> dict[str, str]:
    """What the queries say, if the judgements are a BEIR folder that knows it."""
    return read_query_texts(request.qrels) if request.qrels and is_folder(request.qrels) else {}


def _relevance(request: ScoreRequest, rankings: Ranker) -> Qrels:
    if request.diagonal:
        return make_diagonal_qrels(rankings.queries, rankings.items)
    if request.relevance is not None:
        return open_relevance(request.relevance, rankings.queries, rankings.items)
    return _qrels(request)


def _open_rankings(request: ScoreRequest) -> Ranker:
    if request.scores is not None:
        return open_scores(
            request.scores,
            query_ids=request.query_ids,
            item_ids=request.item_ids,
            lower_is_better=request.lower_is_better,
        )
    if request.query_embeddings is None or request.item_embeddings is None:
        raise ValueError("the request has no rankings")
    return open_embeddings(
        request.query_embeddings,
        request.item_embeddings,
        request.metric,
        query_ids=request.query_ids,
        item_ids=request.item_ids,
    )


def _source_name(request: ScoreRequest) -> str:
    if request.scores is not None:
        return request.scores.stem
    return " × ".join(p.stem for p in (request.query_embeddings, request.item_embeddings) if p)


def name_runs(paths: tuple[Path, ...]) -> list[str]:
    """Short names: the files' names without suffix, or whole paths where two would be the same.

    >>> name_runs((Path("a/bm25.run.gz"), Path("a/dense.json")))
    ['bm25', 'dense']
    """
    plain = [path.with_suffix("") if path.suffix.lower() == ".gz" else path for path in paths]
    short = [path.stem for path in plain]
    return short if len(set(short)) == len(short) else [str(path) for path in paths]
