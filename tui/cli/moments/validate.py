"""`tui-eval moments validate`: what a server would refuse, ignore or misread, before you submit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import typer

from engine.base.errors import ExitCode
from engine.base.json_text import as_json
from engine.base.messages import pluralise
from engine.base.visible import spell_message
from tui.cli.moments.options import BENCHMARK, BenchmarkChoice
from tui.cli.shared.console import show_spinner
from tui.cli.shared.groups import argument, option, takes_groups
from tui.cli.shared.look_options import PLAIN_CHARACTERS
from tui.cli.shared.output import FORMAT, Output, written
from tui.look.safe import escape

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment
    from rich.table import Table

    from engine.moments.check.submission import SubmissionCheck
    from engine.moments.check.submission_fault import SubmissionFault

PLACES, PLACES_IN_JSON = 3, 10
"""Shown of each kind of fault, unless another number is asked for. A person needs an example, and
all errors on one screen; a program may want more."""

_SIGNS = {"error": ("✗", "x"), "warning": ("!", "!"), "info": ("·", "-")}
_STYLES = {"error": "red", "warning": "yellow", "info": "dim"}
_ORDER = list(reversed(_SIGNS))  # what matters most stands last, just above the prompt


@dataclass(frozen=True)
class CheckOutput(Output):
    """What is written of the faults."""

    out: Path | None = written(
        "Write to this file: JSON, or, if it is a .txt, what would be printed. - is stdout.",
        short="-o",
    )

    format: Literal["table", "json"] | None = FORMAT()
    unnamed: ClassVar[str] = "json"


@takes_groups
def validate_submission(
    *,
    submission: Path = argument(
        "SUBMISSION",
        "A submission: the zip, or one file of it (.json of TVR, .jsonl of QVHighlights; "
        "also .gz).",
    ),
    zip: bool = option("The submission must be a zip; without this option, it may be one.", False),
    gt: Path | None = option(
        "Ground truth of the validation queries, JSON lines: their ids, right videos and durations."
    ),
    gt_test: Path | None = option("The queries of the test file, JSON lines; ids are enough."),
    videos: Path | None = option(
        "List of all videos with duration and index, as tvr_video2dur_idx.json (TVR)."
    ),
    benchmark: BenchmarkChoice = BENCHMARK("auto"),
    output: CheckOutput,
    limit: int | None = option(
        "How many places to list for each kind of fault, 0 for all. Default: 3, for infos 1; in "
        "JSON 10.",
        min=0,
    ),
    ascii: bool = PLAIN_CHARACTERS(False),
) -> None:
    """Check a submission before you send it: structure, ids, videos, times, names in the zip.

    Errors: the server or the official script would refuse it, or it cannot be meant.
    Warnings: it changes numbers, or is ignored.
    Entries, lines and predictions are counted from 1. Exit code 2 if there is an error, else 0.

    Examples:
    tui-eval moments validate tvr_val_submission.json --gt tvr_val_release.jsonl
    tui-eval moments validate submission.zip --gt val.jsonl --gt-test test.jsonl
    tui-eval moments validate submission.zip --videos tvr_video2dur_idx.json
    tui-eval moments validate submission.zip --gt val.jsonl --limit 0 -o all.json
    """
    from engine.files.input_file import reading_inputs
    from engine.moments.check.submission import CheckRequest, check_submission
    from engine.report.moments.document import build_check_document

    output.check()
    usual = PLACES_IN_JSON if output.shape == "json" else PLACES
    kept = usual if limit is None else limit
    request = CheckRequest(submission, zip, gt, gt_test, videos, benchmark, kept)
    files = {"submission": submission, "gt": gt, "gt_test": gt_test, "videos": videos}
    given = {role: path for role, path in files.items() if path is not None}
    with show_spinner("checking …"), reading_inputs(*given.values()) as read:
        checked = check_submission(request)
    output.write(
        {
            "table": lambda: [*_views(checked, ascii, None if limit is not None else PLACES)],
            "json": lambda: as_json(build_check_document(checked, read.named(given))),
        },
        ascii=ascii,
    )
    if not checked.valid:
        raise typer.Exit(ExitCode.BAD_INPUT)


def _views(checked: SubmissionCheck, ascii: bool, most: int | None) -> Iterator[RenderableType]:
    """Infos, then warnings, then errors, each under the file of a zip they are about; the verdict
    is the last line. `most`: places of a fault; None: all that there are."""
    from rich.text import Text

    found = sorted(checked.faults, key=lambda fault: _ORDER.index(fault.level))
    width = max((len(escape(fault.part)) for fault in found), default=0)
    in_zip = checked.split is None
    for (file, _), own in groupby(found, lambda fault: (fault.file, fault.level)):
        if in_zip:
            yield Text(escape(file or checked.request.submission.name), style="bold")
        for fault in own:
            yield _headline(fault, width, ascii)
            yield from _places(fault, ascii, most)
    yield Text(_verdict(checked), style="bold")


def _headline(fault: SubmissionFault, width: int, ascii: bool) -> Table:
    from rich.table import Table
    from rich.text import Text

    row = Table.grid(padding=(0, 2))
    row.add_column(width=len("! warning"))
    if width:
        row.add_column(width=width)
    sign = Text(f"{_SIGNS[fault.level][ascii]} {fault.level}", style=_STYLES[fault.level])
    part = [Text(escape(fault.part))] if width else []
    row.add_row(sign, *part, Text(_spelled(fault.message, ascii)))
    return row


def _places(fault: SubmissionFault, ascii: bool, most: int | None) -> Iterator[_Places]:
    """What is fine needs no list of places, unless one was asked for."""
    few = fault.level == "info" and most is not None
    shown = fault.examples[: 1 if few else most]
    lines = []
    for example in shown:
        where = example.where  # its file and its part stand above
        file = "" if where.file == fault.file else where.file
        part = "" if where.part == fault.part else where.part
        example = replace(example, where=replace(where, file=file, part=part))
        lines.append(_spelled(str(example), ascii))
    more = fault.more + len(fault.examples) - len(shown)
    if more:
        lines.append(f"and {more:,} more")
    if lines:
        yield _Places(lines)


@dataclass(frozen=True)
class _Places:
    """Lines with a hyphen; what does not fit goes on indented. There may be tens of thousands, for
    which a table takes minutes."""

    lines: Sequence[str]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        from rich.cells import cell_len
        from rich.segment import Segment
        from rich.text import Text

        first, further = "    - ", "      "
        style = console.get_style("dim")
        width = max(1, options.max_width - len(first))
        for line in self.lines:
            fits = cell_len(line) <= width
            pieces = [line] if fits else [piece.plain for piece in Text(line).wrap(console, width)]
            for number, piece in enumerate(pieces):
                yield Segment(f"{further if number else first}{piece.rstrip()}", style)
                yield Segment.line()


def _spelled(text: str, ascii: bool) -> str:
    shown = spell_message(text)
    return shown.replace("…", "...") if ascii else shown


def _verdict(checked: SubmissionCheck) -> str:
    """The last line; it counts what was found, not only what is shown."""
    numbers = ", ".join(pluralise(checked.count(level), level) for level in ("error", "warning"))
    return f"{'valid' if checked.valid else 'not valid'}: {numbers}"
