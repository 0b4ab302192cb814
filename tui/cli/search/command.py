"""`tui-eval search`: one query, its ranked results, and which keywords each has or lacks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.base.errors import InputError, Place
from engine.base.json_text import as_json
from tui.cli.shared import options as o
from tui.cli.shared.console import (
    FORMATS,
    Format,
    choose_format,
    show,
    tell_that_the_encoder_starts,
    telling_what_takes_long,
    write_out,
)
from tui.cli.shared.dataset_options import DatasetOption, takes_a_dataset
from tui.look.safe import safe
from tui.opening.arguments import parse_ks

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset
    from engine.dataset.ground_truth import GroundTruth
    from engine.keywords.typed_relevance import TypedRelevance
    from engine.metrics import Measure, Profile

_TEXT_FILES = (".txt", ".csv", ".tsv", ".json", ".jsonl")
"""Endings by which a misspelt file is told from a clip."""


@takes_a_dataset
def search(
    opened: Dataset,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="What to look for.", show_default=False)
    ] = None,
    video: Annotated[
        str | None,
        typer.Option("--video", "-v", help="Search with this clip instead.", show_default=False),
    ] = None,
    dataset: DatasetOption = None,
    model: o.ModelOption = None,
    groups: o.GroupsOption = None,
    keywords: o.KeywordsOption = None,
    k: o.KOption = "1,3,5",
    profile: o.ProfileOption = "alfa",
    metrics: o.SearchMetricsOption = None,
    confusion: o.ConfusionOption = False,
    relevant: Annotated[
        str | None,
        typer.Option(
            "--relevant",
            help="The relevant clips, in place of those with all keywords: ids, or a file with "
            "one per line; with a grade as in clip_7=2.",
            show_default=False,
        ),
    ] = None,
    min_similarity: o.MinSimilarityOption = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            help="Also show each result's rank in this model.",
            show_default=False,
        ),
    ] = None,
    format: Annotated[
        Format | None, typer.Option("--format", help="Default: table.", show_default=False)
    ] = None,
    json: o.JsonOption = False,
    ascii: o.AsciiOption = False,
) -> None:
    """Search with a text or a clip and show, per result, the keywords it has and lacks.

    [bold]Examples[/bold]

    tui-eval search "cyclist entering ego lane"

    tui-eval search --video urban_bicyclist_0002 --k 1,5,10

    tui-eval search "truck at night" --groups all --min-similarity 0.3 --json

    tui-eval search "person crossing the street" --against alfa-0.2

    tui-eval search "near miss" --relevant urban_bicyclist_0002,rural_other_0112=2

    tui-eval search "cyclist" --k 5,10 --confusion
    """
    from engine.dataset.queries import check_text
    from engine.keywords.question import Question
    from engine.keywords.run import choose_selection
    from engine.keywords.workbench import Workbench
    from engine.metrics import profile as profile_named
    from engine.report.search.document import search_csv, search_document
    from engine.text.encoder import SentenceEncoder
    from tui.cli.search.view import search_view

    if (text is None) == (video is None):
        raise InputError(
            "search needs a text or --video ID, and not both",
            hint='write tui-eval search "cyclist entering ego lane"',
        )
    shape = choose_format(format, json, None, FORMATS)
    if text is not None:
        check_text(text)
    language, ks = profile_named(profile), parse_ks(k)
    measures = _measures(language, ks, metrics, confusion)
    with (
        SentenceEncoder(on_start=tell_that_the_encoder_starts) as encoder,
        Workbench(opened, encoder) as bench,
    ):
        collection = bench.collection(model)
        rival = opened.model(against).name if against else None
        truth = collection.truth
        selection = choose_selection(
            opened, truth, o.resolve_groups(groups, opened), o.split_list(keywords)
        )
        typed = None if relevant is None else _typed(relevant, opened.truth)
        question = Question(
            mode="text" if video is None else "video",
            query=(text or "") if video is None else video,
            model=collection.model.name,
            groups=selection.groups,
            left_out=tuple(
                str(word) for word in truth.vocabulary(selection.groups) if word not in selection
            ),
            min_similarity=min_similarity,
        )
        with telling_what_takes_long("searching"):
            found = bench.ask_whole(question, measures, ks[-1], typed)
            standing = bench.standing(question, rival) if rival else None
    if shape == "json":
        write_out(as_json(search_document(found, collection, language, standing)))
    elif shape == "csv":
        write_out(safe(search_csv(found, collection), keep="\n\t"))
    else:
        show(*search_view(found, collection, language, ascii, standing))


def _measures(
    language: Profile, ks: tuple[int, ...], metrics: str | None, confusion: bool
) -> tuple[Measure, ...]:
    """What was asked for, or the first family that the profile reports."""
    from engine.metrics import Measure, parse_measures
    from tui.cli.shared.confusion import confusion_ids

    names = o.split_metrics(metrics)
    measures = parse_measures(names, language) if names else language.measures(ks)[: len(ks)]
    counts = map(Measure.parse, confusion_ids(ks[-1])) if confusion else ()
    return tuple(dict.fromkeys((*measures, *counts)))


def _typed(text: str, truth: GroundTruth) -> TypedRelevance:
    """The clips that `--relevant` names, or the file that it names."""
    from engine.keywords.typed_relevance import Written, read_typed, written_lines

    if o.is_file(text):
        return read_typed(written_lines(Path(text)), truth)
    parts = o.split_list(text) or ()
    if len(parts) == 1 and Path(text).suffix.lower() in _TEXT_FILES:
        raise InputError("no such file", Place(text), hint="check the path of --relevant")
    return read_typed(map(Written, parts), truth)
