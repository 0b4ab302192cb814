"""`tui-eval labels --inspect`: the same request on the screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from engine.base.errors import InputError
from tui.cli.labels.options import FirstOptions
from tui.cli.shared.look_options import LookOptions
from tui.cli.shared.options import resolve_groups
from tui.cli.shared.start import open_inspector, resolve_first_query, suggest_printing
from tui.opening.label_files import check_label_files, open_labels

if TYPE_CHECKING:
    from engine.labels.data.directions import Direction
    from engine.labels.dataset import LabelDataset
    from engine.labels.prototypes.prototypes import Pooling
    from engine.labels.request import LabelRequest


def resume_labels(
    shown: Sequence[str],
    directions: Sequence[str] | None,
    of_files: Sequence[str],
    first: FirstOptions,
    looks: LookOptions,
) -> int:
    """Go on with a session, which brings its files along; returns the exit code.

    of_files  options that were given about files: there are none that they could be about
    """
    vectors = [] if first.query_vectors is None else ["--query-vectors"]
    for option in (*of_files, *vectors):
        raise InputError(
            f"{option} and a session were given, but no files",
            hint=f"leave {option} out, or name the files as well",
        )
    return _opener(shown, first, looks)(model=directions[0] if directions else None)


def inspect_labels(
    request: LabelRequest,
    shown: Sequence[str],
    encoder: str | None,
    first: FirstOptions,
    looks: LookOptions,
) -> int:
    """Show what would be printed: the neighbours of the one query that is named, or the scores of
    the first direction and level; returns the exit code."""
    from engine.keywords.run import RunRequest
    from engine.labels.request import PrototypeRequest

    check_label_files(request.files)
    texts = request.prototypes or PrototypeRequest()
    if request.prototypes is not None and texts.metadata is None:
        raise InputError(
            "there is nothing to make prototypes of",
            hint="give --metadata FILE --dataset-name NAME",
        )
    opened = open_labels(
        request.files,
        ks=request.ks,
        encoder=encoder,
        query_vectors=first.query_vectors,
        metadata=texts.metadata,
        dataset_name=texts.dataset_name,
        caption_style=texts.caption_style,
    )
    direction, groups = request.chosen[0], resolve_groups(first.groups, opened)
    if request.prototypes is not None:
        level = _level_of_texts(opened, texts.pooling)
        groups = groups or (level if direction.is_prototype else None)
    return _opener(shown, first, looks)(
        opened,
        model=_model(opened, direction),
        groups=groups,
        request=RunRequest(
            modes="text" if direction.is_prototype else "video",
            ks=opened.ks,
            profile=opened.profile,
            policies=request.policies,
        ),
    )


def _opener(shown: Sequence[str], first: FirstOptions, looks: LookOptions) -> Callable[..., int]:
    """What opens the inspector; it lacks the dataset and what is shown of it first."""
    if len(shown) > 1:
        raise InputError("--inspect asks one query at first", hint="give --show once")
    return partial(
        open_inspector,
        looks,
        resume=first.resume,
        session=first.session,
        of_labels=True,
        instead=suggest_printing("labels"),
        query=resolve_first_query(first.query, shown[0] if shown else None, "--show"),
        min_similarity=first.min_similarity,
    )


def _level_of_texts(opened: LabelDataset, pooling: Pooling) -> tuple[str]:
    """The level that the texts stand for labels of. Texts that would be pooled are refused: the
    screen asks each of them."""
    queries = opened.texts() or ()
    labels = {query.keywords for query in queries}
    if pooling != "each" and len(labels) < len(queries):
        raise InputError(
            "a label has several texts, and --inspect asks each of them",
            hint="add --prototype-pooling each, or leave --inspect out",
        )
    ((first, *_), *_) = filter(None, labels)
    return (first.partition(":")[0],)


def _model(opened: LabelDataset, direction: Direction) -> str:
    """Prototypes ask in every direction that searches the same modality."""
    if not direction.is_prototype:
        return direction.name
    fitting = (name for name, one in opened.directions.items() if one.targets == direction.targets)
    return next(fitting, direction.name)
