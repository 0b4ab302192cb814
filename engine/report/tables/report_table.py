"""One table of finished texts, to be written as Markdown or LaTeX, or painted. Nobody vouches for
the texts: cells say what they hold, no more."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from engine.base.visible import make_visible, spell_message
from engine.report.tables.latex import escape_latex

_MARKDOWN = re.compile(
    r"[\\`*_{}\[\]<>#|~&!$]|(?<=:)(?=//)|(?<=www)(?=\.)|(?<!\w)@|@(?=[\w-]+\.)", re.IGNORECASE
)  # what is markup anywhere in a line, then what becomes a link or a mention by itself
_LINE_BREAK = re.compile(r"\r\n|[\n\r]")


def escape_markdown(text: str) -> str:
    """A user's text as it stands, on one line: neither markup, link, HTML nor hidden character.

    >>> escape_markdown("a|b_c <i> http://x\\nnext\\x1b")
    'a\\\\|b\\\\_c \\\\<i\\\\> http:\\\\//x<br>next\\\\\\\\x1b'
    """
    shown = map(make_visible, map(type(text), _LINE_BREAK.split(text)))  # visible lines stay so
    return "<br>".join(_MARKDOWN.sub(lambda match: "\\" + match.group(), line) for line in shown)


def list_markdown(messages: Iterable[str]) -> str:
    """What is to be said, one point each. Texts of users that are quoted are visible already.

    >>> print(list_markdown(["2 labels have no prototype: 'a', 'b*'"]))
    - 2 labels have no prototype: 'a', 'b\\*'
    """
    return "\n".join(f"- {escape_markdown(spell_message(one))}" for one in messages)


TextAlignment: TypeAlias = Literal["left", "right", "default"]
_RULES: dict[TextAlignment, str] = {"left": ":---", "right": "---:", "default": "---"}


@dataclass(frozen=True, slots=True)
class Cell:
    """A text that may stand out: `best` of its kind, with a `mark` raised behind it."""

    text: str
    best: bool = False
    mark: str = ""

    def __str__(self) -> str:
        return self.text + self.mark


@dataclass(frozen=True, slots=True)
class Column:
    head: str
    align: TextAlignment = "right"


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Columns, rows of as many cells, and what a reader must know beside them."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"every row must have {len(self.columns)} cells")


def make_table(
    columns: Sequence[Column],
    rows: Iterable[Sequence[str | Cell]],
    caption: str = "",
    notes: Sequence[str] = (),
) -> ReportTable:
    """A table of texts and cells."""
    cells = (tuple(c if isinstance(c, Cell) else Cell(c) for c in row) for row in rows)
    return ReportTable(tuple(columns), tuple(cells), caption, tuple(notes))


def find_best_places(values: Sequence[float], *, lower_is_better: bool) -> frozenset[int]:
    """Where the best of the numbers stand, compared exactly: all of them if several are the best,
    none if all are the same. What is undefined neither is the best nor counts.

    >>> sorted(find_best_places([0.5, 0.7, float("nan"), 0.7], lower_is_better=False))
    [1, 3]
    >>> find_best_places([0.5, 0.5], lower_is_better=False)
    frozenset()
    """
    known = {value for value in values if math.isfinite(value)}
    if len(known) < 2:
        return frozenset()
    best = min(known) if lower_is_better else max(known)
    return frozenset(place for place, value in enumerate(values) if value == best)


def format_markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts, each column aligned as whoever shows it likes.

    >>> print(format_markdown_table(("clip", "rank"), [("a_1", "2")]))
    | clip | rank |
    | --- | --- |
    | a\\_1 | 2 |
    """
    return as_markdown(make_table([Column(name, "default") for name in head], rows))


def as_markdown(table: ReportTable) -> str:
    """The table with its caption before it and its notes after it.

    >>> columns = (Column("system", "left"), Column("P@5"))
    >>> print(as_markdown(make_table(columns, [("alfa", Cell("0.61", best=True, mark="*"))])))
    | system | P@5 |
    | :--- | ---: |
    | alfa | **0.61**\\* |
    """
    head = [escape_markdown(column.head) for column in table.columns]
    rule = [_RULES[column.align] for column in table.columns]
    lines = [head, rule, *([_markdown_cell(cell) for cell in row] for row in table.rows)]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    notes = list_markdown(table.notes)
    caption = f"**{escape_markdown(table.caption)}**" if table.caption else ""
    return "\n\n".join(part for part in (caption, text, notes) if part)


def _markdown_cell(cell: Cell) -> str:
    text = escape_markdown(cell.text)
    shown = f"**{text}**" if cell.best and text else text
    return shown + escape_markdown(cell.mark)


def as_latex(table: ReportTable, label: str = "", small: bool = False) -> str:
    """A `table` with booktabs rules; the notes stand below it in small print. `small`: all of it
    does, so that a dozen columns of numbers fit on a page.

    >>> print(as_latex(make_table((Column("system", "left"), Column("P@5")), [("a_b", "0.61")])))
    % needs \\usepackage{booktabs}
    \\begin{table}[t]
      \\centering
      \\begin{tabular}{lr}
        \\toprule
        system & P@5 \\\\
        \\midrule
        a\\_b & 0.61 \\\\
        \\bottomrule
      \\end{tabular}
    \\end{table}
    """
    shape = "".join("l" if column.align == "left" else "r" for column in table.columns)
    size = "\\footnotesize\\setlength{\\tabcolsep}{4pt}" if small else ""
    lines = ["% needs \\usepackage{booktabs}", "\\begin{table}[t]", f"  \\centering{size}"]
    if table.caption:
        lines.append(f"  \\caption{{{escape_latex(table.caption)}}}")
    if label:
        lines.append(f"  \\label{{{label}}}")
    lines += [f"  \\begin{{tabular}}{{{shape}}}", "    \\toprule"]
    lines.append(f"    {' & '.join(escape_latex(column.head) for column in table.columns)} \\\\")
    lines.append("    \\midrule")
    lines += [f"    {' & '.join(map(_latex_cell, row))} \\\\" for row in table.rows]
    lines += ["    \\bottomrule", "  \\end{tabular}"]
    if table.notes:
        notes = " \\\\\n    ".join(map(escape_latex, table.notes))
        lines += ["  \\par\\smallskip", "  \\begin{minipage}{\\linewidth}\\footnotesize"]
        lines += [f"    {notes}", "  \\end{minipage}"]
    return "\n".join([*lines, "\\end{table}"])


def _latex_cell(cell: Cell) -> str:
    text = escape_latex(cell.text)
    shown = f"\\textbf{{{text}}}" if cell.best and text else text
    return shown + (f"\\textsuperscript{{{escape_latex(cell.mark)}}}" if cell.mark else "")
