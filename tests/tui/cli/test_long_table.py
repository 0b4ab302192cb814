"""Long tables look as Rich draws them, at any width."""

from __future__ import annotations

import io
import random

import pytest
from rich.console import RenderableType
from rich.text import Text

from tui.cli.shared.gate import make_console
from tui.cli.shared.long_table import LongTable

HEADS = "group", "keywords", "most frequent (clips)"


def drawn(table: RenderableType, width: int, colours: bool = False) -> list[str]:
    out = io.StringIO()
    console = make_console(
        out, width=width, force_terminal=colours, color_system="standard" if colours else None
    )
    console.print(table)
    return [line.rstrip() for line in out.getvalue().split("\n")]


def make_rows(count: int, words: int, seed: int = 1) -> list[tuple[Text, Text, Text]]:
    draw = random.Random(seed)
    some = ["rain", "left adjacent front", "日本語", "e\u0301", "a-very-long-keyword-of-one-word"]
    return [
        (
            Text(draw.choice(some[:3]), style=draw.choice(["", "red", "dim"])),
            Text(str(draw.randrange(10_000))),
            Text(", ".join(draw.choices(some, k=draw.randrange(words)))),
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize("heads", [HEADS, ()])
@pytest.mark.parametrize("right", [frozenset({1}), frozenset[int]()])
@pytest.mark.parametrize("width", [20, 34, 50, 60, 61, 62, 80, 120, 400])
@pytest.mark.parametrize("words", [1, 3, 12])
def test_it_looks_as_rich_draws_it(
    heads: tuple[str, ...], right: frozenset[int], width: int, words: int
) -> None:
    table = LongTable(make_rows(20, words), heads, right)

    assert drawn(table, width) == drawn(table.as_rich(), width)


def test_its_colours_are_those_of_its_cells() -> None:
    table = LongTable([(Text("! warning", style="yellow"), Text("group"), Text("no keyword"))])

    assert drawn(table, 80, colours=True) == ["\x1b[33m! warning\x1b[0m  group  no keyword", ""]


def test_without_rows_only_its_head_is_there() -> None:
    assert drawn(LongTable([], HEADS), 80) == drawn(LongTable([], HEADS).as_rich(), 80)
    assert drawn(LongTable([]), 80) in ([""], ["", ""])
