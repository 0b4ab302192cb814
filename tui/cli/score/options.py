"""Options of `tui-eval score`: where rankings and relevance come from, and policies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tui.cli.shared import options as o

if TYPE_CHECKING:
    from engine.rankings.score import ScorePolicies

_ranking = partial(
    typer.Option, rich_help_panel="Rankings: run files, a score matrix, or embeddings"
)
_relevance = partial(
    typer.Option, rich_help_panel="Relevance: judgements, a matrix, or the diagonal"
)

FileFormat = Literal["auto", "trec", "beir", "json", "jsonl", "parquet", "csv"]


@dataclass(frozen=True)
class RankingOptions:
    """Where rankings come from; `ScoreRequest` has fields of the same names."""

    run: Annotated[
        list[Path] | None,
        _ranking(
            "--run",
            "-r",
            help="Run file: TREC, ranx (JSON, parquet), JSON lines or CSV; also .gz. May be given "
            "several times: the runs then stand side by side.",
        ),
    ] = None
    run_format: Annotated[
        FileFormat,
        _ranking("--run-format", help="Format of the run files, if it is not seen."),
    ] = "auto"
    scores: Annotated[
        Path | None,
        _ranking(
            "--scores", help="Matrix of scores, queries × items (.npy); all items are ranked."
        ),
    ] = None
    lower_is_better: Annotated[
        bool, _ranking("--lower-is-better", help="The matrix holds distances.")
    ] = False
    query_embeddings: Annotated[
        Path | None,
        _ranking("--query-embeddings", help="Vectors of the queries (.npy, .npz, .parquet)."),
    ] = None
    item_embeddings: Annotated[
        Path | None,
        _ranking("--item-embeddings", help="Vectors of the items; all of them are ranked."),
    ] = None
    metric: Annotated[str, _ranking("--metric", help="Of the embeddings: cosine, ip or l2.")] = (
        "cosine"
    )
    query_ids: Annotated[
        Path | None,
        _ranking(
            "--query-ids",
            help="Ids of the matrix's rows or the query vectors, one per line. Default: 0, 1, 2 …",
        ),
    ] = None
    item_ids: Annotated[
        Path | None,
        _ranking(
            "--item-ids",
            help="Ids of the matrix's columns or the item vectors, one per line. Default: 0, 1, 2 "
            "…",
        ),
    ] = None


@dataclass(frozen=True)
class RelevanceOptions:
    """What is relevant; `ScoreRequest` has fields of the same names."""

    qrels: Annotated[
        Path | None,
        _relevance(
            "--qrels",
            "-q",
            help="Judgements: TREC, BEIR (folder or .tsv), ranx, JSON lines or CSV; also .gz.",
        ),
    ] = None
    qrels_format: Annotated[
        FileFormat,
        _relevance("--qrels-format", help="Format of the judgements, if it is not seen."),
    ] = "auto"
    split: Annotated[str, _relevance("--split", help="Of a BEIR folder.")] = "test"
    relevance: Annotated[
        Path | None, _relevance("--relevance", help="Matrix of grades, queries × items (.npy).")
    ] = None
    diagonal: Annotated[
        bool,
        _relevance(
            "--diagonal", help="Item i is the one relevant to query i, as in text-video test sets."
        ),
    ] = False
    collection: Annotated[
        int | None,
        _relevance(
            "--collection",
            min=1,
            help="N, the number of items that could be found; TN needs it. Default: the items that "
            "occur.",
        ),
    ] = None


@dataclass(frozen=True)
class ScorePolicyOptions:
    """What is done where definitions differ."""

    ties: o.TiesOption = "insertion"
    no_relevant: o.NoRelevantOption = "skip"
    missing: Annotated[
        Literal["zero", "skip", "error"],
        o.policy(
            "--missing",
            help="A judged query that is not in the run: counts 0, left out, or an error.",
        ),
    ] = "zero"
    duplicates: Annotated[
        Literal["error", "keep_best"],
        o.policy("--duplicates", help="An item twice in one query."),
    ] = "error"
    fewer_than_k: o.FewerThanKOption = "fixed"

    def policies(self) -> ScorePolicies:
        from engine.rankings.score import ScorePolicies

        return ScorePolicies(
            self.ties, self.no_relevant, self.missing, self.fewer_than_k, self.duplicates
        )
