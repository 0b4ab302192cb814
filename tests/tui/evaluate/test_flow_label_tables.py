"""The tables of label files: what their axes are, and that titles have the room there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.labels.dataset import build_label_dataset
from engine.text.encoder import SentenceEncoder
from tests.engine.labels.label_files_by_hand import label_files
from tests.tui.evaluate.test_flow_labels import confuse, confusion, evaluate, inspect_labels, scored
from tests.tui.inspector import CLIP, Inspector, inspect
from tui.opening.source import dump_source


@pytest.mark.parametrize("level", ["scene", "object"])
def test_of_several_levels_the_mean_is_that_of_the_level_in_the_table(
    level: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    score = scored("text2video", level)

    async def flow(see: Inspector) -> None:
        await evaluate(see)
        await see.press("C")
        await see.says("Confusion of which labels?")
        await see.press("1" if level == "scene" else "2")
        await see.until(lambda: confusion(see).shown is not None)
        for cells in see.rows(confusion(see)):
            code = score.level.names.index(cells[0])
            mean = score.hits[score.codes == code, 0].mean() / 10
            assert cells[2] == f"{mean:.2f}"

    inspect_labels(flow, tmp_path, encoder, groups=("scene", "object"))


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ((140, 40), "rows: label asked · columns: label found · % of the top 10"),
        ((80, 24), "asked\\found"),
    ],
)
def test_the_confusion_says_which_axis_is_which(
    size: tuple[int, int], said: str, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await confuse(see)
        await see.says(said)

    inspect_labels(flow, tmp_path, encoder, size=size)


def test_no_title_of_the_confusion_is_cut_while_there_is_room(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    rooms = ["Master bedroom, upstairs", "Bath", "Work desk in the corner"] * 2
    dataset = build_label_dataset(label_files(tmp_path, rooms, None))

    async def flow(see: Inspector) -> None:
        await confuse(see)
        lines = see.screen_text.splitlines()
        header = next(line for line in lines if " queries LabelScore" in line)
        for room in rooms:
            assert room in header

    inspect(flow, tmp_path, encoder, dataset=dataset, source=dump_source(dataset), size=(140, 40))


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
def test_the_other_direction_is_written_in_full_where_it_fits(
    size: tuple[int, int], tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        header = next(line for line in see.screen_text.splitlines() if " label " in line)
        assert "video2text" in header

    inspect_labels(flow, tmp_path, encoder, query=("video", CLIP), size=size)
