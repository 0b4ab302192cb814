"""`tui-eval run`: evaluate a query set and print every number with its formula."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError
from engine.base.json_text import as_json
from tui.cli.shared import options as o
from tui.cli.shared import run_options as r
from tui.cli.shared.confusion import counted_too
from tui.cli.shared.console import (
    FORMATS,
    Format,
    as_text,
    check_writable,
    choose_format,
    emit,
    progress_bars,
    say,
    show,
    tell_that_the_encoder_starts,
)
from tui.cli.shared.dataset_options import DatasetArgument, takes_a_dataset
from tui.look.safe import safe
from tui.look.words import counted
from tui.opening.arguments import parse_ks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from engine.dataset.dataset import Dataset
    from engine.keywords.run import Run


@takes_a_dataset
def run(
    opened: Dataset,
    dataset: DatasetArgument = None,
    mode: r.ModeOption = "both",
    model: o.ModelOption = None,
    groups: o.GroupsOption = None,
    keywords: o.KeywordsOption = None,
    k: o.KOption = "1,3,5",
    profile: o.ProfileOption = "alfa",
    metrics: o.MetricsOption = None,
    confusion: o.ConfusionOption = False,
    min_similarity: o.MinSimilarityOption = None,
    format: r.FormatOption = None,
    json: o.JsonOption = False,
    out: r.OutOption = None,
    per_query: r.PerQueryOption = None,
    export_trec: r.ExportTrecOption = None,
    queries: r.QueriesOption = None,
    videos: r.VideosOption = None,
    sample: r.SampleOption = None,
    seed: r.SeedOption = 0,
    limit: r.LimitOption = None,
    ties: r.TiesOption = "insertion",
    no_relevant: r.NoRelevantOption = "skip",
    no_keyword: r.NoKeywordOption = "skip",
    fewer_than_k: r.FewerThanKOption = "fixed",
    self_clip: r.SelfClipOption = "remove",
    depth: r.DepthOption = None,
) -> None:
    """Evaluate a query set: text-to-video, video-to-video, or both.

    [bold]Examples[/bold]

    tui-eval run

    tui-eval run path/to/dataset --queries combinations

    tui-eval run --mode video --groups scene_type --k 1,5,10

    tui-eval run --model alfa-0.2 --out run.json --per-query queries.csv

    tui-eval run --profile ir --metrics "P@5,AP,nDCG@10,MedR" --confusion

    tui-eval run --k 10,100 --export-trec trec

    tui-eval run --mode video --annotations clips.csv --embeddings clips.npz
    """
    from engine.keywords.results import results_of
    from engine.keywords.run import RunRequest, carry_out
    from engine.keywords.workbench import Workbench
    from engine.metrics.policies import Policies
    from engine.report.per_query.write import write_per_query
    from engine.report.run.trec import check_trec_folder, trec_files
    from engine.text.encoder import SentenceEncoder

    ks = parse_ks(k)
    shape = choose_format(format, json, out, FORMATS)
    named = [Path(text) for text in (queries, videos) if text and o.is_file(text)]
    inputs = (*opened.files, *named)
    _check_outputs(out, per_query, inputs)
    if export_trec is not None:
        check_trec_folder(export_trec)
        for file in trec_files(export_trec):
            check_writable(file if file.parent.is_dir() else None, *inputs, out, per_query)
    if videos is not None and sample is not None:
        raise InputError("--videos and --sample were given", hint="choose one of the two")
    request = RunRequest(
        modes=mode,
        groups=o.resolve_groups(groups, opened),
        keywords=o.split_list(keywords),
        ks=ks,
        model=model,
        queries=queries,
        videos=_clip_ids(videos),
        sample=sample,
        seed=seed,
        limit=limit,
        profile=profile,
        metrics=o.split_metrics(metrics) if not confusion else counted_too(metrics, profile, ks),
        depth=depth,
        policies=Policies(
            ties=ties,
            no_relevant=no_relevant,
            no_keyword=no_keyword,
            fewer_than_k=fewer_than_k,
            self_clip=self_clip,
            min_similarity=min_similarity,
        ),
    )
    with (
        SentenceEncoder(on_start=tell_that_the_encoder_starts) as encoder,
        Workbench(opened, encoder) as bench,
        progress_bars() as report,
    ):
        result = carry_out(request, bench, report)
    if per_query is not None:
        write_per_query(results_of(result), per_query)
        say(f"wrote {per_query}")
    if export_trec is not None:
        _export(result, export_trec)
    _print(result, shape, out)


def _export(result: Run, folder: Path) -> None:
    from engine.report.run.trec import write_trec

    export = write_trec(result, folder)
    for line in (*(f"wrote {file}" for file in export.files), *export.notes):
        say(line)


def _check_outputs(out: Path | None, per_query: Path | None, inputs: Sequence[Path | None]) -> None:
    """Refuse, before any work, to write where it cannot be written or something else lies."""
    from engine.report.per_query.write import check_per_query_path

    check_writable(out, *inputs, per_query)
    check_writable(per_query, *inputs)
    if per_query is not None:
        check_per_query_path(per_query)


def _clip_ids(text: str | None) -> tuple[str, ...] | None:
    """Clip ids written out, or read from a file."""
    if text is None:
        return None
    if o.is_file(text):
        from engine.files.lines import filled_lines
        from engine.files.text import read_text

        return tuple(line.strip() for _, line in filled_lines(read_text(Path(text))))
    return o.split_list(text)


def _print(result: Run, format: Format, out: Path | None) -> None:
    from engine.report.run.document import run_csv, run_document, run_rows
    from tui.opening.opening import source_of

    if format == "json":
        emit(as_json(run_document(result, source_of(result.dataset))), out)
    elif format == "csv":
        emit(run_csv(run_rows(result)), out)
    elif out is not None:
        emit(as_text(*run_table(result)), out)
    else:
        show(*run_table(result))


def run_table(result: Run) -> list[RenderableType]:
    """A run for the eye: what was evaluated, the numbers with id and formula, the notes."""
    from rich.text import Text

    from engine.report.run.document import metric_rows, run_notes, run_rows
    from tui.cli.shared.confusion import confusion_views
    from tui.cli.shared.metric_table import metric_table, note_lines

    model = result.collection.model
    dimension = result.collection.vectors.shape[1]
    head = Text(safe(result.dataset.name), style="bold")
    head.append(
        safe(
            f"  {model.name} ({model.metric}, {dimension}-d) · "
            f"{counted(len(result.collection), 'clip')} · {', '.join(result.selection.groups)}"
        ),
        style="not bold",
    )
    columns = [(e.mode, metric_rows(e, result.profile)) for e in result.evaluations]
    pictures = confusion_views(run_rows(result))
    gap = [Text("")] if pictures else []
    return [head, metric_table(columns), *pictures, *gap, *note_lines(run_notes(result))]
