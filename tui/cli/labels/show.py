"""`tui-eval labels --show ID`: the neighbours of single queries, with marks for their labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from engine.base.json_text import as_json
from engine.report.tables.numbers import format_number
from engine.report.tables.report_table import Column, make_table
from tui.cli.shared.console import show_loading
from tui.cli.shared.metric_table import format_notes, paint_table
from tui.look.safe import escape

if TYPE_CHECKING:
    from rich.console import RenderableType

    from engine.labels.request import LabelRequest
    from engine.labels.scoring.neighbours import QueryNeighbours
    from tui.cli.labels.options import LabelOutput

_MARKS = {False: ("✅", "❌"), True: ("[+]", "[-]")}


def show_neighbours(
    request: LabelRequest,
    names: Sequence[str],
    output: LabelOutput,
    ascii: bool,
) -> None:
    """Print or write what the named queries find; nothing is scored."""
    from engine.files.input_file import reading_inputs
    from engine.labels.request import find_neighbours
    from engine.report.labels.document import build_neighbours_document, collect_neighbour_notes

    with reading_inputs(*request.inputs.values()) as read:
        found = find_neighbours(request, names, while_loading=show_loading)
    k, notes = min(request.ks), collect_neighbour_notes(found)
    output.write(
        {
            "summary": lambda: [
                *(part for one in found for part in _view(one, ascii)),
                *format_notes(notes),
            ],
            "json": lambda: as_json(
                build_neighbours_document(
                    found, k, request.files.metric, read.named(request.inputs)
                )
            ),
        },
        notes=notes,
        ascii=ascii,
    )


def _view(one: QueryNeighbours, ascii: bool) -> Iterator[RenderableType]:
    own = " · ".join(
        f"{level} {label}: {one.hits(place)} of {len(one.found)}"
        for place, (level, label) in enumerate(zip(one.levels, one.labels, strict=True))
    )
    yield Text.assemble(
        (escape(f"{one.direction.name} · {one.query}"), "bold"), (escape(f" · {own}"), "dim")
    )
    right, wrong = _MARKS[ascii]
    columns = [Column("rank"), Column("similarity"), Column("id", "left")]
    columns += [Column(level, "left") for level in one.levels]
    lines = [
        [
            str(rank),
            format_number(item.similarity),
            item.id,
            *(
                f"{right if label == wanted else wrong} {label}"
                for label, wanted in zip(item.labels, one.labels, strict=True)
            ),
        ]
        for rank, item in enumerate(one.found, start=1)
    ]
    yield paint_table(make_table(columns, lines))
