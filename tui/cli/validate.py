"""`tui-eval validate`: everything that is wrong or noteworthy about a dataset, before a run."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from engine.base.errors import ExitCode
from engine.base.json_text import as_json
from engine.base.visible import spell_hidden
from engine.files.envelope import enclose
from tui.cli.shared.console import make_progress_bars
from tui.cli.shared.dataset_options import DatasetChoice, SingleFiles
from tui.cli.shared.groups import takes_groups
from tui.cli.shared.output import ListOutput
from tui.look.safe import escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from rich.console import RenderableType

    from engine.dataset.validation import DatasetFault
    from engine.files.input_file import InputFile

_GLYPHS = {"error": ("✗ error", "red"), "warning": ("! warning", "yellow"), "info": ("· ok", "dim")}


@takes_groups
def validate(*, dataset: DatasetChoice, output: ListOutput, files: SingleFiles) -> None:
    """Check a dataset: files, ids on both sides, vectors, keywords, queries, clips.

    Exit code 2 if there is an error, else 0.

    Examples:
    tui-eval validate
    tui-eval validate DATASET --json
    tui-eval validate --annotations clips.csv --embeddings alfa.parquet
    """
    from engine.dataset.validation import validate as find

    opened = files.open(dataset.named, checked=False)  # that is one of the faults
    output.check()
    read: dict[Path, InputFile] = {}
    hold = partial(_digesting, read) if output.shape == "json" else None
    with make_progress_bars() as report:
        faults = find(opened, report, hold)
    valid = all(fault.level != "error" for fault in faults)
    roles = opened.inputs(*opened.models.values())
    roles |= {} if opened.queries_file is None else {"queries": opened.queries_file}
    output.write(
        {
            "table": lambda: _table(faults, valid),
            "json": lambda: as_json(
                enclose(
                    "validate",
                    {
                        "dataset": opened.name,
                        "valid": valid,
                        "findings": [_dump(fault) for fault in faults],
                    },
                    inputs={role: read[path] for role, path in roles.items() if path in read},
                )
            ),
        }
    )
    if not valid:
        raise typer.Exit(ExitCode.BAD_INPUT)


@contextmanager
def _digesting(read: dict[Path, InputFile], files: Iterable[Path]) -> Iterator[None]:
    """Note the digest of each file that is read; what cannot be read is one of the faults."""
    from engine.files.input_file import reading_inputs

    fresh = [file for file in files if file not in read]
    readable = [file for file in fresh if file.is_file() and os.access(file, os.R_OK)]
    with reading_inputs(*readable) as held:
        yield
    read.update((file, held.named({"": file})[""]) for file in readable)


def _dump(fault: DatasetFault) -> dict[str, Any]:
    """As plain values; pairs where it is about pairs."""
    values = asdict(fault)
    pairs = values.pop("pairs")
    return (
        values if pairs is None else {**values, "found": pairs["found"], "pairs": pairs["listed"]}
    )


def _table(faults: Sequence[DatasetFault], valid: bool) -> list[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for fault in faults:
        glyph, style = _GLYPHS[fault.level]
        table.add_row(
            Text(glyph, style=style), Text(escape(fault.part)), Text(spell_hidden(fault.message))
        )
    return [table, Text("valid" if valid else "not valid", style="bold")]
