"""`tui-eval triage list`: the analyses, what each answers, what it needs, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.base.json_text import as_json
from tui.cli.shared.groups import takes_groups
from tui.cli.shared.output import ListOutput

if TYPE_CHECKING:
    from rich.console import RenderableType


@takes_groups
def list_analyses(*, output: ListOutput) -> None:
    """Describe the analyses: the question that each answers, what it needs, and its method.

    Examples:
    tui-eval triage list
    tui-eval triage list --json
    """
    from engine.files.envelope import enclose
    from engine.report.triage.document import dump_analyses
    from engine.triage.registry import ANALYSES

    output.check()
    output.write(
        {
            "table": _build_list,
            "json": lambda: as_json(enclose("triage-list", {"analyses": dump_analyses(ANALYSES)})),
        }
    )


def _build_list() -> list[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    from engine.triage.registry import ANALYSES

    parts: list[RenderableType] = []
    for one in ANALYSES:
        parts.append(Text.assemble((one.name, "bold"), f"  {one.question}"))
        parts.append(Padding(Text(f"Needs: {one.needs}"), (0, 0, 0, 2)))
        parts.append(Padding(Text(one.method, style="dim"), (0, 0, 1, 2)))
    return parts
