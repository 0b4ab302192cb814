"""`tui-eval score`: score run files, score matrices or embeddings against judgements."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine.base.choices import (
    Duplicates,
    MissingQueryPolicy,
    NoRelevantPolicy,
    ShortListPolicy,
    TiePolicy,
)
from engine.base.errors import InputError
from engine.base.messages import pluralise
from tui.cli.shared import options as o
from tui.cli.shared.console import show_spinner
from tui.cli.shared.groups import option, takes_groups
from tui.cli.shared.output import PaperOutput, QueryOutput
from tui.opening.option_text import parse_ks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from engine.metrics.policies import Policies
    from engine.rankings.request import NamedRunScores


_RANKINGS = "Rankings: run files, a score matrix, or embeddings"
_ranking = partial(option, panel=_RANKINGS)
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
    run_format: FileFormat = _ranking(
        "Format of the run files: auto (recognised), trec, beir, json, jsonl, parquet or csv.",
        "auto",
        metavar="FORMAT",
    )
    scores: Path | None = _ranking(
        "Matrix of scores, queries × items (.npy); all items are ranked."
    )
    lower_is_better: bool = _ranking("The matrix holds distances.", False)
    query_embeddings: Path | None = _ranking("Vectors of the queries (.npy, .npz, .parquet).")
    item_embeddings: Path | None = _ranking("Vectors of the items; all of them are ranked.")
    metric: str = o.METRIC("Similarity of the embeddings.", "cosine", panel=_RANKINGS)
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
        "Judgements: TREC, BEIR (folder or .tsv), ranx, JSON lines or CSV; also .gz."
    )
    qrels_format: FileFormat = _relevance(
        "Format of the judgements; the same names.", "auto", metavar="FORMAT"
    )
    split: str = _relevance("Which split of a BEIR folder.", "test", metavar="NAME")
    relevance: Path | None = _relevance("Matrix of grades, queries × items (.npy).")
    diagonal: bool = _relevance(
        "Item i is the one relevant to query i, as in text-video test sets.", False
    )
    collection: int | None = _relevance(
        "How many items could be found at all, which TN needs. Default: the items that occur.",
        min=1,
    )


@dataclass(frozen=True)
class ScorePolicyOptions:
    """What is done where definitions differ."""

    ties: TiePolicy = o.TIES("insertion")
    no_relevant: NoRelevantPolicy = o.NO_RELEVANT("skip")
    missing: MissingQueryPolicy = o.policy(
        "A judged query that is not in the run: count it as 0, leave it out, or stop.", "zero"
    )
    duplicates: Duplicates = o.policy("An item that is listed twice for one query.", "error")
    fewer_than_k: ShortListPolicy = o.FEWER_THAN_K("fixed")

    def policies(self) -> Policies:
        from engine.metrics.policies import Policies

        return Policies(**vars(self))


DIGITS = 4
"""As many as trec_eval prints."""


@dataclass(frozen=True)
class ScoreOutput(PaperOutput, QueryOutput):
    """What is written of the scores."""


@takes_groups
def score(
    *,
    profile: str = o.PROFILE("ir"),
    metrics: str | None = o.metrics("the profile's."),
    confusion: bool = o.CONFUSION(False),
    k: str = o.K("5,10"),
    output: ScoreOutput,
    ranked: RankingOptions,
    judged: RelevanceOptions,
    policies: ScorePolicyOptions,
) -> None:
    """Score rankings that you have: run files, a matrix of scores, or embeddings.

    Examples:
    tui-eval score --qrels qrels.txt --run bm25.run
    tui-eval score --qrels beir/scifact --run bm25.run --run dense.json
    tui-eval score --qrels qrels.txt --run bm25.run --metrics "P@10,AP,nDCG@10"
    tui-eval score --qrels qrels.txt --run bm25.run --ties docid_desc
    tui-eval score --scores similarity.npy --diagonal --profile video --k 1,5,10
    tui-eval score --query-embeddings t.npy --item-embeddings v.npy --diagonal
    """
    from engine.base.similarity import parse_similarity
    from engine.rankings.request import ScoreRequest, score_all

    ks = parse_ks(k)
    request = ScoreRequest(
        **_common(ranked),
        **_common(judged),
        runs=tuple(ranked.run or ()),
        metric=parse_similarity(ranked.metric),
        profile=profile,
        metrics=o.split_metrics(metrics)
        if not confusion
        else o.add_confusion_metrics(metrics, profile, ks),
        ks=ks,
        policies=policies.policies(),
    )
    output.check()
    if output.per_query is not None and len(request.runs) > 1:
        raise InputError("--per-query takes one run", hint="score the runs one by one")
    with show_spinner("reading and scoring …"):
        runs = score_all(request)
    _write(runs, output)


def _common(given: RankingOptions | RelevanceOptions) -> dict[str, Any]:
    """The fields that `ScoreRequest` has as they are; `auto` is none."""
    values = {name: None if value == "auto" else value for name, value in vars(given).items()}
    return {name: value for name, value in values.items() if name not in ("run", "metric")}


def _write(runs: Sequence[NamedRunScores], output: ScoreOutput) -> None:
    from engine.report.per_query.write import write_per_query
    from engine.report.rankings.document import (
        build_scores_table,
        format_scores_csv,
        format_scores_json,
        merge_notes,
    )
    from engine.report.tables.report_table import as_latex, as_markdown

    first = runs[0]
    output.write_per_query(
        lambda path: write_per_query(first.scored.results(first.name, first.language), path)
    )
    output.write(
        {
            "table": lambda: build_score_table(runs),
            "json": lambda: format_scores_json(runs),
            "csv": lambda: format_scores_csv(runs),
            "markdown": lambda: as_markdown(build_scores_table(runs)),
            "latex": lambda: as_latex(build_scores_table(runs)),
        },
        notes=merge_notes(runs),
    )


def build_score_table(runs: Sequence[NamedRunScores]) -> list[RenderableType]:
    """Scored runs for the eye: what was scored, the numbers with id and formula, the notes."""
    from engine.report.rankings.document import (
        build_scores_list,
        build_scores_table,
        collect_score_rows,
        merge_notes,
    )
    from tui.cli.shared.metric_table import FirstThatFits, build_headline, build_scores_view

    scored = runs[0].scored
    judged = pluralise(scored.counts.judged, "judged query")
    head = build_headline(", ".join(run.name for run in runs), f"  {judged}")
    if len(runs) > 1:
        return [head, FirstThatFits(build_scores_table(runs), build_scores_list(runs))]
    head.append(f" · {pluralise(scored.collection, 'item')}")
    columns = [("ranked", collect_score_rows(runs[0]))]
    return build_scores_view(head, columns, merge_notes(runs), digits=DIGITS)
