"""A group of commands that is a command itself: `tui-eval moments FILE` beside
`tui-eval moments validate FILE`."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class DefaultCommand(TyperGroup):
    """Does what its callback does, unless the first argument names one of its commands.

    A command is looked for in the first place alone: anywhere else its name is an argument like any
    other. A file of that name is written ./validate.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] in self.commands:
            # The callback is not called: its options are neither there nor missing.
            ctx.args = args
            return args
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
