"""The tables by length in the small report fit the line that they stand on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.moments.moment_screens import Moments, look
from tui.look.glyphs import ASCII, UNICODE

TITLES = ("By length of the video", "By length of the moment")


def find_table(report: str, title: str) -> list[str]:
    """The lines below a title, up to an empty one."""
    lines = report.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(title))
    rest = lines[start + 1 :]
    end = next((n for n, line in enumerate(rest) if not line.strip()), len(rest))
    return rest[:end]


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40), (200, 50)])
def test_a_length_is_one_line_at_every_size(tmp_path: Path, size: tuple[int, int]) -> None:
    async def flow(see: Moments) -> None:
        await see.do("moments.report")
        await see.until(lambda: TITLES[1] in see.lines("report"))
        pane = see.app.screen.query_one("#report")
        for title in TITLES:
            table = find_table(see.lines("report"), title)
            heads = next(n for n, line in enumerate(table) if line.startswith("seconds"))
            columns = len(table[heads].split())
            assert columns >= 6
            for line in table:
                assert len(line) <= pane.content_size.width
            for row in table[heads + 1 :]:
                cells = row.replace(" to ", "_").split()
                assert len(cells) == columns
                shares = [float(cell) for cell in cells[2:] if cell != "–"]
                assert not shares or sum(shares) == pytest.approx(100, abs=0.1)

    look(flow, tmp_path, size=size)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize("ascii", [False, True], ids=["unicode", "ascii"])
def test_the_plot_has_one_row_of_iou_and_explains_every_sign(
    tmp_path: Path, size: tuple[int, int], ascii: bool
) -> None:
    glyphs = ASCII if ascii else UNICODE

    async def flow(see: Moments) -> None:
        await see.do("moments.report")
        await see.until(lambda: TITLES[1] in see.lines("report"))
        chart = see.lines("report").partition("\n\n")[0].splitlines()
        first = next(n for n, line in enumerate(chart) if "0.1" in line and "0.9" in line)
        plot, below = chart[1 : first - 1], chart[first:]
        named = [line.split()[0] for line in below]
        drawn = {sign for sign in (*glyphs.markers, glyphs.together) if sign in "".join(plot)}

        assert [line for line in chart if "0.1" in line and "0.9" in line] == [below[0]]
        assert named[0] == "IoU"
        assert glyphs.together in drawn
        assert drawn <= set(named)
        assert any(line.lstrip().startswith("%") for line in plot)
        assert not any("mean" in line for line in chart)
        meeting = " ".join(below[named.index(glyphs.together) :])
        assert " at IoU = " in meeting
        assert " k" not in meeting

    look(flow, tmp_path, size=size, ascii=ascii)
