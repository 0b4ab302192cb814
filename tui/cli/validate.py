"""`tui-eval validate`: everything that is wrong or noteworthy about a dataset, before a run."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from engine.base.exit_codes import ExitCode
from engine.base.json_text import as_json
from engine.files.envelope import enclose
from tui.cli.shared.dataset_options import DatasetArgument, SingleFiles
from tui.cli.shared.groups import takes_groups
from tui.cli.shared.output import ListOutput
from tui.look.safe import escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from engine.dataset.validation import DatasetFault

_GLYPHS = {"error": ("✗ error", "red"), "warning": ("! warning", "yellow"), "info": ("· ok", "dim")}


@takes_groups
def validate(*, dataset: DatasetArgument = None, output: ListOutput, files: SingleFiles) -> None:
    """Check a dataset: files, ids on both sides, vectors, keywords, queries, clips.

    Exit code 2 if there is an error, else 0.

    [bold]Examples[/bold]

    tui-eval validate

    tui-eval validate DATASET --json

    tui-eval validate --annotations unified_annotation.csv --embeddings alfa.parquet
    """
    from engine.dataset.validation import validate as find

    opened = files.open(dataset)
    output.check(opened.files)
    findings = find(opened)
    valid = all(finding.level != "error" for finding in findings)
    output.write(
        {
            "table": lambda: _table(findings, valid),
            "json": lambda: as_json(
                enclose(
                    "validate",
                    {
                        "dataset": opened.name,
                        "valid": valid,
                        "findings": [asdict(finding) for finding in findings],
                    },
                )
            ),
        }
    )
    if not valid:
        raise typer.Exit(ExitCode.BAD_INPUT)


def _table(findings: Sequence[DatasetFault], valid: bool) -> list[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for finding in findings:
        glyph, style = _GLYPHS[finding.level]
        table.add_row(
            Text(glyph, style=style), Text(escape(finding.part)), Text(escape(finding.message))
        )
    return [table, Text("valid" if valid else "not valid", style="bold")]
