"""Options of `tui-eval score`: where rankings and relevance come from, and policies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tui.cli.shared import options as o
from tui.cli.shared.groups import option

if TYPE_CHECKING:
    from engine.metrics.policies import Policies

_ranking = partial(option, panel="Rankings: run files, a score matrix, or embeddings")
_relevance = partial(option, panel="Relevance: judgements, a matrix, or the diagonal")

FileFormat = Literal["auto", "trec", "beir", "json", "jsonl", "parquet", "csv"]


@dataclass(frozen=True)
class RankingOptions:
    """Where rankings come from; `ScoreRequest` has fields of the same names."""

    run: list[Path] | None = _ranking(
        "Run file: TREC, ranx (JSON, parquet), JSON lines or CSV; also .gz. May be given "
        "several times: the runs then stand side by side.",
        short="-r",
    )
    run_format: FileFormat = _ranking("Format of the run files, if it is not seen.", "auto")
    scores: Path | None = _ranking(
        "Matrix of scores, queries × items (.npy); all items are ranked."
    )
    lower_is_better: bool = _ranking("The matrix holds distances.", False)
    query_embeddings: Path | None = _ranking("Vectors of the queries (.npy, .npz, .parquet).")
    item_embeddings: Path | None = _ranking("Vectors of the items; all of them are ranked.")
    metric: str = _ranking("Of the embeddings: cosine, ip or l2.", "cosine")
    query_ids: Path | None = _ranking(
        "Ids of the matrix's rows or the query vectors, one per line. Default: 0, 1, 2 …"
    )
    item_ids: Path | None = _ranking(
        "Ids of the matrix's columns or the item vectors, one per line. Default: 0, 1, 2 …"
    )


@dataclass(frozen=True)
class RelevanceOptions:
    """What is relevant; `ScoreRequest` has fields of the same names."""

    qrels: Path | None = _relevance(
        "Judgements: TREC, BEIR (folder or .tsv), ranx, JSON lines or CSV; also .gz.", short="-q"
    )
    qrels_format: FileFormat = _relevance("Format of the judgements, if it is not seen.", "auto")
    split: str = _relevance("Of a BEIR folder.", "test")
    relevance: Path | None = _relevance("Matrix of grades, queries × items (.npy).")
    diagonal: bool = _relevance(
        "Item i is the one relevant to query i, as in text-video test sets.", False
    )
    collection: int | None = _relevance(
        "N, the number of items that could be found; TN needs it. Default: the items that occur.",
        min=1,
    )


@dataclass(frozen=True)
class ScorePolicyOptions:
    """What is done where definitions differ."""

    ties: o.Ties = o.TIES("insertion")
    no_relevant: o.NoRelevant = o.NO_RELEVANT("skip")
    missing: Literal["zero", "skip", "error"] = o.policy(
        "A judged query that is not in the run: counts 0, left out, or an error.", "zero"
    )
    duplicates: Literal["error", "keep_best"] = o.policy("An item twice in one query.", "error")
    fewer_than_k: o.FewerThanK = o.FEWER_THAN_K("fixed")

    def policies(self) -> Policies:
        from engine.metrics.policies import Policies

        return Policies(
            ties=self.ties,
            no_relevant=self.no_relevant,
            missing=self.missing,
            fewer_than_k=self.fewer_than_k,
            duplicates=self.duplicates,
        )
