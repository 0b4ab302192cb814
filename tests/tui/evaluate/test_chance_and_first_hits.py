"""Evaluate beside chance: its means, the list of all metrics, and the column of first hits."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from textual.pilot import Pilot

from engine.keywords.evaluated_run import EvaluatedRun
from engine.sessions import TableSort
from tests.tui.evaluate.test_evaluate_screen import (
    Host,
    drive,
    evaluated,
    lines,
    table_of,
    text_of,
)
from tests.tui.inspector import cell_texts
from tui.evaluate.rows import QueryRows
from tui.evaluate.text import build_summary
from tui.keys.clashes import DEFAULT_KEYS
from tui.look.glyphs import UNICODE

SORT, REVERSE, MODE, RUN, METRICS = (
    DEFAULT_KEYS[f"evaluate.{name}"][0]
    for name in ("sort", "reverse", "toggle_mode", "run", "all_metrics")
)


def result_of(host: Host) -> EvaluatedRun:
    found = host.evaluate_screen.listing.result
    assert found is not None
    return found


def first_hits(host: Host) -> list[str]:
    """The column as it is listed."""
    source = table_of(host).source
    assert isinstance(source, QueryRows) and source.columns
    place = source.keys.index("first hit")
    return [cell_texts(source.cells(row))[place] for row in range(len(source))]


async def sort_by_first_hit(host: Host, pilot: Pilot[None]) -> None:
    for _ in range(20):
        sort = host.evaluate_screen.listing.sort
        if sort is not None and sort.key == "first hit":
            return
        await pilot.press(SORT)
    raise AssertionError("no such column")


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
def test_first_hits_have_a_column_that_sorts_both_ways(size: tuple[int, int]) -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        await evaluated(host, pilot, MODE, RUN)
        assert re.search(r" R +first +Recall@1", lines(host)[0])
        assert {"@3", "@5"} <= set(re.findall(r"@\d", lines(host)[0]))
        assert set(first_hits(host)[-13:]) == {"–"}, "13 clips have no relevant clip"
        await sort_by_first_hit(host, pilot)
        assert "by first hit, deepest first" in text_of(host, "#title")
        ranks = [int(text) for text in first_hits(host)[:-13]]
        assert ranks == sorted(ranks, reverse=True) and ranks[0] > 50
        await pilot.press(REVERSE)
        assert "by first hit, highest first" in text_of(host, "#title")
        assert [int(text) for text in first_hits(host)[:-13]] == sorted(ranks)
        assert host.table.sort == TableSort("first hit", "ascending")

    drive(flow, Host(None), size)


def test_of_equally_bad_queries_the_later_first_hit_comes_first() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        await evaluated(host, pilot, MODE, RUN)
        table, rows = result_of(host).table, host.evaluate_screen.listing.rows
        values = table.scores.column(table.main)[rows]
        worst = [
            int(text) for text, value in zip(first_hits(host), values, strict=True) if value == 0
        ]
        assert len(worst) > 10
        assert worst == sorted(worst, reverse=True)

    drive(flow, Host(None))


def test_an_order_by_first_hit_is_taken_up_again() -> None:
    async def leave(host: Host, pilot: Pilot[None]) -> None:
        await evaluated(host, pilot, MODE, RUN)
        await sort_by_first_hit(host, pilot)

    async def come_back(host: Host, pilot: Pilot[None]) -> None:
        await host.workers.wait_for_complete()
        await pilot.pause()
        assert host.evaluate_screen.listing.sort is not None
        assert host.evaluate_screen.listing.sort.key == "first hit"
        assert first_hits(host) == before

    first = Host(None)
    before: list[str] = []

    async def remember(host: Host, pilot: Pilot[None]) -> None:
        await leave(host, pilot)
        before.extend(first_hits(host))

    drive(remember, first)
    again = Host(None)
    again.evaluate_screen.take_up(first.table)
    drive(come_back, again)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_means_have_their_chance_level_beside_them(size: tuple[int, int]) -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        await evaluated(host, pilot, MODE, RUN)
        table = result_of(host).table
        relevant = table.relevant[table.relevant > 0]
        expected = f"{(relevant / 283).mean():.3f}"  # 284 clips without the one that asks
        assert f" = hits@5 / 5 · chance {expected}" in text_of(host, "#summary")
        await pilot.press(METRICS)
        said = "\n".join(strip.text for strip in host.screen._compositor.render_strips())
        assert re.search(rf"Recall@1 +0.469  chance {expected}: above chance", said)

    drive(flow, Host(None), size)


def test_a_formula_stands_before_chance_and_a_level_is_said_to_be_of_which_cutoffs() -> None:
    async def flow(host: Host, pilot: Pilot[None]) -> None:
        await evaluated(host, pilot, MODE, RUN)
        table = result_of(host).table
        tested_all = table.tested
        assert tested_all is not None
        measures = [*table.family, next(one for one in table.measures if one.name == "nDCG")]

        def means(p: dict[str, float]) -> list[str]:
            tested = replace(
                tested_all, p=np.array([p.get(str(one), 0.002) for one in table.measures])
            )
            rows, known = np.arange(len(table)), replace(table, tested=tested)
            return build_summary(known, rows, measures, UNICODE).plain.split("\n")[:2]

        of_family, of_gain = means({"P@1": 0.4, "P@3": 0.4, "P@5": 0.4, str(measures[-1]): 0.4})
        assert of_family.endswith(" = hits@5 / 5 · chance 0.035: not above chance")
        assert of_family.count("chance 0.035") == 1
        assert re.fullmatch(r"NDCG@\d [.\d]+ = DCG.+, chance [.\d]+: not above chance", of_gain)

        some, of_gain = means({"P@1": 0.4})
        assert re.fullmatch(
            r"Recall@1 [.\d]+, chance 0.035: not above chance · Recall@3 [.\d]+, chance 0.035 · "
            r"Recall@5 [.\d]+ = hits@5 / 5, chance 0.035",
            some,
        )
        assert "not above" not in of_gain

    drive(flow, Host(None))
