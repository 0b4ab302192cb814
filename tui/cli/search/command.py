"""`tui-eval search`: one query, its ranked results, and which keywords each has or lacks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from engine.base.choices import OnePerPolicy, RelevancePolicy
from engine.base.errors import InputError
from engine.base.json_text import as_json
from tui.cli.completion.values import complete_clip, complete_clips, complete_models
from tui.cli.search.request import (
    SearchAnswer,
    SearchRequest,
    find_asked_keywords,
    run_search,
)
from tui.cli.shared import options as o
from tui.cli.shared.dataset_options import DATASET, SingleFiles
from tui.cli.shared.groups import argument, option, takes_groups
from tui.cli.shared.look_options import INSPECT, LookOptions, show_request
from tui.cli.shared.output import TableOutput
from tui.cli.shared.start import resolve_first_query
from tui.opening.option_text import parse_ks

if TYPE_CHECKING:
    from engine.keywords.question import AskedQuery
    from engine.metrics import Measure, Profile


@takes_groups
def search(
    *,
    text: str | None = argument("TEXT", "The text to search for.", None),
    video: str | None = option(
        "Search with this clip instead of a text; with a text, with both together.",
        short="-v",
        metavar="CLIP",
        autocompletion=complete_clip,
    ),
    alpha: float | None = option(
        "Weight of the text beside --video, from 0 (the clip alone) to 1 (the text alone). "
        "Default: 0.5.",
    ),
    vector: Path | None = option(
        "Search with the one vector of this .npy file; its keywords are those of --keywords.",
        metavar="FILE",
    ),
    dataset: str | None = DATASET(),
    model: str | None = o.MODEL(),
    groups: str | None = o.GROUPS(),
    keywords: str | None = o.KEYWORDS(),
    k: str | None = o.OWN_K(),
    profile: str | None = o.OWN_PROFILE(),
    metrics: str | None = o.metrics("the first of the profile, Recall@k in alfa."),
    confusion: bool = o.CONFUSION(False),
    relevant: str | None = option(
        "The relevant clips, instead of those with all keywords: ids, or a file with one per "
        "line. A grade is written as in clip_7=2.",
        where="print",
        metavar="CLIPS",
        autocompletion=complete_clips,
    ),
    min_similarity: float | None = o.MIN_SIMILARITY(),
    one_per: OnePerPolicy = o.ONE_PER("clip"),
    relevance: RelevancePolicy = o.RELEVANCE("all"),
    against: str | None = option(
        "Also show the rank of each result in this model.",
        metavar="NAME",
        autocompletion=complete_models,
    ),
    output: TableOutput,
    inspect: bool = INSPECT(False),
    looks: LookOptions,
    files: SingleFiles,
) -> None:
    """Search with a text, a clip, both or a vector, and show which keywords each result has and
    lacks.

    Examples:
    tui-eval search "cyclist entering ego lane"
    tui-eval search --video urban_bicyclist_0002 --k 1,5,10
    tui-eval search "at night" -v urban_bicyclist_0002 -g object_type,scene_type
    tui-eval search --vector probe.npy --keywords nighttime,pedestrian
    tui-eval search "cyclist entering ego lane" --inspect
    tui-eval search "truck at night" --groups all --min-similarity 0.3 --json
    tui-eval search "person crossing the street" --against alfa-0.2
    tui-eval search "near miss" --relevant urban_bicyclist_0002,rural_other_0112=2
    tui-eval search "cyclist" --k 5,10 --confusion
    """
    from engine.metrics import find_profile

    if relevant is not None and relevance != "all":
        raise InputError(
            f"--relevant and --relevance {relevance} were given",
            hint="clips that are named decide before keywords do: leave one of the two out",
        )
    opened = files.open(dataset)
    asked = _resolve_query(text, video, alpha, vector)
    file = Path(relevant) if relevant is not None and o.is_file(relevant) else None
    output.check()
    language = find_profile(profile or opened.profile)
    ks = opened.ks if k is None else parse_ks(k)
    request = SearchRequest(
        asked=asked,
        dataset=opened,
        model=model,
        groups=o.resolve_groups(groups, opened),
        keywords=o.split_list(keywords),
        ks=ks,
        language=language,
        measures=_measures(language, ks, metrics, confusion),
        min_similarity=min_similarity,
        one_per=one_per,
        relevance=relevance,
        relevant=relevant,
        relevant_file=file,
        vector_file=vector,
        against=opened.model(against).name if against else None,
    )
    if inspect:
        raise typer.Exit(_inspect(request, looks, names_metrics=confusion or bool(metrics)))
    _write(run_search(request), output, looks.ascii)


def _resolve_query(
    text: str | None, video: str | None, alpha: float | None, vector: Path | None
) -> AskedQuery:
    from engine.dataset.query_files import check_text
    from engine.keywords.joint_query import EVEN_MIX, JointQuery
    from engine.keywords.question import AskedQuery
    from engine.keywords.vector_query import read_query_vector

    if vector is not None:
        if text is not None or video is not None:
            beside = "a text" if text is not None else "--video"
            raise InputError(f"--vector and {beside} were given", hint="ask with one of the two")
        _refuse_alpha(alpha)
        read = read_query_vector(vector)
        return AskedQuery("vector", read.name, read.data)
    if text is not None and video is not None:
        joint = JointQuery(check_text(text), video, EVEN_MIX if alpha is None else alpha)
        return AskedQuery("joint", str(joint))
    _refuse_alpha(alpha)
    asked = resolve_first_query(text, video)
    if asked is None:
        raise InputError(
            "search needs a text or --video ID (or both), or --vector FILE",
            hint='write tui-eval search "TEXT"',
        )
    return AskedQuery(*asked)


def _refuse_alpha(alpha: float | None) -> None:
    if alpha is not None:
        raise InputError(
            "--alpha weighs a text against a clip, and both were not given",
            hint='write tui-eval search "TEXT" --video ID --alpha 0.5',
        )


def _inspect(request: SearchRequest, looks: LookOptions, names_metrics: bool) -> int:
    """Show on the screen what would be printed; the metrics, if some were named."""
    from engine.keywords.run import RunRequest

    opened = request.dataset
    shown = RunRequest(
        groups=request.groups,
        keywords=request.keywords,
        ks=request.ks,
        model=request.model,
        profile=request.language.name,
        metrics=tuple(map(str, request.measures)) if names_metrics else None,
        policies=replace(
            opened.policies,
            min_similarity=request.min_similarity,
            one_per=request.one_per,
            relevance=request.relevance,
        ),
    )
    return show_request(
        "search", shown, opened, looks, request.asked, request.against, find_asked_keywords(request)
    )


def _write(found: SearchAnswer, output: TableOutput, ascii: bool) -> None:
    from engine.report.search.document import build_search_document, format_search_csv
    from tui.cli.search.view import build_search_view
    from tui.cli.shared.beside_keywords import describe_beside

    result, clips, language = found.found, found.collection, found.language
    standing, inputs = found.standing, found.inputs
    output.write(
        {
            "table": lambda: build_search_view(result, clips, language, ascii, standing),
            "json": lambda: as_json(
                build_search_document(result, clips, language, standing, inputs())
            ),
            "csv": lambda: format_search_csv(result, clips),
        },
        notes=() if result.mapping is None else describe_beside(result.mapping),
        ascii=ascii,
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
