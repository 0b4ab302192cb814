"""`tui-eval moments`: what it prints and writes, that all of it agrees, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.main import get_command

from engine.moments.tasks import TVR_TASKS
from tests.engine.moments.moments_by_hand import Query, SourceByHand, write_tvr
from tests.tui.cli.command_lines import Printed, printed_by, refusal_of
from tui.cli.app import load_commands, run_command_line

FILES = ("p.json", "--gt", "gt.jsonl")
GOOD, FAIR, POOR, NONE = (10.0, 20.0), (10.0, 14.0), (10.0, 11.0), (50.0, 60.0)
QUERIES = [
    Query("a", [(10, 20)], [("a", *GOOD)], 60.0, "a door opens", "v"),
    Query("b", [(10, 20)], [("a", *GOOD), ("b", *GOOD)], 30.0, "=cmd() \x1b[31mred", "v"),
    Query("c", [(10, 20)], [("a", *GOOD), ("c", *FAIR)], 40.0, "a bell rings", "vt"),
    Query("d", [(10, 20)], [("d", *POOR), ("d", *NONE)], 90.0, "a dog barks", "vt"),
    Query("e", [(10, 20)], [("a", *GOOD)], 80.0, "a cat sleeps", "v"),
    Query("a", [(10, 20)], [("a", 12.0, 20.0)], 60.0, "a door closes", "v"),
    Query("b", [(18, 28)], [("b", 18.0, 24.0)], 30.0, "a hat falls", "t"),
    Query("c", [(20, 22)], [("b", *GOOD), ("c", 20.0, 21.0)], 40.0, "a man nods", "t"),
]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    write_tvr(QUERIES, tmp_path, TVR_TASKS)


@pytest.fixture
def moments(capsys: pytest.CaptureFixture[str]) -> Printed:
    return printed_by("moments", capsys)


@pytest.fixture
def refusal(capsys: pytest.CaptureFixture[str]) -> Printed:
    return refusal_of("moments", capsys)


def lines_after(text: str, head: str) -> list[list[str]]:
    """The words of the lines below a heading, up to the next blank line behind the first table."""
    rest = text[text.index(head) :].splitlines()[1:]
    block: list[list[str]] = []
    for line in rest:
        if not line.strip() and len(block) > 2:
            break
        if line.strip() and "───" not in line:
            block.append(line.split())
    return block


def test_json_is_that_of_the_rules_counted_query_by_query(moments: Printed) -> None:
    text = moments(*FILES, "--json")

    by_hand = SourceByHand(QUERIES).official()
    document = json.loads(text)
    assert list(document) == list(by_hand)
    for task, numbers in by_hand.items():
        ratio = document[task].pop("desc_type_ratio", None)
        numbers.pop("desc_type_ratio", None)
        assert document[task] == numbers
        assert list(document[task]) == list(numbers)
        assert ratio == ("v 50.0 t 25.0 vt 25.0" if task.endswith("type") else None)


def test_json_is_laid_out_as_the_official_script_does_it(moments: Printed) -> None:
    text = moments(*FILES, "--json")
    moments(*FILES, "--json", "--out", "official.json")

    assert text == json.dumps(json.loads(text), indent=4) + "\n"
    assert Path("official.json").read_text() == text.removesuffix("\n")


def test_options_may_stand_before_the_predictions(moments: Printed) -> None:
    assert moments("--gt", "gt.jsonl", "p.json", "--json") == moments(*FILES, "--json")


def test_the_summary_begins_with_the_official_numbers(moments: Printed) -> None:
    text = moments(*FILES)

    official = json.loads(moments(*FILES, "--json"))
    head, *rows = lines_after(text, "R@k = 100")[2:]
    assert head == ["task", "IoU", "R@1", "R@5", "R@10", "R@100"]
    assert [row[:2] for row in rows] == [
        ["VCMR", "0.5"], ["VCMR", "0.7"], ["SVMR", "0.5"], ["SVMR", "0.7"], ["VR", "–"],
    ]  # fmt: skip
    for task, iou, *values in rows:
        names = [f"r{k}" if task == "VR" else f"{iou}-r{k}" for k in (1, 5, 10, 100)]
        assert list(map(float, values)) == [official[task][name] for name in names]
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text


def test_the_summary_has_a_bar_for_every_class(moments: Printed) -> None:
    text = moments(*FILES)

    block = text.partition("Why queries fail at 0.5-r1 (VCMR)\n")[2].splitlines()
    # Three hits of eight; one is ranked low, and so is the half of a second of two.
    assert block[0].split() == ["hit", "████▌", "37.50", "%", "3", "right", "at", "rank", "1"]
    counts = {line[:14].strip(): line.split("%")[1].split()[0] for line in block[:5]}
    assert counts == {
        "hit": "3", "ranked low": "2", "nearly right": "1", "wrong time": "1", "wrong video": "1",
    }  # fmt: skip
    assert "rank better" in block[1]
    assert "fit start and end" in block[2]


def test_bars_are_drawn_in_ascii_when_asked(moments: Printed) -> None:
    text = moments(*FILES, "--ascii")

    assert ["hit", "####", "37.50", "%", "3"] in [line.split()[:5] for line in text.splitlines()]
    assert "█" not in text


def test_the_summary_goes_on_with_tasks_curve_and_lengths(moments: Printed) -> None:
    text = moments(*FILES)

    tasks = lines_after(text, "All tasks, % of the queries")
    assert tasks[1] == ["VCMR", "0.5-r1", "37.50", "25.00", "12.50", "12.50", "12.50"]
    assert tasks[2] == ["SVMR", "0.5-r1", "62.50", "0.00", "12.50", "12.50", "12.50"]
    assert tasks[3] == ["VR", "r1", "50.00", "37.50", "–", "–", "12.50"]
    curve = lines_after(text, "Recall over k (down) and IoU (across), %")
    assert curve[0][2:] == [f"0.{tenth}" for tenth in range(1, 10)]
    # Overlaps at rank 1: 1, 0.8, 0.6, and 0.1, which is exactly enough in float32.
    assert curve[1][:2] == ["VCMR", "1"]
    assert curve[1][2:] == ["50.0", *["37.5"] * 5, "25.0", "25.0", "12.5"]
    _, *videos = lines_after(text, "By length of the video")[-4:]
    assert videos[-1][:5] == ["65.0", "to", "90.0", "2", "0.00"]  # the videos of 80 and 90 seconds
    assert "By length of the moment" not in text  # quartiles of 10, 10, 10, 10 … are one bin


def test_lengths_that_are_not_known_are_reported(moments: Printed) -> None:
    lines = [json.loads(line) for line in Path("gt.jsonl").read_text().splitlines()]
    del lines[0]["duration"]
    Path("gt.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    text = moments(*FILES)

    assert ["unknown", "1", "100.00"] in [line.split()[:3] for line in text.splitlines()]


def test_the_recall_that_is_explained_can_be_chosen(moments: Printed) -> None:
    text = moments(*FILES, "--at", "0.7-r5", "--near", "0.5")

    block = text.partition("Why queries fail at 0.7-r5 (VCMR)\n")[2].splitlines()
    counts = {line[:14].strip(): line.split("%")[1].split()[0] for line in block[:5]}
    # The overlap of 0.6 and that of a half are near now; 0.4 is not.
    assert counts == {
        "hit": "3", "ranked low": "0", "nearly right": "2", "wrong time": "2", "wrong video": "1",
    }  # fmt: skip


def test_a_low_overlap_has_its_own_near(moments: Printed) -> None:
    document = json.loads(moments(*FILES, "--iou", "0.2", "--format", "document"))

    assert document["settings"]["near"] == 0.1


def test_tasks_are_chosen_by_name(moments: Printed) -> None:
    document = json.loads(moments(*FILES, "--tasks", "vr", "--json"))

    assert list(document) == ["VR", "VR_by_type"]
    assert "Why queries fail at r5 (VR)" in moments(*FILES, "--tasks", "VR", "--at", "r5")


def test_types_can_be_left_out(moments: Printed) -> None:
    document = json.loads(moments(*FILES, "--no-types", "--json"))

    assert list(document) == ["VCMR", "SVMR", "VR"]
    assert "By type" not in moments(*FILES, "--no-types")


def test_overlaps_and_cutoffs_are_those_asked_for(moments: Printed) -> None:
    document = json.loads(moments(*FILES, "--iou", "0.3,0.9", "--k", "2,1", "--json"))

    assert list(document["VCMR"]) == ["0.3-r1", "0.3-r2", "0.9-r1", "0.9-r2"]


def test_copies_are_dropped_before_ranks_are_counted(moments: Printed) -> None:
    query = Query("a", [(30, 40)], [("a", 10, 20), ("a", 11, 20), ("a", 30, 40)])
    write_tvr([query], Path(), ["VCMR"])

    usual = json.loads(moments(*FILES, "--k", "2", "--json"))
    thinned = json.loads(moments(*FILES, "--k", "2", "--nms", "0.5", "--json"))

    assert (usual["VCMR"]["0.5-r2"], thinned["VCMR"]["0.5-r2"]) == (0.0, 100.0)
    assert "were dropped (nms)" in " ".join(moments(*FILES, "--nms", "0.5").split())


def test_only_so_many_predictions_are_used(moments: Printed) -> None:
    document = json.loads(moments(*FILES, "--max-predictions", "1", "--k", "1", "--json"))

    assert document["SVMR"]["0.5-r1"] == 37.5  # two right moments come second


def test_a_number_that_is_not_defined_is_nan_as_the_official_script_writes_it(
    moments: Printed,
) -> None:
    write_tvr([query for query in QUERIES if query.type == "v"], Path(), ["VR"])

    assert '"t-r1": NaN' in moments(*FILES, "--json")
    assert lines_after(moments(*FILES), "By type")[1] == ["VR", "–", *["50.00", "75.00"], *"––––"]


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("scores.json", '{\n    "VCMR": {\n        "0.5-r1": 37.5,'),
        ("scores", '{\n    "VCMR"'),
        ("scores.csv", 'task,type,iou,k,id,formula,value,n\nVCMR,,0.5,1,VCMR/0.5-r1,"100 ·'),
        ("scores.txt", "8 queries · TVR · VCMR, SVMR, VR"),
        ("scores.md", "# TVR: p.json against gt.jsonl\n\n8 queries.\n\n| task | IoU | R@1"),
    ],
)
def test_the_name_of_the_file_says_what_is_written_and_the_summary_is_printed_unless_quiet(
    moments: Printed, name: str, begins: str
) -> None:
    text = moments(*FILES, "--out", name)

    assert Path(name).read_text().startswith(begins)
    assert text == moments(*FILES)
    assert moments(*FILES, "--out", name, "-q") == ""
    assert Path(name).read_text().startswith(begins)


def test_every_form_holds_the_same_numbers(moments: Printed) -> None:
    official = json.loads(moments(*FILES, "--json"))
    moments(*FILES, "--out", "n.csv")
    table = pd.read_csv("n.csv")
    moments(*FILES, "--format", "document", "--out", "d.json")
    document = json.loads(Path("d.json").read_text())

    assert document["schema"] == "tui-eval/moments@2"
    assert document["official"] == official
    assert set(document["inputs"]) == {"predictions", "truth"}
    by_id = {one["id"]: one["value"] for one in document["numbers"]}
    assert by_id == dict(zip(table.id, table.value, strict=True))
    for path, value in by_id.items():
        key, name = path.split("/")
        assert official[key][name] == value
    vcmr = document["tasks"][0]
    assert 100 * vcmr["classes"][0]["share"] == official["VCMR"]["0.5-r1"]


def test_rows_of_queries_are_compared_and_gated(
    moments: Printed, capsys: pytest.CaptureFixture[str]
) -> None:
    many = QUERIES * 5
    write_tvr(many, Path(), TVR_TASKS)
    moments(*FILES, "--per-query", "old.csv")
    better = [
        Query(q.video, q.spans, [(q.video, *q.spans[0])], q.duration, q.text, q.type) for q in many
    ]
    write_tvr(better, Path(), TVR_TASKS)
    moments(*FILES, "--per-query", "new.parquet")

    assert run_command_line(["compare", "old.csv", "new.parquet", "--json"]) == 0
    compared = json.loads(capsys.readouterr().out)
    text = json.dumps(compared)
    assert "VCMR@0.5" in text
    assert "Success@1" in text
    assert "best_iou" not in text
    assert run_command_line(["compare", "old.csv", "new.parquet"]) == 0
    first = capsys.readouterr().out.partition("R@1 ")[2].split()
    assert first[0] == "0.375"
    gate = ["gate", "old.csv", "--baseline", "new.parquet", "--detect", "0.9"]
    assert run_command_line(gate) == 1
    assert "FAIL" in capsys.readouterr().out


def test_one_query_is_shown_with_why_and_its_predictions(moments: Printed) -> None:
    text = moments(*FILES, "--show", "102")

    lines = text.splitlines()
    assert lines[0] == "102 · a bell rings"
    assert lines[1] == "c (40 s) · right: 10 to 20 s · type vt"
    why = "the right video is at rank 2; the best overlap is 0.400, 0.5 is needed."
    assert f"VCMR at 0.5-r1: nearly right · {why}" in " ".join(text.split())
    rows = lines_after(text, "VCMR at 0.5-r1")
    assert ["2", "10.00", "14.00", "0.400", "◐", "nearly", "right", "c"] in rows


def test_several_queries_are_shown_as_json(moments: Printed) -> None:
    text = moments(*FILES, "--show", "101", "--show", "104", "--tasks", "VCMR", "--json")

    document = json.loads(text)
    assert document["schema"] == "tui-eval/moment@2"
    assert [(one["id"], one["class"]) for one in document["queries"]] == [
        (101, "ranked low"), (104, "wrong video"),
    ]  # fmt: skip
    assert document["queries"][0]["shown"][1]["mark"] == "ranked low"
    assert document["queries"][0]["shown"][1]["score"] == 0.5
    assert document["queries"][0]["shown"][1]["shared"] == 10


def test_a_near_miss_never_reads_like_a_hit(moments: Printed) -> None:
    write_tvr([Query("a", [(10, 20)], [("a", 10, 14.9998)])], Path(), ["VCMR"])

    text = moments(*FILES, "--show", "100")

    assert ["1", "10.00", "15.00", "0.499", "◐", "nearly", "right", "a"] in map(
        str.split, text.splitlines()
    )


@pytest.mark.parametrize(("option", "count"), [((), 10), (("--predictions", "12"), 12)])
def test_so_many_predictions_are_listed(
    moments: Printed, option: tuple[str, ...], count: int
) -> None:
    write_tvr([Query("a", [(10, 20)], [("a", *NONE)] * 30)], Path(), ["VCMR"])

    text = moments(*FILES, "--show", "100", *option)

    assert text.count("wrong time   a") == count
    assert f"{count} of 30 predictions" in text
    assert moments(*FILES, "--show", "100", "--predictions", "0").count("wrong time   a") == 30


def test_what_is_odd_about_the_files_is_reported_with_a_query(moments: Printed) -> None:
    write_tvr([Query("a", [(10, 20)])], Path(), ["VCMR"])
    note = "VCMR: 1 of 1 queries have no prediction: they count 0"

    assert f"· {note}" in moments(*FILES, "--show", "100").splitlines()
    assert json.loads(moments(*FILES, "--show", "100", "--json"))["notes"] == [note]
    assert "(nms)" in moments(*FILES, "--show", "100", "--nms", "0.5")


def test_a_score_that_is_no_number_hides_no_query(moments: Printed) -> None:
    text = Path("p.json").read_text().replace("1.0]", '"high"]', 1)  # of the first task alone
    Path("p.json").write_text(text)

    document = json.loads(moments(*FILES, "--show", "100", "--json"))

    scores = [one["shown"][0]["score"] for one in document["queries"]]
    assert scores == [None, 1.0, 1.0]
    (note,) = document["notes"]
    assert note.startswith("scores are not shown: VCMR, entry 1 (desc_id 100), prediction 1: the")
    json.loads(moments(*FILES, "--json"))  # scores decide about nothing


def test_a_tiny_overlap_has_its_official_name_everywhere(moments: Printed) -> None:
    tiny = (*FILES, "--iou", "0.00001")

    moments(*tiny, "--out", "x.csv")
    document = json.loads(moments(*tiny, "--format", "document"))

    assert pd.read_csv("x.csv")["id"][0] == "VCMR/1e-05-r1"
    assert json.loads(moments(*tiny, "--json"))["VCMR"]["1e-05-r1"] == 50.0
    settings = document["settings"]
    assert (settings["at"]["VCMR"], settings["near"]) == ("1e-05-r1", 5e-06)
    assert "VCMR at 1e-05-r5" in moments(*tiny, "--at", "1e-05-r5", "--show", "101")


def test_texts_of_files_do_not_speak_to_the_terminal(moments: Printed) -> None:
    text = moments(*FILES, "--show", "101")

    assert "\x1b" not in text
    assert "\\x1b[31mred" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("p.json",), "--gt is missing; name the ground truth with --gt FILE"),
        (("--gt", "gt.jsonl"), "PREDICTIONS is missing"),
        (("none.json", "--gt", "gt.jsonl"), "none.json: no such file"),
        ((*FILES, "--iou", "1.5"), "--iou '1.5' is not a list of numbers above 0 and up to 1"),
        ((*FILES, "--iou", "nan"), "--iou 'nan'"),
        ((*FILES, "--iou", ","), "--iou ','"),
        ((*FILES, "--k", "0"), "--k is '0'; list whole numbers"),
        (
            (*FILES, "--k", "5,200"),
            "--k 200 is more than the 100 predictions that are used; write --k 5, or raise "
            "--max-predictions",
        ),
        ((*FILES, "--max-predictions", "10"), "write --k 1,5,10, or raise"),
        ((*FILES, "--max-predictions", "0"), "--max-predictions 0 is less than 1"),
        ((*FILES, "--nms", "2"), "--nms 2 is not between 0 and 1"),
        ((*FILES, "--tasks", "XX"), "--tasks has 'XX', which is no task; choose from VCMR, SVMR"),
        ((*FILES, "--tasks", "VR,MR"), "are of two benchmarks"),
        (
            (*FILES, "--tasks", "MR", "--benchmark", "tvr"),
            "'MR', a task of QVHighlights, not of TVR",
        ),
        ((*FILES, "--tasks", "MR"), "p.json: has no MR, only VCMR, SVMR, VR"),
        ((*FILES, "--benchmark", "other"), "'other' is not one of 'tvr', 'qvh', 'auto'"),
        ((*FILES, "--at", "half"), "--at 'half' names no recall; write it as 0.5-r1"),
        ((*FILES, "--at", "0.5-r200"), "only 100 predictions are used; add --max-predictions 200"),
        ((*FILES, "--tasks", "HL"), "no task; highlights are scored whenever they are there"),
        ((*FILES, "--at", "r1"), "--at r1: VCMR needs an IoU; write --at 0.5-r1"),
        ((*FILES, "--tasks", "VR", "--at", "0.5-r1"), "VR ignores times; write --at r1"),
        ((*FILES, "--near", "0.5"), "--near 0.5 is not above 0 and below the IoU 0.5 of --at"),
        ((*FILES, "--show", "1022"), "gt.jsonl: has no query '1022'; did you mean 102?"),
        ((*FILES, "--show", "101", "--per-query", "x.csv"), "--show and --per-query were given"),
        ((*FILES, "--show", "101", "--out", "x.csv"), "--show and --format csv were given"),
        ((*FILES, "--show", "101", "--out", "x.md"), "--show and --format markdown were given"),
        ((*FILES, "--show", "101", "--predictions", "-1"), "--predictions -1 is less than 0"),
        ((*FILES, "--predictions", "5"), "--predictions was given without --show"),
        ((*FILES, "--out", "gt.jsonl"), "gt.jsonl: is an input of this command"),
        ((*FILES, "--per-query", "p.json"), "p.json: is an input of this command"),
        ((*FILES, "--out", "a.csv", "--per-query", "a.csv"), "a.csv: is named for two outputs"),
        ((*FILES, "--json", "--format", "document"), "--json and --format document were given"),
        ((*FILES, "--per-query", "x.txt"), "x.txt: cannot write per-query results as .txt"),
        ((*FILES, "--out", "nowhere/x.json"), "nowhere: the folder does not exist"),
        ((*FILES, "--nonsense"), "see tui-eval moments --help"),
        ((*FILES, "more.json"), "see tui-eval moments --help"),
    ],
)
def test_what_is_wrong_is_one_line(
    refusal: Printed, arguments: tuple[str, ...], message: str
) -> None:
    assert message in refusal(*arguments)


def test_nothing_is_written_when_the_files_do_not_match(refusal: Printed) -> None:
    lines = Path("gt.jsonl").read_text().splitlines()
    Path("gt.jsonl").write_text("\n".join(lines[1:]) + "\n")
    Path("out.json").write_text("old")

    assert "100" in refusal(*FILES, "--out", "out.json", "--per-query", "rows.csv")
    assert Path("out.json").read_text() == "old"
    assert not Path("rows.csv").exists()


def test_help_names_the_command_as_it_is_typed(moments: Printed) -> None:
    text = moments("--help")

    assert "Usage: tui-eval moments [OPTIONS] [PREDICTIONS]" in text
    assert "tui-eval moments submission.json --gt tvr_val_release.jsonl" in text
    assert "--per-query" in text
    assert "validate  Check a submission before you send it" in text


def test_a_submission_is_checked_by_the_command_beside_it(
    moments: Printed, refusal: Printed, capsys: pytest.CaptureFixture[str]
) -> None:
    assert moments("validate", *FILES).splitlines()[-1].startswith("valid: 0 errors")
    assert "Usage: tui-eval moments validate [OPTIONS]" in moments("validate", "--help")
    assert refusal("validate").endswith("; see tui-eval moments validate --help")
    Path("broken.json").write_text('{"video2idx": {}, "VCMR": {}}')
    assert run_command_line(["moments", "validate", "broken.json"]) == 2
    assert capsys.readouterr().out.splitlines()[-1].startswith("not valid: ")


@pytest.mark.parametrize(
    ("words", "typed", "options"),
    [
        (["p.json"], "--m", ["--max-predictions"]),
        (["--gt", "gt.jsonl"], "--nm", ["--nms"]),
        (["validate", "p.json"], "--gt-", ["--gt-test"]),
    ],
)
def test_options_are_completed(words: list[str], typed: str, options: list[str]) -> None:
    from typer._click.shell_completion import _resolve_context

    context = _resolve_context(get_command(load_commands()), {}, "tui-eval", ["moments", *words])

    found = [item.value for item in context.command.shell_complete(context, typed)]
    assert found == options
