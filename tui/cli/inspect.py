"""`tui-eval inspect`: the inspector, with every option."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from engine.base.errors import InputError
from tui.cli.shared import options as o
from tui.cli.shared.dataset_options import DatasetArgument, takes_a_dataset
from tui.cli.shared.inspect_options import (
    AsciiOption,
    ImagesOption,
    KeysOption,
    ResumeOption,
    SessionOption,
    StoreOption,
    ThemeOption,
)
from tui.cli.shared.start import (
    chosen_keymap,
    chosen_theme,
    first_query,
    open_store,
    run_inspector,
)
from tui.opening.going_on import find_session
from tui.opening.opening import source_of

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset


@takes_a_dataset
def inspect(
    opened: Dataset,
    dataset: DatasetArgument = None,
    query: Annotated[
        str | None,
        typer.Option("--query", help="Ask this text at once.", show_default=False),
    ] = None,
    video: Annotated[
        str | None,
        typer.Option("--video", "-v", help="Ask with this clip at once.", show_default=False),
    ] = None,
    model: o.ModelOption = None,
    groups: o.GroupsOption = None,
    min_similarity: o.MinSimilarityOption = None,
    resume: ResumeOption = False,
    session: SessionOption = None,
    images: ImagesOption = "auto",
    theme: ThemeOption = None,
    keys: KeysOption = None,
    ascii: AsciiOption = False,
    store: StoreOption = None,
) -> None:
    """Open the inspector: ask queries, step through results, judge them; all of it is saved.

    [bold]Examples[/bold]

    tui-eval inspect

    tui-eval inspect DATASET --query "cyclist entering ego lane" --groups object_type

    tui-eval inspect --annotations clips.csv --embeddings model.parquet --video clip_0001

    tui-eval inspect --resume
    """
    if query is not None and video is not None:
        raise InputError("--query and --video were given", hint="ask with one of the two")
    if min_similarity is not None and not math.isfinite(min_similarity):
        raise InputError(f"--min-similarity is {min_similarity}", hint="give a finite number")
    if (resume or session is not None) and (query or video):
        raise InputError("a session and a query were given", hint="resume, then ask")
    from tui.opening.start import Start

    with open_store(store) as saved:
        going_on = find_session(saved, resume, session, opened)
        code = run_inspector(
            Start(
                dataset=opened,
                source=source_of(opened),
                store=saved,
                session=going_on.session,
                notice=going_on.notice,
                model=model,
                groups=o.resolve_groups(groups, opened),
                query=first_query(query, video),
                min_similarity=min_similarity,
                images=images,
                ascii=ascii,
                theme=chosen_theme(theme),
                keymap=chosen_keymap(keys),
            )
        )
    raise typer.Exit(code)
