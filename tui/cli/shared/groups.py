"""Options, and those that belong together as one value: Typer knows single parameters only.

A group is a frozen dataclass whose fields are options. A command asks for it by a parameter; its
help lists the fields, and the command gets the value.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import Field, field, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_type_hints

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from engine.base.errors import InputError
from engine.files.protection import protect_input

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def option(
    help: str,
    default: Any = None,
    *,
    name: str = "",
    short: str = "",
    panel: str = "",
    where: Literal["", "print", "screen"] = "",
    **more: Any,
) -> Any:
    """An option, as the default of a field or parameter that it is called after.

    name   what it is called in place of that
    panel  under which heading the help lists it
    where  of a command with --inspect: whether only what is printed knows it, or only the screen
    """

    def made(called: str) -> Any:
        flags = (name or f"--{called.replace('_', '-')}", *([short] if short else []))
        return typer.Option(*flags, help=help, rich_help_panel=panel or None, **more)

    return field(default=default, metadata={_MADE: made, _NAME: name, _WHERE: where, _PANEL: panel})


def argument(metavar: str, help: str, default: Any = inspect.Parameter.empty, **more: Any) -> Any:
    """An argument, as the default of a parameter; it must be given unless it has a default."""
    made = typer.Argument(metavar=metavar, help=help, **more)
    return field(default=default, metadata={_MADE: lambda _: made})


_MADE, _NAME, _WHERE, _PANEL = "option", "name", "where", "panel"

OUTPUT = "Output"
"""The panel of options that name what is written: every other path is one that is read."""


def takes_groups(command: Callable[..., None]) -> Callable[..., None]:
    """A command for Typer, of one with options and groups among its parameters."""
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type] = {}
    options: dict[str, Field[Any]] = {}
    for own in inspect.signature(command).parameters.values():
        hint = hints[own.name]
        if isinstance(hint, type) and is_dataclass(hint):
            groups[own.name] = hint
            of_group = get_type_hints(hint, include_extras=True)
            options |= {one.name: one for one in _fields(hint)}
            parameters += [_parameter(one.name, of_group[one.name], one) for one in _fields(hint)]
        else:
            options |= {own.name: own.default} if isinstance(own.default, Field) else {}
            parameters.append(_parameter(own.name, hint, own.default))

    @functools.wraps(command)
    def with_groups(**given: Any) -> None:
        if "inspect" in given:
            _check_looking(options, given)
        _protect_inputs(options, given)
        for name, group in groups.items():
            given[name] = group(**{one.name: given.pop(one.name) for one in _fields(group)})
        command(**given)

    with_groups.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_groups.__annotations__ = {p.name: p.annotation for p in parameters}
    with_groups.__doc__ = _format_help(command.__doc__ or "")
    del with_groups.__wrapped__
    return with_groups


def _format_help(text: str) -> str:
    """A help text that can be wrapped to any width, its examples on lines of their own.

    A line that ends a sentence, or in a backslash, stays one; any other goes on.
    """
    whole = re.sub(r"(?<=[^\s.:\\])\n(?=\S)(?!tui-eval )", " ", inspect.cleandoc(text))
    about, heading, examples = whole.partition("\nExamples:\n")
    if not heading:
        return whole
    apart = examples.replace("\ntui-eval ", "\n\ntui-eval ")
    return f"{about}\n[bold]Examples[/bold]\n\n{apart}"


def _parameter(name: str, hint: Any, default: Any) -> inspect.Parameter:
    """A parameter as Typer wants it: the option in the annotation, the value as default."""
    if isinstance(default, Field):
        if _MADE in default.metadata:
            hint = Annotated[hint, default.metadata[_MADE](name)]
        default = default.default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _check_looking(options: Mapping[str, Field[Any]], given: Mapping[str, Any]) -> None:
    """Refuse an option that would be ignored, on the screen or without it."""
    inspect = given["inspect"]
    for called, one in options.items():
        where = one.metadata.get(_WHERE)
        if given[called] == one.default or where != ("print" if inspect else "screen"):
            continue
        name = _option_name(called, one)
        if inspect:
            raise InputError(
                f"--inspect and {name} were given",
                hint=f"leave out one of the two: {name} is for what is printed",
            )
        raise InputError(f"{name} needs --inspect", hint=f"add --inspect, or leave {name} out")


def _protect_inputs(options: Mapping[str, Field[Any]], given: Mapping[str, Any]) -> None:
    """Keep the files that are named from being written over, before any of them is read."""
    for called, one in options.items():
        if one.metadata.get(_PANEL) == OUTPUT:
            continue
        value = given[called]
        for path in value if isinstance(value, list) else [value]:
            if isinstance(path, Path):
                protect_input(path)


def _fields(group: type) -> list[Field[Any]]:
    """Without those that a class has put aside."""
    return [one for one in fields(group) if one.init]


def find_given_options(group: DataclassInstance) -> list[str]:
    """The options of a group that were given: those whose value is not the usual one."""
    given = (one for one in fields(group) if getattr(group, one.name) != one.default)
    return [_option_name(one.name, one) for one in given]


def _option_name(called: str, one: Field[Any]) -> str:
    """As it is typed where its value is not the usual one."""
    if one.default is True:
        return f"--no-{called.replace('_', '-')}"
    return one.metadata.get(_NAME) or f"--{called.replace('_', '-')}"


def _name_values(parameters: list[Any]) -> list[Any]:
    """The parameters, whose values the help calls by plain words: Typer would say <list[Path]>."""
    for one in parameters:
        one.display_type = functools.partial(_name_value, one)
        if isinstance(one, TyperArgument) and one.required:
            one.get_usage_pieces = functools.partial(_name_argument, one)  # type: ignore[method-assign]
    return parameters


def _name_argument(argument: TyperArgument, context: Any) -> list[str]:
    """What must be given, in the usage: Typer would put it into braces."""
    return [argument.display_name_raw]


def _name_value(parameter: Any, context: Any) -> str:
    """What is to be written behind an option; an argument is called by what is written."""
    kind = parameter.type_descriptor
    if isinstance(parameter, TyperArgument) or getattr(parameter, "is_flag", False):
        return ""
    if kind.is_choice:
        choices: str = type(parameter).display_type(parameter, context)
        return re.sub(r"^<(?:list\[(.*)\]|(.*))>$", r"\1\2", choices)
    types = get_args(kind.annotation) if kind.is_list else (kind.annotation,)
    return "|".join(dict.fromkeys(_WORDS.get(one, "TEXT") for one in types))


_WORDS = {Path: "FILE", int: "NUMBER", float: "NUMBER", bool: ""}


class _PlainCommand(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return _name_values(super().get_params(ctx))


class _PlainGroup(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:
        return _name_values(super().get_params(ctx))


class _App(typer.Typer):
    def command(self, name: str | None = None, **settings: Any) -> Any:
        return super().command(name, **{"cls": _PlainCommand, **settings})


def make_app(**settings: Any) -> typer.Typer:
    """Commands, whose help has markup, is also asked for with -h, and speaks no Python."""
    asked = {"help_option_names": ["-h", "--help"]}
    settings = {"cls": _PlainGroup, **settings}
    if "help" in settings:
        settings["help"] = _format_help(settings["help"])
    return _App(rich_markup_mode="rich", context_settings=asked, **settings)


class DefaultCommand(_PlainGroup):
    """A group of commands that is a command itself: `tui-eval moments FILE` beside
    `tui-eval moments validate FILE`.

    Does what its callback does, unless the first argument names one of its commands.

    A command is looked for in the first place alone: anywhere else its name is an argument like any
    other. A file of that name is written ./validate.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] in self.commands:
            # The callback is not called: its options are neither there nor missing.
            ctx.args = args
            return args
        takes_arguments = any(isinstance(one, TyperArgument) for one in self.params)
        if args and not args[0].startswith("-") and not takes_arguments:
            self.resolve_command(ctx, args)  # says that there is no such command
        ctx.allow_interspersed_args = True
        ctx.allow_extra_args = False
        return super(TyperGroup, self).parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        if not ctx.args:  # the callback has taken them all
            return super().invoke(ctx)
        (name, *rest), ctx.args = ctx.args, []
        ctx.invoked_subcommand = name
        with ctx, self.commands[name].make_context(name, rest, parent=ctx) as inner:
            return inner.command.invoke(inner)

    def get_params(self, ctx: Any) -> list[Any]:
        """Its own; none for the usage of a command, which does not take them."""
        return super().get_params(ctx) if ctx.command is self else []

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The usage of the callback; commands have a panel of their own in the help."""
        return super(TyperGroup, self).collect_usage_pieces(ctx)
