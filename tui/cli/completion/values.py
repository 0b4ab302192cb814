"""What is offered for the value of an option: names of the dataset or store that the line names.

Each of these is given to an option as its `autocompletion`. Typer calls them with what is typed of
the word, keeps what begins with it, and looks at their annotations: `typer` is imported for them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tui.cli.completion.words import is_harmless, split_line

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset


def complete_models(ctx: typer.Context) -> list[str]:
    return _offer(_open(ctx).models)


def complete_groups(ctx: typer.Context, incomplete: str) -> list[str]:
    from tui.cli.completion.glance import glance_at

    groups = glance_at(_open(ctx)).groups
    every = ["all"] if groups and "," not in incomplete else []
    return _offer_in_list(incomplete, [*groups, *every])


def complete_keywords(ctx: typer.Context, incomplete: str) -> list[str]:
    from tui.cli.completion.glance import glance_at

    return _offer_in_list(incomplete, glance_at(_open(ctx)).keywords)


def complete_clip(ctx: typer.Context) -> list[str]:
    from tui.cli.completion.glance import glance_at

    return _offer(glance_at(_open(ctx)).clips)


def complete_clips(ctx: typer.Context, incomplete: str) -> list[str]:
    from tui.cli.completion.glance import glance_at

    return _offer_in_list(incomplete, glance_at(_open(ctx)).clips)


def complete_sessions(ctx: typer.Context) -> list[str]:
    """The numbers and names of those in the store, the last used first."""
    from engine.sessions import SessionStore, find_default_path

    path = Path(_find_given(ctx).get("store") or find_default_path())
    if not path.is_file():
        return []
    with SessionStore.open_to_read(path) as store:
        found = store.summaries()
    return ["latest", *(str(one.id) for one in found), *_offer(one.name for one in found)]


def complete_settings() -> list[str]:
    from tui.opening.settings import CONFIG_ITEMS

    return [*CONFIG_ITEMS]


def complete_setting_value(ctx: typer.Context, incomplete: str) -> list[str]:
    """The words that the setting before may be. A dataset is mostly a folder: those the shell
    offers, as long as nothing is typed."""
    from tui.opening.settings import CONFIG_ITEMS
    from tui.opening.source import SAMPLE

    name = str(_find_given(ctx).get("name"))
    if name not in CONFIG_ITEMS:
        return []
    setting = CONFIG_ITEMS[name]
    if name == "dataset":
        return [SAMPLE] if incomplete else []
    return [*setting.choices, *filter(None, [setting.blank])]


def complete_commands(ctx: typer.Context) -> list[str]:
    """Where the first argument may be a command of a group that is one itself."""
    return [*getattr(ctx.command, "commands", {})]


def complete_typed_commands(ctx: typer.Context, incomplete: str) -> list[str]:
    """The same where the argument is a file: the shell offers those as long as nothing is typed."""
    return complete_commands(ctx) if incomplete else []


def offer_typed(*words: str) -> Callable[..., list[str]]:
    """The same where most values are files, which the shell offers as long as nothing is typed."""

    def complete(incomplete: str) -> list[str]:
        return [*words] if incomplete else []

    return complete


def offer(*words: str) -> Callable[..., list[str]]:
    """Fixed words, where others are allowed as well."""

    def complete() -> list[str]:
        return [*words]

    return complete


def _open(ctx: typer.Context) -> Dataset:
    """The dataset that the line names so far, or the usual one; only its settings are read."""
    from tui.opening.source import open_from_options

    given = _find_given(ctx)
    names = (given.get(name) for name in ("dataset", "same_dataset", "as_argument"))
    annotations = given.get("annotations")
    named = next((str(name) for name in names if name), None)
    if annotations:
        return open_from_options(None, Path(annotations))
    return open_from_options(named)


def _find_given(ctx: typer.Context) -> Mapping[str, Any]:
    """The options and arguments of the words before. Typer has lost the arguments by now, as the
    last option still lacks its value."""
    depth = len(ctx.command_path.split()) - 1
    *words, _ = split_line(os.environ)
    complete = words[depth:-1] if words[-1:] and words[-1].startswith("-") else words[depth:]
    with ctx.command.make_context(ctx.info_name, complete, resilient_parsing=True) as again:
        return {**ctx.params, **{name: one for name, one in again.params.items() if one}}


def _offer(names: Iterable[str]) -> list[str]:
    """Those that can be offered; one that begins with a dash would be taken for an option."""
    return [name for name in names if is_harmless(name) and not name.startswith("-")]


def _offer_in_list(incomplete: str, names: Sequence[str]) -> list[str]:
    """The whole list with one more name: what stands before the last comma is kept."""
    return [*_continue_list(incomplete, _offer(names))]


def _continue_list(incomplete: str, names: Iterable[str]) -> Iterator[str]:
    """
    >>> [*_continue_list("a,b", ["a", "bus", "bike", "x,y"])]
    ['a,bus', 'a,bike']
    """
    kept, comma, _ = incomplete.rpartition(",")
    listed = {part.strip() for part in kept.split(",")}
    for name in names:
        if name not in listed and "," not in name:
            yield f"{kept}{comma}{name}"
