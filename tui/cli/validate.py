"""`tui-eval validate`: everything that is wrong or noteworthy about a dataset, before a run."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from engine.base.json_text import as_json
from engine.files.envelope import enclose
from tui.cli.shared import options as o
from tui.cli.shared.console import show, write_out
from tui.cli.shared.dataset_options import DatasetArgument, takes_a_dataset
from tui.look.safe import safe

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset

_GLYPHS = {"error": ("✗ error", "red"), "warning": ("! warning", "yellow"), "info": ("· ok", "dim")}


@takes_a_dataset
def validate(
    opened: Dataset,
    dataset: DatasetArgument = None,
    format: Annotated[
        Literal["table", "json"], typer.Option("--format", help="What to print.")
    ] = "table",
    json: o.JsonOption = False,
) -> None:
    """Check a dataset: files, ids on both sides, vectors, keywords, queries, clips.

    Exit code 2 if there is an error, else 0.

    [bold]Examples[/bold]

    tui-eval validate

    tui-eval validate DATASET --json

    tui-eval validate --annotations unified_annotation.csv --embeddings alfa.parquet
    """
    from engine.dataset.validation import validate as find

    findings = find(opened)
    valid = all(finding.level != "error" for finding in findings)
    if json or format == "json":
        found = [asdict(finding) for finding in findings]
        fields = {"dataset": opened.name, "valid": valid, "findings": found}
        write_out(as_json(enclose("validate", fields)))
    else:
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 2))
        for finding in findings:
            glyph, style = _GLYPHS[finding.level]
            table.add_row(
                Text(glyph, style=style), Text(safe(finding.part)), Text(safe(finding.message))
            )
        show(table, Text("valid" if valid else "not valid", style="bold"))
    if not valid:
        raise typer.Exit(2)
