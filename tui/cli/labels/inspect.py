"""`tui-eval labels --inspect`: the same files, directions and prototypes on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.base.errors import InputError
from tui.cli.labels.options import USUAL_KS, FileOptions, FirstOptions, PrototypeOptions
from tui.cli.shared.groups import given_options
from tui.cli.shared.look_options import LookOptions, check_looking
from tui.cli.shared.options import resolve_groups
from tui.cli.shared.start import first_query, open_inspector, without_inspect
from tui.opening.arguments import parse_ks
from tui.opening.label_files import check_label_files, find_sample_texts, open_labels

if TYPE_CHECKING:
    from engine.labels.dataset import LabelDataset

_TEXTS = ("--use-prototypes", "--metadata", "--dataset-name", "--caption-style", "--encoder")
"""What the inspector knows of prototypes: it asks their texts as they are."""


def inspect_labels(
    files: FileOptions,
    k: str,
    directions: Sequence[str] | None,
    prototypes: PrototypeOptions,
    shown: Sequence[str],
    first: FirstOptions,
    looks: LookOptions,
) -> int:
    """Open the inspector; returns the exit code. Without files, a session brings its own along."""
    told = given_options(prototypes)
    check_looking(True, looks, of_text=[option for option in told if option not in _TEXTS])
    if len(shown) > 1:
        raise InputError("--inspect asks one query at first", hint="give --show once")
    query = first_query(first.query, shown[0] if shown else None, "--show")
    alone = (first.resume or first.session is not None) and not files.are_named
    if alone:
        usual = [] if k == USUAL_KS else ["--k"]
        vectors = [] if first.query_vectors is None else ["--query-vectors"]
        _refuse_options_of_files([*usual, *given_options(files), *told, *vectors])
    opened = None if alone else _open(files, k, prototypes, first)
    return open_inspector(
        looks,
        opened,
        resume=first.resume,
        session=first.session,
        of_labels=True,
        instead=without_inspect("labels"),
        model=_model(opened, directions),
        groups=None if opened is None else resolve_groups(first.groups, opened),
        query=query,
        min_similarity=first.min_similarity,
    )


def _open(
    files: FileOptions, k: str, prototypes: PrototypeOptions, first: FirstOptions
) -> LabelDataset:
    named = files.files()
    check_label_files(named)
    texts = prototypes.metadata, prototypes.dataset_name, prototypes.caption_style
    if not prototypes.use_prototypes:
        for option in given_options(prototypes):
            if option != "--encoder":
                raise InputError(f"{option} needs --use-prototypes", hint="add it, or leave it out")
    elif prototypes.metadata is None and not files.are_named:
        sample = find_sample_texts()
        texts = sample.metadata, texts[1] or sample.dataset_name, texts[2] or sample.caption_style
    elif texts == (None, None, None):
        raise InputError(
            "there is nothing to make prototypes of",
            hint="give --metadata FILE --dataset-name NAME",
        )
    metadata, dataset, style = texts
    return open_labels(
        named,
        ks=parse_ks(k),
        encoder=prototypes.encoder,
        query_vectors=first.query_vectors,
        metadata=metadata,
        dataset_name=dataset,
        caption_style=style,
    )


def _model(opened: LabelDataset | None, directions: Sequence[str] | None) -> str | None:
    """The first direction. Prototypes ask in every direction that searches the same modality."""
    if not directions or opened is None:
        return directions[0] if directions else None
    source, _, targets = directions[0].partition("2")
    if source != "prototype":
        return directions[0]
    fitting = (name for name, one in opened.directions.items() if one.targets == targets)
    return next(fitting, directions[0])


def _refuse_options_of_files(given: Sequence[str]) -> None:
    """A session brings its files along, and what was said of them."""
    for option in given:
        raise InputError(
            f"{option} and a session were given, but no files",
            hint=f"leave {option} out, as the session remembers it, or name the files as well",
        )
