"""`tui-eval score`: score run files, score matrices or embeddings against judgements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError
from tui.cli.score.options import RankingOptions, RelevanceOptions, ScorePolicyOptions
from tui.cli.shared import options as o
from tui.cli.shared.confusion import counted_too
from tui.cli.shared.console import say, telling_what_takes_long
from tui.cli.shared.groups import takes_groups
from tui.cli.shared.output import PER_QUERY, PaperOutput
from tui.look.safe import escape
from tui.look.score_text import pluralise
from tui.opening.arguments import parse_ks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from engine.rankings.request import NamedRunScores

DIGITS = 4
"""As many as trec_eval prints."""


@takes_groups
def score(
    *,
    profile: str = o.PROFILE("ir"),
    metrics: str | None = o.metrics("the profile's."),
    confusion: bool = o.CONFUSION(False),
    k: str = o.K("5,10"),
    output: PaperOutput,
    per_query: Path | None = PER_QUERY(),
    ranked: RankingOptions,
    judged: RelevanceOptions,
    policies: ScorePolicyOptions,
) -> None:
    """Score rankings that you have: run files, a matrix of scores, or embeddings.

    [bold]Examples[/bold]

    tui-eval score --qrels qrels.txt --run bm25.run

    tui-eval score --qrels beir/scifact --run bm25.run --run dense.json

    tui-eval score --qrels qrels.txt --run bm25.run --ties docid_desc --metrics "P@10,AP,nDCG@10"

    tui-eval score --scores similarity.npy --diagonal --profile video --k 1,5,10

    tui-eval score --query-embeddings text.npy --item-embeddings video.npy --diagonal
    """
    from engine.base.similarity import parse_similarity
    from engine.rankings.request import ScoreRequest, score_all

    ks = parse_ks(k)
    request = ScoreRequest(
        runs=tuple(ranked.run or ()),
        run_format=None if ranked.run_format == "auto" else ranked.run_format,
        scores=ranked.scores,
        lower_is_better=ranked.lower_is_better,
        query_embeddings=ranked.query_embeddings,
        item_embeddings=ranked.item_embeddings,
        metric=parse_similarity(ranked.metric),
        query_ids=ranked.query_ids,
        item_ids=ranked.item_ids,
        qrels=judged.qrels,
        qrels_format=None if judged.qrels_format == "auto" else judged.qrels_format,
        split=judged.split,
        relevance=judged.relevance,
        diagonal=judged.diagonal,
        collection=judged.collection,
        profile=profile,
        metrics=o.split_metrics(metrics) if not confusion else counted_too(metrics, profile, ks),
        ks=ks,
        policies=policies.policies(),
    )
    output.check(request.files, per_query=per_query)
    if per_query is not None and len(request.runs) > 1:
        raise InputError("--per-query takes one run", hint="score the runs one by one")
    with telling_what_takes_long("reading and scoring …"):
        runs = score_all(request)
    if per_query is not None:
        _write_per_query(runs[0], per_query)
    _write(runs, output)


def _write_per_query(run: NamedRunScores, path: Path) -> None:
    from engine.report.per_query.write import write_per_query

    write_per_query(run.scored.results(run.name, run.language), path)
    say(f"wrote {path}")


def _write(runs: Sequence[NamedRunScores], output: PaperOutput) -> None:
    from engine.report.rankings.document import build_scores_table, format_scores_csv, scores_json
    from engine.report.tables.report_table import as_latex, as_markdown

    output.write(
        {
            "table": lambda: score_table(runs),
            "json": lambda: scores_json(runs),
            "csv": lambda: format_scores_csv(runs),
            "markdown": lambda: as_markdown(build_scores_table(runs)),
            "latex": lambda: as_latex(build_scores_table(runs)),
        }
    )


def score_table(runs: Sequence[NamedRunScores]) -> list[RenderableType]:
    """Scored runs for the eye: what was scored, the numbers with id and formula, the notes."""
    from rich.text import Text

    from engine.report.rankings.document import (
        build_scores_list,
        build_scores_table,
        collect_score_rows,
        merge_notes,
    )
    from tui.cli.shared.confusion import confusion_views
    from tui.cli.shared.metric_table import FirstThatFits, metric_table, note_lines

    scored = runs[0].scored
    head = Text(escape(", ".join(run.name for run in runs)), style="bold")
    head.append(f"  {pluralise(scored.counts.judged, 'judged query')}", style="not bold")
    if len(runs) > 1:
        return [head, FirstThatFits(build_scores_table(runs), build_scores_list(runs))]
    head.append(f" · {pluralise(scored.collection, 'item')}", style="not bold")
    table = metric_table([("ranked", collect_score_rows(runs[0]))], DIGITS)
    pictures = confusion_views(collect_score_rows(runs[0]))
    gap = [Text("")] if pictures else []
    return [head, table, *pictures, *gap, *note_lines(merge_notes(runs))]
