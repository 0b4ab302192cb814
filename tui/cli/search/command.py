"""`tui-eval search`: one query, its ranked results, and which keywords each has or lacks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from engine.base.errors import InputError, Place
from engine.base.json_text import as_json
from tui.cli.shared import options as o
from tui.cli.shared.console import open_workbench, show_spinner
from tui.cli.shared.dataset_options import DATASET, SingleFiles
from tui.cli.shared.groups import argument, option, takes_groups
from tui.cli.shared.look_options import INSPECT, LookOptions, show_request
from tui.cli.shared.output import TableOutput
from tui.cli.shared.start import resolve_first_query
from tui.opening.option_text import parse_ks

if TYPE_CHECKING:
    from engine.dataset.ground_truth import GroundTruth
    from engine.keywords.typed_relevance import TypedRelevance
    from engine.metrics import Measure, Profile

_TEXT_FILES = (".txt", ".csv", ".tsv", ".json", ".jsonl")
"""Endings by which a misspelt file is told from a clip."""


@takes_groups
def search(
    *,
    text: str | None = argument("TEXT", "The text to search for.", None),
    video: str | None = option("Search with this clip instead of a text.", short="-v"),
    dataset: str | None = DATASET(),
    model: str | None = o.MODEL(),
    groups: str | None = o.GROUPS(),
    keywords: str | None = o.KEYWORDS(),
    k: str = o.K("1,3,5"),
    profile: str = o.PROFILE("alfa"),
    metrics: str | None = o.metrics("the first of the profile, Recall@k in alfa."),
    confusion: bool = o.CONFUSION(False),
    relevant: str | None = option(
        "The relevant clips, instead of those with all keywords: ids, or a file with one per "
        "line. A grade is written as in clip_7=2.",
        where="print",
    ),
    min_similarity: float | None = o.MIN_SIMILARITY(),
    against: str | None = option("Also show the rank of each result in this model."),
    output: TableOutput,
    inspect: bool = INSPECT(False),
    looks: LookOptions,
    files: SingleFiles,
) -> None:
    """Search with a text or a clip, and show which keywords each result has and lacks.

    Examples:
    tui-eval search "cyclist entering ego lane"
    tui-eval search --video urban_bicyclist_0002 --k 1,5,10
    tui-eval search "cyclist entering ego lane" --inspect
    tui-eval search "truck at night" --groups all --min-similarity 0.3 --json
    tui-eval search "person crossing the street" --against alfa-0.2
    tui-eval search "near miss" --relevant urban_bicyclist_0002,rural_other_0112=2
    tui-eval search "cyclist" --k 5,10 --confusion
    """
    from engine.files.input_file import reading_inputs
    from engine.keywords.inputs import collect_inputs
    from engine.keywords.question import Question
    from engine.keywords.run import RunRequest
    from engine.metrics import find_profile
    from engine.report.search.document import build_search_document, format_search_csv
    from tui.cli.search.view import build_search_view

    opened = files.open(dataset)
    if (text is None) == (video is None):
        raise InputError(
            "search needs a text or --video ID, and not both",
            hint='write tui-eval search "cyclist entering ego lane"',
        )
    file = Path(relevant) if relevant is not None and o.is_file(relevant) else None
    output.check()
    asked = resolve_first_query(text, video)
    assert asked is not None
    language, ks = find_profile(profile), parse_ks(k)
    chosen = o.resolve_groups(groups, opened)
    measures = _measures(language, ks, metrics, confusion)
    rival = opened.model(against).name if against else None
    if inspect:
        request = RunRequest(
            groups=chosen,
            keywords=o.split_list(keywords),
            ks=ks,
            model=model,
            profile=profile,
            metrics=tuple(map(str, measures)) if confusion or metrics else None,
            policies=replace(opened.policies, min_similarity=min_similarity),
        )
        raise typer.Exit(show_request("search", request, opened, looks, asked, rival))
    with open_workbench(opened) as bench, reading_inputs(file) as read:
        with show_spinner("reading the dataset"):
            collection = bench.collection(model)
        of_groups, left_out = o.resolve_keywords(
            opened, chosen, o.split_list(keywords), collection.truth
        )
        typed = None if relevant is None else _typed(relevant, file, opened.truth)
        question = Question(
            *asked,
            model=collection.model.name,
            groups=of_groups,
            left_out=left_out,
            min_similarity=min_similarity,
        )
        with show_spinner("searching"):
            found = bench.ask_whole(question, measures, ks[-1], typed)
            standing = bench.standing(question, rival) if rival else None

    def document() -> dict[str, Any]:
        inputs = collect_inputs(bench, bench.opened, texts=video is None)
        typed_in = read.named({} if file is None else {"relevant": file})
        return build_search_document(found, collection, language, standing, {**inputs, **typed_in})

    output.write(
        {
            "table": lambda: build_search_view(found, collection, language, looks.ascii, standing),
            "json": lambda: as_json(document()),
            "csv": lambda: format_search_csv(found, collection),
        }
    )


def _measures(
    language: Profile, ks: tuple[int, ...], metrics: str | None, confusion: bool
) -> tuple[Measure, ...]:
    """What was asked for, or the first family that the profile reports."""
    from engine.metrics import Measure, parse_measures

    names = o.split_metrics(metrics)
    measures = parse_measures(names, language) if names else language.measures(ks)[: len(ks)]
    counts = map(Measure.parse, o.list_confusion_ids(ks[-1])) if confusion else ()
    return tuple(dict.fromkeys((*measures, *counts)))


def _typed(text: str, file: Path | None, truth: GroundTruth) -> TypedRelevance:
    """The clips that `--relevant` names, or those of the file that it names."""
    from engine.keywords.typed_relevance import TypedClip, find_typed_clips, read_typed_clips

    if file is not None:
        return find_typed_clips(read_typed_clips(file), truth)
    parts = o.split_list(text) or ()
    if len(parts) == 1 and Path(text).suffix.lower() in _TEXT_FILES:
        raise InputError("no such file", Place(text), hint="check the path of --relevant")
    return find_typed_clips(map(TypedClip, parts), truth)
