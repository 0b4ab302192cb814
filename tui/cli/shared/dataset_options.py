"""Options that name a dataset, and what gives them to a command."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tui.opening.opening import open_from_options

DatasetArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="DATASET",
        help="Folder with a dataset.toml. The sample dataset if left out.",
        show_default=False,
    ),
]
DatasetOption = Annotated[
    str | None,
    typer.Option(
        "--dataset",
        "-d",
        help="Folder with a dataset.toml. The sample dataset if left out.",
        show_default=False,
    ),
]

_FILES = "Single files in place of a dataset folder"
AnnotationsOption = Annotated[
    Path | None,
    typer.Option(
        "--annotations",
        help="CSV or parquet with slice_id and keyword columns.",
        rich_help_panel=_FILES,
        show_default=False,
    ),
]
EmbeddingsOption = Annotated[
    Path | None,
    typer.Option(
        "--embeddings",
        help="parquet, .npy (with an ids file) or .npz.",
        rich_help_panel=_FILES,
        show_default=False,
    ),
]
IdsOption = Annotated[
    Path | None,
    typer.Option("--ids", help="Ids of an .npy file.", rich_help_panel=_FILES, show_default=False),
]
MetricOption = Annotated[
    str | None,
    typer.Option(
        "--metric",
        help="cosine, ip or l2. Default: cosine.",
        rich_help_panel=_FILES,
        show_default=False,
    ),
]
EncoderOption = Annotated[
    str | None,
    typer.Option(
        "--encoder",
        help="Text encoder: a sentence-transformers folder or local name. Default: the embedded "
        "MiniLM.",
        rich_help_panel=_FILES,
        show_default=False,
    ),
]
QueryVectorsOption = Annotated[
    Path | None,
    typer.Option(
        "--query-vectors",
        help="Precomputed vectors of the query texts, in place of an encoder.",
        rich_help_panel=_FILES,
        show_default=False,
    ),
]
DuplicatesOption = Annotated[
    Literal["error", "merge"] | None,
    typer.Option(
        "--duplicates",
        help="A slice_id on two lines: an error, or one clip with the keywords of both.",
        rich_help_panel=_FILES,
        show_default=False,
    ),
]

_FILE_OPTIONS = {
    "annotations": AnnotationsOption,
    "embeddings": EmbeddingsOption,
    "ids": IdsOption,
    "metric": MetricOption,
    "encoder": EncoderOption,
    "query_vectors": QueryVectorsOption,
    "duplicates": DuplicatesOption,
}


def takes_a_dataset(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options for single files, and the dataset they mean as `opened`.

    The command itself says how a dataset folder is named: its parameter `dataset` stays.
    """
    own = inspect.signature(command).parameters.values()
    parameters = [
        parameter.replace(annotation=_evaluated(parameter, command))
        for parameter in own
        if parameter.name != "opened"
    ]
    parameters += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=option)
        for name, option in _FILE_OPTIONS.items()
    ]

    @functools.wraps(command)
    def with_dataset(**given: Any) -> None:
        files = {name: given.pop(name) for name in _FILE_OPTIONS}
        command(opened=open_from_options(given.pop("dataset"), **files), **given)

    with_dataset.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_dataset.__annotations__ = {p.name: p.annotation for p in parameters}
    del with_dataset.__wrapped__
    return with_dataset


def _evaluated(parameter: inspect.Parameter, command: Callable[..., None]) -> Any:
    """An annotation as the object that Typer needs, not the text that the module holds."""
    return eval(parameter.annotation, command.__globals__)
