"""`tui-eval score`: score run files, score matrices or embeddings against judgements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError
from tui.cli.score import options as s
from tui.cli.shared import options as o
from tui.cli.shared import run_options as r
from tui.cli.shared.confusion import counted_too
from tui.cli.shared.console import (
    as_text,
    check_writable,
    choose_format,
    emit,
    say,
    show,
    telling_what_takes_long,
)
from tui.look.safe import safe
from tui.look.words import counted
from tui.opening.arguments import parse_ks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from engine.rankings.request import ScoredRun, ScoreRequest

DIGITS = 4
"""As many as trec_eval prints."""


def score(
    run: s.RunOption = None,
    qrels: s.QrelsOption = None,
    profile: o.ProfileOption = "ir",
    metrics: o.MetricsOption = None,
    confusion: o.ConfusionOption = False,
    k: o.KOption = "5,10",
    format: s.ScoreFormatOption = None,
    json: o.JsonOption = False,
    out: r.OutOption = None,
    per_query: r.PerQueryOption = None,
    run_format: s.RunFormatOption = "auto",
    scores: s.ScoresOption = None,
    lower_is_better: s.LowerIsBetterOption = False,
    query_embeddings: s.QueryEmbeddingsOption = None,
    item_embeddings: s.ItemEmbeddingsOption = None,
    metric: s.MetricOption = "cosine",
    query_ids: s.QueryIdsOption = None,
    item_ids: s.ItemIdsOption = None,
    qrels_format: s.QrelsFormatOption = "auto",
    split: s.SplitOption = "test",
    relevance: s.RelevanceOption = None,
    diagonal: s.DiagonalOption = False,
    collection: s.CollectionOption = None,
    ties: s.TiesOption = "insertion",
    no_relevant: s.NoRelevantOption = "skip",
    missing: s.MissingOption = "zero",
    duplicates: s.DuplicatesOption = "error",
    fewer_than_k: r.FewerThanKOption = "fixed",
) -> None:
    """Score rankings that you have: run files, a matrix of scores, or embeddings.

    [bold]Examples[/bold]

    tui-eval score --qrels qrels.txt --run bm25.run

    tui-eval score --qrels beir/scifact --run bm25.run --run dense.json

    tui-eval score --qrels qrels.txt --run bm25.run --ties docid_desc --metrics "P@10,AP,nDCG@10"

    tui-eval score --scores similarity.npy --diagonal --profile video --k 1,5,10

    tui-eval score --query-embeddings text.npy --item-embeddings video.npy --diagonal
    """
    from engine.base.similarity import parse_metric
    from engine.metrics.policies import Policies
    from engine.rankings.request import ScoreRequest, score_all

    shape = choose_format(format, json, out, s.FORMATS)
    ks = parse_ks(k)
    request = ScoreRequest(
        runs=tuple(run or ()),
        run_format=None if run_format == "auto" else run_format,
        scores=scores,
        lower_is_better=lower_is_better,
        query_embeddings=query_embeddings,
        item_embeddings=item_embeddings,
        metric=parse_metric(metric),
        query_ids=query_ids,
        item_ids=item_ids,
        qrels=qrels,
        qrels_format=None if qrels_format == "auto" else qrels_format,
        split=split,
        relevance=relevance,
        diagonal=diagonal,
        collection=collection,
        profile=profile,
        metrics=o.split_metrics(metrics) if not confusion else counted_too(metrics, profile, ks),
        ks=ks,
        policies=Policies(
            ties=ties,
            no_relevant=no_relevant,
            missing=missing,
            fewer_than_k=fewer_than_k,
            duplicates=duplicates,
        ),
    )
    _check_outputs(out, per_query, request)
    with telling_what_takes_long("reading and scoring …"):
        runs = score_all(request)
    if per_query is not None:
        _write_per_query(runs[0], per_query)
    _print(runs, shape, out)


def _check_outputs(out: Path | None, per_query: Path | None, request: ScoreRequest) -> None:
    """Refuse, before any work, to write where it cannot be written or something else lies."""
    from engine.report.per_query.write import check_per_query_path

    check_writable(out, *request.files, per_query)
    check_writable(per_query, *request.files)
    if per_query is None:
        return
    check_per_query_path(per_query)
    if len(request.runs) > 1:
        raise InputError("--per-query takes one run", hint="score the runs one by one")


def _write_per_query(run: ScoredRun, path: Path) -> None:
    from engine.report.per_query.write import write_per_query

    write_per_query(run.scored.results(run.name, run.language), path)
    say(f"wrote {path}")


def _print(runs: Sequence[ScoredRun], shape: s.ScoreFormat, out: Path | None) -> None:
    from engine.report.rankings.document import scores_csv, scores_json, scores_table
    from engine.report.tables.tabular import as_latex, as_markdown

    if shape == "json":
        emit(scores_json(runs), out)
    elif shape == "csv":
        emit(scores_csv(runs), out)
    elif shape == "markdown":
        emit(as_markdown(scores_table(runs)), out)
    elif shape == "latex":
        emit(as_latex(scores_table(runs)), out)
    elif out is not None:
        emit(as_text(*score_table(runs)), out)
    else:
        show(*score_table(runs))


def score_table(runs: Sequence[ScoredRun]) -> list[RenderableType]:
    """Scored runs for the eye: what was scored, the numbers with id and formula, the notes."""
    from rich.text import Text

    from engine.report.rankings.document import all_notes, score_rows, scores_list, scores_table
    from tui.cli.shared.confusion import confusion_views
    from tui.cli.shared.metric_table import FirstThatFits, metric_table, note_lines

    scored = runs[0].scored
    head = Text(safe(", ".join(run.name for run in runs)), style="bold")
    head.append(f"  {counted(scored.counts.judged, 'judged query')}", style="not bold")
    if len(runs) > 1:
        return [head, FirstThatFits(scores_table(runs), scores_list(runs))]
    head.append(f" · {counted(scored.collection, 'item')}", style="not bold")
    table = metric_table([("ranked", score_rows(runs[0]))], DIGITS)
    pictures = confusion_views(score_rows(runs[0]))
    gap = [Text("")] if pictures else []
    return [head, table, *pictures, *gap, *note_lines(all_notes(runs))]
