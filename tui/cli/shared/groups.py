"""Options that belong together as one value: Typer itself knows single parameters only.

A group is a frozen dataclass whose fields are options. A command asks for it by a parameter; its
help lists the fields, and the command gets the value.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import Field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def takes_groups(command: Callable[..., None]) -> Callable[..., None]:
    """A command for Typer, of one with groups among its parameters."""
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type] = {}
    for own in inspect.signature(command).parameters.values():
        hint = hints[own.name]
        if isinstance(hint, type) and is_dataclass(hint):
            groups[own.name] = hint
            parameters += _options_of(hint)
        else:
            parameters.append(own.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY))

    @functools.wraps(command)
    def with_groups(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in _fields(group)})
        command(**given)

    with_groups.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_groups.__annotations__ = {p.name: p.annotation for p in parameters}
    del with_groups.__wrapped__
    return with_groups


def _options_of(group: type) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in _fields(group)
    ]


def _fields(group: type) -> list[Field[Any]]:
    """Without those that a class has put aside."""
    return [field for field in fields(group) if field.init]


def given_options(group: DataclassInstance) -> list[str]:
    """The options of a group that were given: those whose value is not the usual one."""
    options = []
    for field in fields(group):
        if getattr(group, field.name) != field.default:
            no = "no-" if field.default is True else ""
            options.append(f"--{no}{field.name.replace('_', '-')}")
    return options


def named(options: Mapping[str, object]) -> list[str]:
    """Of options by name, those that were given.

    >>> named({"--limit": None, "--nms": 0.5, "--ascii": False})
    ['--nms']
    """
    return [name for name, value in options.items() if value is not None and value is not False]
