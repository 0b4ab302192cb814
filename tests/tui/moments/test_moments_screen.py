"""Predicted moments in the inspector: what is listed, what a query shows, what the keys do."""

from __future__ import annotations

import csv
import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.command import CommandList

from engine.moments import open_files
from engine.moments.failures.failures import HitRule
from engine.moments.moments_source import MomentsRequest
from tests.tui.moments.moment_screens import QUERIES, Moments, look, write_files
from tests.tui.piloted import LIMIT
from tui.keys.palette import list_every_command

pytestmark = pytest.mark.slow


def test_queries_are_listed_with_the_worst_class_first(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        assert see.ids == [105, 108, 104, 103, 102, 107, 101, 106]
        assert see.queries[0][:4] == ["❌ wrong video", "–", "–", "0.000"]
        assert see.queries[0][4:] == ["105", "Monica folds a towel."]
        assert see.queries[2][:4] == ["✗  wrong time", "2", "–", "0.100"]  # 5 of 50 seconds
        assert see.queries[3][:4] == ["◐  nearly right", "1", "–", "0.428"]  # 6 of 14
        assert see.queries[4][:4] == ["↓  ranked low", "2", "2", "0.727"]  # 8 of 11
        assert see.queries[6][:4] == ["✅ hit", "1", "1", "0.818"]  # 9 of 11

    look(flow, tmp_path, size=(80, 24))


def test_the_lines_above_count_every_class_and_say_the_metric(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        strip = see.lines("strip")
        assert "VCMR 0.5-r1 25.00 % = 2 / 8 queries with IoU ≥ 0.5 in the right video" in strip
        for share in ("wrong video 2 25.0%", "wrong time 1 12.5%", "hit 2 25.0%"):
            assert share in strip

    look(flow, tmp_path)


def test_a_query_shows_its_truth_and_every_prediction_on_one_scale(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.go_to(101)
        assert "Castle opens the door" in see.lines("about")
        assert "id 101 · castle_s01e01_clip_00 · 90 s · type v" in see.lines("about")
        assert "✅ hit: a right moment is at rank 1." in see.lines("about")
        ((_, name, _, times, truth),) = see.truth
        assert (name, times) == ("truth", "30.0–40.0")
        first, second, third = see.predictions
        assert first[:4] == ["✅", "#1", "0.818", "31.0–41.0"]
        assert second[:4] == ["◐ ", "#2", "0.400", "30.0–34.0"]
        assert third == ["❌", "#3", "–", "30.0–40.0", "in house_s03e05_clip_11"]
        assert first[4].rstrip()[-1] in "━╸"  # the second after 40 is outside
        assert len(first[4]) == len(truth)
        # Both begin at 30; the thick part of the second ends before the truth does.
        assert second[4].index("█") == truth.index("█")
        assert len(second[4].rstrip()) < len(truth.rstrip())

    look(flow, tmp_path)


def test_the_selected_prediction_is_explained(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.go_to(101)
        await see.press("enter")
        assert see.focused == "moment"
        said = see.lines("chosen")
        assert "prediction 1 of 3 · 31.00–41.00 s (10.00 s) · score 0.9 · right video" in said
        assert "IoU 0.818  ✅ ≥ 0.5  ✅ ≥ 0.7  overlaps 9.00 of 10.00 s of the" in said
        assert "✅ the first hit: at rank 1" in said and "the first 1" not in said
        await see.press("j")
        assert "IoU 0.400  ❌ ≥ 0.5  ❌ ≥ 0.7" in see.lines("chosen")
        assert "no hit: IoU below 0.5; at rank 2, after 1" in see.lines("chosen")
        await see.press("j")
        assert "in house_s03e05_clip_11, not in castle_s01e01_clip_00" in see.lines("chosen")
        assert "❌ no hit: another video; at rank 3, after 1" in see.lines("chosen")
        await see.press("escape")
        assert see.focused == "queries"

    look(flow, tmp_path, size=(160, 40))


def test_n_goes_to_the_next_prediction_in_the_right_video(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.go_to(104)
        await see.press("enter", "n")
        assert see.home.predictions.cursor == 1
        await see.press("n")
        assert see.home.predictions.cursor == 2
        await see.press("n")
        await see.says("No prediction below this one is in the right video.")
        await see.press("N")
        assert see.home.predictions.cursor == 1

    look(flow, tmp_path)


def test_five_spans_need_an_overlap_with_two(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.go_to(106)
        assert "5 spans: two must be overlapped" in see.lines("about")
        assert [cells[3] for cells in see.truth] == ["4 of 5 spans", "10.0–30.0"]
        assert [cells[1] for cells in see.truth] == ["truth", "truth"]
        assert [cells[2] for cells in see.predictions] == ["0.739", "0.000", "0.000"]
        await see.press("enter")
        said = " ".join(see.lines("chosen").split())
        assert "17.00 of 20.00 s of span 3 of 5, the second best" in said
        await see.press("j")
        assert "overlaps 9.00 s of one span only; two are needed" in see.lines("chosen")

    look(flow, tmp_path, size=(180, 40))


def test_odd_times_have_bars_that_say_so(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.go_to(107)
        assert "duration unknown" in see.lines("about")
        bars = [cells[4] for cells in see.predictions]
        assert bars[0].strip() == "│"  # no length
        assert bars[1].startswith("◂━")  # begins before the video
        assert bars[2].endswith("━▸")  # ends far after it
        assert "120 s" in see.screen_text  # three times the truth, not a million seconds

    look(flow, tmp_path)


def test_a_query_without_predictions_says_so(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.go_to(108)
        assert "it has no predictions." in see.lines("about")
        assert "The submission has no prediction for this query." in see.screen_text
        assert see.lines("chosen").strip() == ""
        await see.press("enter", "j", "G", "n")  # nothing to step through, nothing breaks
        assert see.home.predictions.cursor == -1

    look(flow, tmp_path)


def test_videos_alone_have_no_times(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.press("t", "t")
        await see.until(lambda: "VR r1" in see.lines("strip"))
        await see.rests()
        await see.go_to(102)
        assert see.truth == []
        assert see.predictions[0] == ["❌", "#1", "castle_s01e01_clip_00"]
        assert see.predictions[1] == ["↓ ", "#2", "friends_s02e03_clip_07"]
        assert "IoU" not in see.screen_text
        assert "nearly right" not in see.lines("strip")
        assert "IoU" not in see.footer

    look(flow, tmp_path)


def test_svmr_leaves_other_videos_out_before_ranks_are_counted(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.press("t")
        await see.until(lambda: "SVMR" in see.lines("strip"))
        await see.rests()
        await see.go_to(102)
        assert [cells[1] for cells in see.predictions] == ["–", "#1", "#2"]
        await see.press("enter")
        assert "SVMR leaves other videos out" in see.lines("chosen")

    look(flow, tmp_path)


def test_another_iou_and_k_sort_the_queries_again(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.go_to(101)
        await see.press("K")
        await see.says("VCMR 0.5-r5 50.00 %")
        await see.press("I")
        await see.says("VCMR 0.7-r5 50.00 %")
        await see.press("i")
        await see.press(*["backspace"] * 8)
        await see.type("0.8-r1")
        await see.press("enter")
        await see.says("VCMR 0.8-r1 12.50 %")  # of the hits only 9/11 is left, 17/23 is not
        await see.rests()
        assert see.home.selected is not None and see.home.selected.id == "101"

    look(flow, tmp_path)


@pytest.mark.parametrize("typed", ["1.2-r1", "five", "0.5"])
def test_a_metric_that_cannot_be_is_refused_and_nothing_changes(typed: str, tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.press("i", *["backspace"] * 8)
        await see.type(typed)
        await see.press("enter")
        await see.until(lambda: see.toasts, "a toast")
        await see.rests()
        assert "VCMR 0.5-r1" in see.lines("strip")

    look(flow, tmp_path)


def test_one_class_alone_and_back(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.press("F", "4")  # worst first: 4 is ranked low
        assert see.ids == [102, 107]
        assert "2 of 8 queries · ranked low" in see.screen_text
        await see.press("escape")
        assert len(see.ids) == 8
        await see.press("F", "0")
        assert len(see.ids) == 8

    look(flow, tmp_path)


def test_the_filter_keeps_texts_ids_and_videos(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.press("slash")
        await see.type("house")
        assert see.ids == [103, 106]  # the one in its text, both in their video
        await see.type(" -wall")
        assert see.ids == [106]
        await see.press("enter")
        assert see.focused == "queries"
        await see.press("escape")
        assert len(see.ids) == 8
        await see.press("slash")
        await see.type("nowhere")
        assert see.ids == []
        await see.says("No query matches nowhere.")

    look(flow, tmp_path)


def test_the_cursor_stays_on_its_query(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.go_to(103)
        for keys in (("s",), ("S",), ("t",), ("slash", "h", "o", "u", "s", "e", "enter")):
            await see.press(*keys)
            await see.rests()
            assert see.home.selected is not None and see.home.selected.id == "103"

    look(flow, tmp_path)


def test_every_order_is_one_key_away(tmp_path: Path) -> None:
    orders = {
        "right video": [105, 108, 102, 104, 101, 103, 106, 107],
        "no or late hit": [103, 104, 105, 108, 107, 102, 101, 106],
        "smallest best IoU": [105, 108, 104, 103, 102, 106, 101, 107],
        "as in the file": [101, 102, 103, 104, 105, 106, 107, 108],
        "text A to Z": [104, 101, 103, 105, 107, 108, 102, 106],
        "worst class": [105, 108, 104, 103, 102, 107, 101, 106],
    }

    async def flow(see: Moments) -> None:
        for words, ids in orders.items():
            await see.press("s")
            assert words in see.screen_text
            assert see.ids == ids
        await see.press("S")
        assert see.ids == [101, 106, 102, 107, 103, 104, 105, 108]

    look(flow, tmp_path)


def test_n_goes_from_failure_to_failure(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.press(*["s"] * 4)  # as in the file
        await see.go_to(101)
        await see.press("n")
        assert see.home.selected is not None and see.home.selected.id == "102"
        await see.go_to(105)
        await see.press("n")
        assert see.home.selected is not None and see.home.selected.id == "107"
        await see.press("N")
        assert see.home.selected is not None and see.home.selected.id == "105"

    look(flow, tmp_path)


def test_the_report_has_recall_classes_and_lengths(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.press("P")
        await see.until(lambda: "By length of the moment" in see.lines("report"))
        lines = see.lines("report").splitlines()
        # 105 and 108 have none, 104 reaches 0.1 at rank 3; first ranks at 0.5: 1, 1, 2, 4.
        r1, r5 = (next(line for line in lines if f" r{k} " in line) for k in (1, 5))
        assert r1.split()[2:] == [*["37.50"] * 4, "25.00", "25.00", "25.00", "12.50", "0.00"]
        assert r5.split()[2:7] == ["75.00", "62.50", "62.50", "62.50", "50.00"]
        assert any(line.split()[:4] == ["90.0", "to", "90.0", "7"] for line in lines)
        assert any(line.split()[:2] == ["unknown", "1"] for line in lines)
        await see.press("escape")
        assert see.focused == "queries"

    look(flow, tmp_path, size=(140, 60))


def test_the_report_follows_the_metric(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.press("P", "t", "t")
        await see.until(lambda: "VR: R@k" in see.lines("report"))

    look(flow, tmp_path)


def test_the_rows_shown_are_written_as_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def flow(see: Moments) -> None:
        await see.press("F", "4", "w")
        await see.says("2 of 8 queries written to moments-VCMR-0.5-r1.csv")

    look(flow, tmp_path)
    with (tmp_path / "moments-VCMR-0.5-r1.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["query"] for row in rows] == ["102", "107"]
    assert [row["class"] for row in rows] == ["ranked low"] * 2
    assert [row["hit_rank"] for row in rows] == ["2", "4"]


def test_a_query_and_the_report_are_written_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def flow(see: Moments) -> None:
        await see.go_to(101)
        await see.press("enter", "w", "escape")
        await see.says("moment-101-VCMR-0.5-r1.json")
        await see.press("P")
        await see.until(lambda: "By length" in see.lines("report"))
        await see.press("w")
        await see.says("moments-report-VCMR-0.5-r1.txt")

    look(flow, tmp_path)
    document = json.loads((tmp_path / "moment-101-VCMR-0.5-r1.json").read_text())
    assert document["schema"] == "tui-eval/moment@2"
    assert len(document["queries"][0]["shown"]) == 3
    assert "r100" in (tmp_path / "moments-report-VCMR-0.5-r1.txt").read_text()


def test_what_cannot_be_written_is_reported_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "written"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def fail(*_: object) -> str:
        raise RuntimeError("the document has a fault")

    async def flow(see: Moments) -> None:
        monkeypatch.setattr("tui.moments.screen.build_query_document", lambda query: "a\ud800")
        await see.press("enter", "w")
        await see.says("cannot be written (invalid Unicode: a lone surrogate)")
        monkeypatch.setattr("tui.moments.screen.build_query_document", fail)
        await see.press("w")
        await see.says("the document has a fault")
        await see.press("escape", "escape")
        monkeypatch.undo()
        monkeypatch.chdir(folder)
        await see.press("w")  # and leave at once: the file is finished first

    look(flow, tmp_path)
    (file,) = folder.iterdir()
    assert len(file.read_text().splitlines()) == 9


def test_a_query_is_copied_on_one_line(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.go_to(102)
        await see.press("y")
        assert see.app.clipboard == (
            "102\tRoss drops his sandwich.\tfriends_s02e03_clip_07\tranked low"
        )

    look(flow, tmp_path)


def test_only_the_commands_of_this_app_are_offered(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        assert "Inspect" not in see.footer and "Undo" not in see.footer
        await see.press("1", "2", "3", "4", "u", "m")  # keys of another app do nothing
        assert see.app.screen is see.home
        await see.press("question_mark")
        await see.says("Help: Moments")
        assert "Go to the Inspect screen." not in see.screen_text
        await see.press("escape", "ctrl+p")
        found: list[str] = []

        def listed() -> bool:
            for commands in see.app.screen.query(CommandList):
                found[:] = [str(option.prompt) for option in commands.options]
            return bool(found) and see.app.screen.has_class("-ready")

        await see.until(listed, "the list of commands")
        panes = {line.partition(":")[0] for line in found}
        assert panes == {"Lists", "Moments", "Predictions", "Everywhere"}
        assert not any("Inspect" in line or "Undo" in line for line in found)

    look(flow, tmp_path)


def test_the_first_paint_does_not_wait_for_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, really = threading.Event(), open_files.open_moments

    def slowly(request: MomentsRequest) -> object:
        goes_on.wait(LIMIT)
        return really(request)

    monkeypatch.setattr(open_files, "open_moments", slowly)

    async def flow(see: Moments) -> None:
        await see.says("Reading submission.json …")
        await see.press("F", "P", "t", "slash", "enter", "w")  # nothing to do yet
        assert see.app.screen is see.home
        await see.press("escape")
        await see.says("Nothing is read.")
        await see.press("r")
        await see.says("Reading submission.json …")
        goes_on.set()
        await see.until(lambda: see.home.explained is not None, "the files are read")

    look(flow, tmp_path, ready=False)


def test_files_that_cannot_be_read_are_reported_and_read_again(tmp_path: Path) -> None:
    request = write_files(tmp_path)
    whole = request.truth.read_text()
    request.truth.write_text(whole.replace('"ts"', '"times"', 1))

    async def flow(see: Moments) -> None:
        await see.says("The files cannot be shown.")
        await see.says('has no "ts"')
        request.truth.write_text(whole)
        await see.press("r")
        await see.until(lambda: see.home.explained is not None, "the files are read")

    look(flow, tmp_path, request=request, ready=False)


def test_a_task_that_the_file_lacks_is_reported(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.says("The files cannot be shown.")
        await see.says("It has VCMR, SVMR, VR.")

    look(flow, tmp_path, ready=False, task="MR")


def test_the_command_line_chooses_task_and_metric(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.says("SVMR 0.7-r5")

    look(flow, tmp_path, task="SVMR", at=HitRule(0.7, 5))


def test_texts_of_a_file_do_nothing_to_the_terminal(tmp_path: Path) -> None:
    request = write_files(tmp_path)
    lines = request.truth.read_text().splitlines()
    entry = json.loads(lines[0])
    entry["desc"] = "\x1b[31mred\x07 [b]bold[/b] " + "long " * 3_000
    lines[0] = json.dumps(entry)
    request.truth.write_text("\n".join(lines) + "\n")

    async def flow(see: Moments) -> None:
        await see.go_to(101)
        assert "\x1b" not in see.screen_text and "\x07" not in see.screen_text
        assert "\\x1b[31mred\\x07 [b]bold[/b]" in see.lines("about")
        assert see.lines("about").count("\n") <= 4
        await see.press("y")
        assert "\x1b" not in see.app.clipboard

    look(flow, tmp_path, request=request)


def test_notes_about_the_files_are_shown(tmp_path: Path) -> None:
    request = write_files(tmp_path)
    first = request.truth.read_text().splitlines()[0]
    request.truth.write_text(request.truth.read_text() + first + "\n")

    async def flow(see: Moments) -> None:
        await see.says("repeat a desc_id")
        see.app.clear_notifications()
        await see.press("I")  # what was shown is not shown again
        await see.rests()
        assert see.toasts == []
        await see.press("P")
        await see.until(lambda: "repeat a desc_id" in see.lines("report"))

    look(flow, tmp_path, request=request)


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (119, 30), (120, 30), (200, 60)])
@pytest.mark.parametrize("plain", [False, True], ids=["unicode", "ascii"])
def test_the_bars_fill_the_pane_at_every_size(
    size: tuple[int, int], plain: bool, tmp_path: Path
) -> None:
    async def flow(see: Moments) -> None:
        await see.go_to(101)
        table = see.home.predictions
        lines = [strip.text for strip in (table.render_line(y) for y in range(3))]
        assert all(cell_len(line) == table.line_width for line in lines)
        assert lines[0].rstrip().endswith("90 s")
        assert "30.0" in lines[1] and "31.0" in lines[2]

    look(flow, tmp_path, size=size, ascii=plain)


def test_a_screen_that_is_too_small_asks_for_room(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.pilot.resize_terminal(50, 15)
        await see.says("A little more room, please")
        await see.pilot.resize_terminal(100, 30)
        await see.until(lambda: see.app.screen is see.home)

    look(flow, tmp_path)


def test_suppression_is_said_above(tmp_path: Path) -> None:
    request = replace(write_files(tmp_path), nms=0.2)

    async def flow(see: Moments) -> None:
        assert "NMS 0.2" in see.screen_text
        await see.go_to(101)
        assert len(see.predictions) == 2  # 30–34 overlaps 31–41 by 3/11

    look(flow, tmp_path, request=request)


def test_a_filter_has_a_recall_of_its_own(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.press("slash")
        await see.type("house")  # 103 is nearly right, 106 a hit
        strip = see.lines("strip").replace("\xa0", " ")
        assert "25.00 % = 2 / 8 queries" in strip and "at rank 1 · house: 50.0 % of 2\n" in strip
        await see.press("enter", "F", "5")  # one class of them has no other recall
        assert "house: 50.0 % of 2" in see.lines("strip").replace("\xa0", " ")
        await see.press("escape", "escape")
        assert "house" not in see.lines("strip")

    look(flow, tmp_path)


def test_no_further_prediction_in_the_right_video_moves_no_query(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        for id_ in (105, 108, 103):  # all in other videos, none at all, one
            await see.go_to(id_)
            await see.press("enter")
            before = see.home.queries.cursor
            see.app.clear_notifications()
            await see.press("n")
            await see.says("No prediction below this one is in the right video.")
            assert see.home.queries.cursor == before and see.focused == "moment"
            await see.press("escape")

    look(flow, tmp_path)


def test_notes_of_a_task_are_shown_when_it_is_opened(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.says("VCMR: 1 of 8 queries have no prediction")
        assert not any(toast.startswith("SVMR") for toast in see.toasts)
        await see.press("t")
        await see.says("SVMR: 1 of 8 queries have no prediction")

    look(flow, tmp_path)


def test_the_key_that_reads_again_is_shown_while_nothing_is_read(tmp_path: Path) -> None:
    request = write_files(tmp_path)
    request.truth.write_text("{}\n")

    async def flow(see: Moments) -> None:
        await see.says("r reads them again, q quits.")
        await see.until(lambda: see.footer.get("Read again") == "r", "R in the footer")
        await see.says("r Read again")

    look(flow, tmp_path, request=request, ready=False, size=(80, 24))


QVH_TRUTH = (
    '{"qid": 1, "query": "a dog", "vid": "v", "duration": 150, "relevant_windows": [[0, 10]]}\n'
    '{"qid": 2, "query": "a cat", "vid": "w", "duration": 150, "relevant_windows": '
    "[[0, 10], [20, 30], [40, 50], [60, 70], [80, 90]]}\n"
)


def test_in_qvhighlights_every_prediction_is_in_the_right_video(tmp_path: Path) -> None:
    found, truth = tmp_path / "found.jsonl", tmp_path / "truth.jsonl"
    truth.write_text(QVH_TRUTH)
    found.write_text(
        '{"qid": 1, "pred_relevant_windows": []}\n'
        '{"qid": 2, "pred_relevant_windows": [[18, 30, 0.9]]}\n'
    )

    async def flow(see: Moments) -> None:
        strip = see.lines("strip")
        assert "MR 0.5-r1 50.00 % = 1 / 2 queries with IoU ≥ 0.5 at rank 1" in strip
        assert "no prediction 1" in strip and "video" not in strip
        assert see.queries[0][:3] == ["❌ no prediction", "–", "0.000"]  # no rank of the video
        await see.press("F")
        await see.says("1: no window at all")
        await see.press("escape", "G", "enter")
        await see.until(lambda: "at rank 1" in see.lines("chosen"))
        assert "video" not in see.lines("chosen")
        assert "two" not in see.lines("about")

    look(flow, tmp_path, request=MomentsRequest(found, truth), size=(100, 30))


def test_saliency_alone_is_refused_when_it_is_read(tmp_path: Path) -> None:
    found, truth = tmp_path / "found.jsonl", tmp_path / "truth.jsonl"
    ratings = ', "relevant_clip_ids": [0], "saliency_scores": [[1, 2, 3]]}'
    truth.write_text(QVH_TRUTH.splitlines()[0][:-1] + ratings)
    found.write_text('{"qid": 1, "pred_saliency_scores": [0.5]}\n')

    async def flow(see: Moments) -> None:
        await see.says("holds no windows, only saliency")

    look(flow, tmp_path, request=MomentsRequest(found, truth), ready=False)


@pytest.mark.parametrize("width", [60, 80, 100, 120, 130, 140])
def test_the_list_keeps_sign_id_and_text_at_every_width(width: int, tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        first = see.queries[0]
        assert first[0].startswith("❌") and first[-2] == "105"
        table = see.home.queries
        shown = table.render_line(1).text
        assert "Monica folds a" in shown and cell_len(shown) == table.line_width

    look(flow, tmp_path, size=(width, 30))


@pytest.mark.parametrize("id_", [101, 106])
@pytest.mark.parametrize("keys", [(), ("enter",)], ids=["queries", "predictions"])
def test_the_smallest_screen_shows_two_predictions_below_the_truth(
    id_: int, keys: tuple[str, ...], tmp_path: Path
) -> None:
    async def flow(see: Moments) -> None:
        await see.go_to(id_)
        await see.press(*keys)
        await see.rests()
        table = see.home.predictions
        lines = [table.render_line(y).text for y in range(table.size.height)]
        assert "truth" in lines[1]
        assert any("#1" in line for line in lines) and any("#2" in line for line in lines)
        assert "at rank 1" in see.lines("chosen")  # what counts is still said

    look(flow, tmp_path, size=(60, 20))


@pytest.mark.parametrize("size", [(80, 24), (120, 30)])
def test_what_the_classes_mean_fits_the_dialog(size: tuple[int, int], tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        await see.press("F")
        await see.says("2: right video not found")
        assert "3  nearly right  1: best IoU from 0.3, below 0.5" in see.screen_text
        assert "4  ranked low    2: IoU from 0.5, but after rank 1" in see.screen_text

    look(flow, tmp_path, size=size)


def test_the_palette_begins_with_the_commands_of_this_screen(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        names = [item.command.pane for item in list_every_command(see.home)]
        assert names[0] == "moments"
        assert names.index("table") > names.index("app") > names.index("moments")

    look(flow, tmp_path)


def test_on_a_large_screen_no_query_is_cut_beside_a_time_line_with_room(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        for query in QUERIES:
            assert str(query["desc"]) in see.screen_text
        panes = see.app.screen.query("#queries-pane, #detail-pane")
        assert [pane.outer_size.width for pane in panes] == [116, 84]

    look(flow, tmp_path, size=(200, 50))


def test_on_a_middling_screen_the_text_is_worth_more_than_the_word_of_its_class(
    tmp_path: Path,
) -> None:
    async def flow(see: Moments) -> None:
        assert "Beckett answers the phone. " in see.screen_text

    look(flow, tmp_path, size=(120, 40))


def test_a_key_that_judges_results_says_that_moments_are_not_judged(tmp_path: Path) -> None:
    async def flow(see: Moments) -> None:
        for key in ("b", "plus", "minus", "a", "x"):
            see.app.clear_notifications()
            await see.press(key)
            assert see.toasts == ["Moments keep no judgements."]
        see.app.clear_notifications()
        await see.press("y", "e")  # which does nothing on any list
        assert "Moments keep no judgements." not in see.toasts

    look(flow, tmp_path)
