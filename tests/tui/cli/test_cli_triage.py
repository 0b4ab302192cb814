"""`tui-eval triage`, `triage show` and `triage list`: what a person reads, and what is refused."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.base.progress import Step
from engine.triage.registry import ANALYSES
from engine.triage.saved_triage import SavedTriage, read_triage
from tests.conftest import ROOT
from tests.tui.cli.command_lines import Printed, printed_by, refusal_of
from tui.cli.app import run_command_line
from tui.cli.shared.console import _name_part, as_text
from tui.cli.triage.options import ANALYSIS_NAMES
from tui.cli.triage.view import build_finding_view, build_triage_view

SAVED = str(ROOT / "tests/data/saved/triage.json")
QUICK = ("--mode", "video", "--resamples", "100")
ODD = re.compile(r"\bnan\b|\binf\b|\bNone\b|\b1 (?:clips|queries|texts|pairs)\b|\b0 of 0\b")
"""What no sentence says."""


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    return printed_by("triage", capsys)


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Printed:
    return refusal_of("triage", capsys)


def write_dataset(
    folder: Path, clips: int, kinds: str, *, dimension: int = 16, seed: int = 1
) -> str:
    """Clips with one keyword of the group a each, in turn, and another of b; random vectors."""
    rng = np.random.default_rng(seed)
    ids = [f"c{number}" for number in range(clips)]
    rows = [f"{one},{kinds[n % len(kinds)]},{'uv'[n % 2]}\n" for n, one in enumerate(ids)]
    (folder / "clips.csv").write_text("slice_id,pv_a,pv_b\n" + "".join(rows))
    models = ""
    for name in ("one", "two"):
        vectors = rng.normal(size=(clips, dimension)).astype(np.float32)
        np.savez(folder / f"{name}.npz", ids=np.array(ids), embeddings=vectors)
        models += f'[models.{name}]\nembeddings = "{name}.npz"\n'
    (folder / "dataset.toml").write_text(
        f'schema = "tui-eval/dataset@1"\nname = "tiny"\nannotations = "clips.csv"\n{models}'
    )
    return str(folder)


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    """Forty clips of two groups, and two models that know nothing."""
    return write_dataset(tmp_path, 40, "xyz")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> SavedTriage:
    """What the later model of the sample dataset makes of the earlier one's findings."""
    path = tmp_path_factory.mktemp("triage") / "triage.json"
    lines = ["triage", "-m", "alfa-0.2", "-b", "alfa-0.1", "--mode", "video"]
    assert run_command_line([*lines, "--resamples", "500", "--out", str(path), "-q"]) == 0
    return read_triage(path)


def test_the_options_name_the_analyses_of_the_registry() -> None:
    assert [*ANALYSIS_NAMES] == [one.name for one in ANALYSES]


def test_the_progress_of_the_analyses_has_a_name() -> None:
    assert _name_part(Step("", "triage", 3, 14)) == "analyses"


def test_the_list_says_of_each_analysis_what_it_answers_and_needs(printed: Printed) -> None:
    said = " ".join(printed("list").split())

    for one in ANALYSES:
        assert f"{one.name} {one.question} Needs: {one.needs} {one.method}" in said
    document = json.loads(printed("list", "--json"))
    assert [one["name"] for one in document["analyses"]] == [*ANALYSIS_NAMES]


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_the_table_fits_the_terminal_and_breaks_no_name_of_an_analysis(
    sample: SavedTriage, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))

    said = as_text(*build_triage_view(sample, 10))

    assert max(map(len, said.splitlines())) <= width
    words = [word.rstrip(":") for word in said.split()]
    assert {one.analysis for one in sample.findings if one.outcome == "found"} <= {*words}
    assert "looks" in words and "substitutions" in words
    assert ("[interval]" in words) is (width >= 80)
    assert "p" in words
    assert ODD.findall(said) == []


def test_the_table_has_the_verdicts_what_is_lacking_findings_changes_and_the_rest(
    sample: SavedTriage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")

    lines = as_text(*build_triage_view(sample, 3)).splitlines()

    heads = [line for line in lines if re.match(r"[A-Z0-9].*", line) and "  " not in line]
    for start in (
        "Where P@5 falls short of 1",
        "Since alfa-0.1: ",
        "Not sure enough",
        "Nothing wrong",
    ):
        assert any(head.startswith(start) for head in heads), heads
    found = [line for line in lines if re.match(r" +\d+ +0\.\d{3} ", line)]
    assert len(found) == 3
    first = next(one for one in sample.findings if one.outcome == "found")
    assert f"1     {first.severity:.3f}  {first.analysis}" in found[0]
    assert any(re.fullmatch(r"\d+ further changes \(--top \d+ lists all\)", one) for one in lines)
    assert any("tui-eval triage show 1 has the evidence" in line for line in lines[-2:])


def test_a_change_has_the_number_by_which_it_is_shown(
    sample: SavedTriage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")

    said = as_text(*build_triage_view(sample, 100))

    rows = re.findall(r"^ (new|gone|worse|better) +(\d+)  (\w+)", said, re.MULTILINE)
    kinds = {one.id: one.kind for one in sample.changes}
    assert len(rows) == sum(kind != "same" for kind in kinds.values()) > 0
    for kind, number, analysis in rows:
        finding = sample.findings[int(number) - 1]
        assert (kinds[finding.id], finding.analysis) == (kind, analysis)


@pytest.mark.parametrize("width", [60, 120])
def test_findings_of_every_kind_can_be_shown(
    sample: SavedTriage, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))

    kinds = {(one.analysis, one.outcome): one for one in sample.findings}
    assert len(kinds) > len({one.analysis for one in sample.findings}) > 5
    for one in kinds.values():
        said = as_text(*build_finding_view(sample, one))
        assert " ".join(one.sentence.split()[:3]) in " ".join(said.split())
        assert max(map(len, said.splitlines())) <= max(width, len(one.id) + 1)
        assert ODD.findall(said) == [], said


def test_markdown_and_the_table_say_the_same(printed: Printed, tiny: str) -> None:
    asked = (tiny, *QUICK, "--analyses", "hubs,readable", "--baseline", "two")

    markdown = printed(*asked, "--format", "markdown")
    table = " ".join(printed(*asked).split())

    assert markdown.startswith("# Triage of one on tiny\n")
    assert "## Findings" in markdown and "## Since two" in markdown
    document = json.loads(printed(*asked, "--json"))
    told = {"unsure", "unknown", "nothing"}
    first = next(one for one in document["findings"] if one["outcome"] in told)
    assert first["sentence"] in table


def test_quiet_with_a_file_prints_nothing(tiny: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = Path(tiny) / "found.md"

    code = run_command_line(["triage", tiny, *QUICK, "--analyses", "hubs", "-o", str(out), "-q"])

    printed = capsys.readouterr()
    assert (code, printed.out) == (0, "")
    assert all(line.startswith("note: ") for line in printed.err.splitlines())
    assert out.read_text().startswith("# Triage of one")


def test_colours_are_left_out_of_a_pipe(printed: Printed, tiny: str) -> None:
    assert "\x1b" not in printed(tiny, *QUICK, "--analyses", "hubs")


@pytest.mark.parametrize(
    ("clips", "kinds", "said"),
    [
        (2, "xy", "Nothing could be tested"),
        (30, "x", "not known"),
        (12, "xyz", "too few pairs"),
        (40, "xyz", "No frames can be read"),
    ],
)
def test_little_data_is_said_in_plain_sentences(
    clips: int, kinds: str, said: str, tmp_path: Path, printed: Printed
) -> None:
    folder = write_dataset(tmp_path, clips, kinds)

    shown = printed(folder, *QUICK, "--groups", "a")

    assert said in " ".join(shown.split())
    assert ODD.findall(shown) == []


def test_one_clip_or_no_keyword_is_one_line(tmp_path: Path, refused: Printed) -> None:
    single = write_dataset(tmp_path, 1, "x")
    assert "no other clip to find" in refused(single, *QUICK)

    (tmp_path / "clips.csv").write_text("slice_id,pv_a\nc0,\nc1,\n")
    np.savez(tmp_path / "one.npz", ids=np.array(["c0", "c1"]), embeddings=np.eye(2))
    assert "no video query is left" in refused(single, *QUICK)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--analyses", "nonsense"), 'no analysis "nonsense"; analyses: slices, blame'),
        (("--analyses", "slice"), 'no analysis "slice"; did you mean "slices"?'),
        (("--k", "1,3"), "--k 1,3 names several cut-offs; one number, say --k 5"),
        (("--k", "0"), "--k is '0'; one number, say --k 5"),
        (("--baseline", "one"), "one would be compared with itself; name another model: two"),
        (("--baseline", "three"), "no model 'three'"),
        (("--model", "three"), "no model 'three'"),
        (("--visual", "eyes"), "no model 'eyes' to look at the clips with; choose frames or"),
        (("--groups", "c"), 'unknown group "c"'),
        (("--alpha", "0"), "alpha is 0; give one between 0 and 1"),
        (("--alpha", "nan"), "alpha is nan"),
        (("--level", "1"), "level is 1; give one between 0 and 1"),
        (("--resamples", "5"), "resamples is 5; at least 100"),
        (("--seed", "-1"), "seed is -1"),
        (("--mode", "text"), "text queries have 384 dimensions"),
        (("--out", "x.csv"), "x.csv: this command writes no .csv"),
        (("--min-similarity", "0.2"), "--min-similarity"),
        (("--json", "--quiet"), "--quiet and the format json were given, but no file"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    given: tuple[str, ...], said: str, tiny: str, refused: Printed
) -> None:
    assert said in refused(tiny, *QUICK[2:], *(() if "--mode" in given else QUICK[:2]), *given)


def test_a_finding_is_shown_by_its_number_its_id_and_a_part_of_it(printed: Printed) -> None:
    found = read_triage(Path(SAVED))
    first = found.findings[0]

    shown = {printed("show", name, "--from", SAVED) for name in ("1", first.id)}

    assert len(shown) == 1 and first.id in shown.pop()
    assert "used/actor-behavior" in printed("show", "actor", "--from", SAVED)
    document = json.loads(printed("show", "used/object-type", "--from", SAVED, "--json"))
    assert [one["id"] for one in document["findings"]] == ["used/object-type"]
    asked = {*document["findings"][0]["queries"]}
    assert {one["query"] for one in document["evidence"]} == asked != set()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("used", '"used" matches 2 findings; write one of them: used/'),
        ("usde/actor-behavior", 'did you mean "used/actor-behavior"?'),
        ("nonsense", 'no finding "nonsense"; tui-eval triage --json lists all of them'),
        ("0", "no finding 0; they are numbered from 1 to "),
        ("9" * 5_000, "no finding 9999"),
    ],
)
def test_a_finding_that_is_not_there_is_one_line(name: str, said: str, refused: Printed) -> None:
    assert said in refused("show", name, "--from", SAVED)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("x = 1", "is not valid JSON"),
        ("[1]", "is no triage; write one: tui-eval triage --out triage.json"),
        ('{"schema": "tui-eval/run@2"}', "is no triage"),
        ('{"schema": "tui-eval/triage@1"}', 'the document has no "findings"'),
    ],
)
def test_a_file_that_is_no_triage_is_one_line(
    content: str, said: str, tmp_path: Path, refused: Printed
) -> None:
    file = tmp_path / "file.json"
    file.write_text(content)

    assert said in refused("show", "1", "--from", str(file))


@pytest.mark.parametrize("given", [("--model", "alfa-0.2"), ("-d", "sample"), ("--ids", "x.txt")])
def test_a_triage_that_was_saved_is_of_its_own_dataset_and_model(
    given: tuple[str, ...], refused: Printed
) -> None:
    said = refused("show", "1", "--from", SAVED, *given)

    assert said.startswith("error: --from and --") and said.endswith("the file is whole")


def write_freshly(folder: Path, name: str, *arguments: str) -> dict[str, Any]:
    """The document of a triage in a process of its own, and its bytes beside it."""
    code = "from tui.cli import main; main()"
    asked = ("triage", "--mode", "video", "--resamples", "200", *arguments)
    subprocess.run(
        [sys.executable, "-c", code, *asked, "--out", str(folder / name), "--quiet"],
        check=True,
        cwd=ROOT,
        capture_output=True,
    )
    return json.loads((folder / name).read_bytes())  # type: ignore[no-any-return]


@pytest.mark.slow
def test_the_same_seed_writes_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    for name in ("one.json", "two.json"):
        write_freshly(tmp_path, name)

    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


@pytest.mark.slow
def test_with_model_and_baseline_swapped_every_change_is_the_other_way_round(
    tmp_path: Path,
) -> None:
    models = ("alfa-0.1", "alfa-0.2")
    there, back = (
        write_freshly(tmp_path, f"{model}.json", "--model", model, "--baseline", other)
        for model, other in (models, models[::-1])
    )

    turned = {"new": "gone", "gone": "new", "worse": "better", "better": "worse", "same": "same"}
    others = {one["id"]: one for one in back["changes"]}
    assert others.keys() == {one["id"] for one in there["changes"]} != set()
    kinds = {one["kind"] for one in there["changes"]}
    assert kinds > {"same"}
    for one in there["changes"]:
        other = others[one["id"]]
        assert (one["before"], one["after"]) == (other["after"], other["before"])
        assert other["kind"] == turned[one["kind"]]
        if one["difference"] is not None:
            assert one["difference"] == pytest.approx(-other["difference"])
            assert one["interval"] == pytest.approx([-end for end in other["interval"][::-1]])
            assert one["corrected_p"] == pytest.approx(other["corrected_p"])


def test_ctrl_c_ends_it_without_a_word_of_its_own(
    tiny: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupt_while(monkeypatch, "engine.triage.compare_models.triage")

    assert run_command_line(["triage", tiny, *QUICK]) == 130

    assert tuple(capsys.readouterr()) == ("", "")


def interrupt_while(monkeypatch: pytest.MonkeyPatch, called: str) -> None:
    def interrupt(*_: object) -> Callable[[], None]:
        raise KeyboardInterrupt

    monkeypatch.setattr(called, interrupt)
