"""`tui-eval gate` as CI calls it: exit codes, files, and what is printed where."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT, CommandLine
from tests.engine.triage.triage_by_hand import BLAME, LOOKS, write_triage

pytestmark = pytest.mark.slow

NASTY = "::error title=x::y ##[add-mask]z \x1b[31m"


@pytest.fixture(scope="module")
def runs(tui_eval: CommandLine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """a.json and b.json: the sample's two models on video queries, which need no text encoder."""
    folder = tmp_path_factory.mktemp("runs")
    for name, model in (("a", "alfa-0.1"), ("b", "alfa-0.2")):
        options = ("--mode", "video", "--model", model, "--out", folder / f"{name}.json")
        assert tui_eval("run", *options).returncode == 0
    return folder


def environment(**values: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "GITHUB_STEP_SUMMARY"}
    return {**kept, **values}


def per_query(path: Path, values: list[float], query: str = "query") -> Path:
    lines = ["mode,query,keywords,relevant,P@5"]
    lines += [f'text,"{query} {n}",object:car,3,{value}' for n, value in enumerate(values)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_run_that_is_worse_fails_with_exit_code_1(tui_eval: CommandLine, runs: Path) -> None:
    wide = environment(COLUMNS="120")
    done = tui_eval("gate", "a.json", "--baseline", "b.json", cwd=runs, env=wide)

    assert done.returncode == 1
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"FAIL: \d+ of \d+ checks", lines[0])
    assert lines[1] == "a.json (alfa-0.1) against b.json (alfa-0.2)"
    assert re.search(r"FAIL +video mean +0\.539 → 0\.372 +−0\.167 \[−0\.1\d\d, −0\.1", done.stdout)
    assert "Worst queries of video Recall@5, mean" in done.stdout
    assert "Recall@5 is P@5 = hits@5 / 5" in done.stdout


def test_identical_runs_pass_with_exit_code_0(tui_eval: CommandLine, runs: Path) -> None:
    done = tui_eval("gate", "a.json", "--baseline", "a.json", cwd=runs)

    assert done.returncode == 0
    assert done.stdout.startswith("PASS: ")
    assert re.search(r"\d+ further slices pass \(--all lists them\)", done.stdout)


def test_too_few_queries_are_exit_code_3(tui_eval: CommandLine, tmp_path: Path) -> None:
    old = per_query(tmp_path / "old.csv", [0.2, 0.8, 0.4] * 5)
    new = per_query(tmp_path / "new.csv", [0.4, 0.6, 0.2] * 5)

    done = tui_eval("gate", new, "--baseline", old)
    enough = tui_eval("gate", new, "--baseline", old, "--detect", "0.5")

    assert done.returncode == 3
    assert done.stdout.startswith("UNDERPOWERED: nothing failed")
    said = " ".join(done.stdout.split())
    assert re.search(r"smallest drop that could have been seen is 0\.\d{3}", said)
    assert re.search(r"to see 0\.050 takes about \d+ queries, there are 15", said)
    assert enough.returncode == 0


@pytest.mark.parametrize(("limit", "code"), [("Recall@5=0.37", 0), ("video:Recall@5=0.38", 1)])
def test_a_limit_needs_no_baseline(
    tui_eval: CommandLine, runs: Path, limit: str, code: int
) -> None:
    done = tui_eval("gate", "a.json", "--fail-under", limit, "--json", cwd=runs)

    assert done.returncode == code
    (check,) = json.loads(done.stdout)["checks"]
    assert re.fullmatch(
        r"video Recall@5 is 0\.372 \(95 % CI 0\.3\d\d to 0\.4\d\d, n = 271\), "
        r"(not )?below 0\.3[78]",
        check["message"],
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["a.json"], "nothing to hold the run against; give --baseline RUN"),
        (["a.json", "--fail-under", "Recall@5"], "is not METRIC=NUMBER; write --fail-under Recall"),
        (
            ["a.json", "--fail-under", "Recal@5=1"],
            "unknown metric 'Recal@5'; did you mean Recall@5",
        ),
        (["a.json", "--fail-under", "text:MRR@5=1"], "has no text queries; it has video"),
        (["a.json", "-b", "b.json", "--metrics", "MedR"], "a.json (alfa-0.1) has no MedR; it has"),
        (["a.json", "-b", "none.json"], "none.json: no such file"),
        (["a.json", "-b", "b.json", "--epsilon", "-1"], "epsilon is -1; give"),
        (["a.json", "-b", "b.json", "--github", "--json"], "would both be written to stdout"),
        (["a.json", "-b", "b.json", "--junit", "b.json"], "is an input of this command"),
        (["a.json", "-b", "b.json", "--out", "no/x.json"], "the folder does not exist"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    tui_eval: CommandLine, runs: Path, options: list[str], said: str
) -> None:
    done = tui_eval("gate", *options, cwd=runs)

    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr


def test_runs_of_other_queries_are_bad_input(tui_eval: CommandLine, tmp_path: Path) -> None:
    old = per_query(tmp_path / "old.csv", [0.2, 0.8], query="rain")
    new = per_query(tmp_path / "new.csv", [0.4, 0.6], query="snow")

    done = tui_eval("gate", new, "--baseline", old)

    assert done.returncode == 2
    assert f"{old} and {new} have no query in common" in done.stderr


# New findings


def write_triage_of(model: str, folder: Path, /, **more: Any) -> Path:
    """A triage of one of the sample's models, with a new finding that is severe and sure."""
    own = {"model": {"name": model}, "dataset": {"name": "sample", "source": None}, "inputs": {}}
    path = folder / "triage.json"
    path.write_text(json.dumps(write_triage(**{**own, **more})), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 1),
        (("--severity", "0.2"), 0),
        (("--severity", "0.2", "--fail-under", "Recall@5=0.9"), 1),
        (("--severity", "0.2", "--baseline", "a.json", "--fail-under", "Recall@5=0.1"), 0),
    ],
)
def test_a_new_finding_above_a_severity_fails(
    tui_eval: CommandLine, runs: Path, tmp_path: Path, options: tuple[str, ...], code: int
) -> None:
    triage = write_triage_of("alfa-0.1", tmp_path)

    wide = environment(COLUMNS="200")
    done = tui_eval("gate", "a.json", "--triage", triage, *options, cwd=runs, env=wide)

    assert done.returncode == code, done.stderr
    assert done.stdout.startswith("FAIL: 1 of " if code else "PASS: ")
    said = " ".join(done.stdout.split())
    assert f"new finding {BLAME}, severity 0.100" in said
    assert ("up to 0.100 points of Recall@5 (severity), not below 0.02" in said) == (options == ())
    assert "1 finding is worse than in old, but not new" in said and LOOKS in said


def test_all_formats_tell_of_a_finding(tui_eval: CommandLine, runs: Path, tmp_path: Path) -> None:
    triage = write_triage_of("alfa-0.1", tmp_path)
    files = ("--out", tmp_path / "gate.json", "--junit", tmp_path / "gate.xml")

    done = tui_eval("gate", "a.json", "--triage", triage, "--github", *files, cwd=runs)

    assert done.returncode == 1
    document = json.loads((tmp_path / "gate.json").read_text())
    assert document["inputs"]["triage"]["path"] == str(triage)
    assert [check["finding"] for check in document["checks"]] == [BLAME]
    assert f"::error title=new finding {BLAME}::" in done.stdout
    assert next(ET.parse(tmp_path / "gate.xml").iter("failure")).attrib["type"] == "finding"


@pytest.mark.parametrize(
    ("changed", "options", "said"),
    [
        ({"baseline": None}, (), "no baseline, so no finding in it is new; write it again: tui-ev"),
        ({"model": {"name": "alfa-0.2"}}, (), "is of the model 'alfa-0.2', and a.json (alfa-0.1)"),
        ({"dataset": {"name": "x", "source": None}}, (), "is of the dataset 'x', and a.json"),
        (
            {"inputs": {"embeddings": {"path": "e.npz", "sha256": "0"}}},
            (),
            "was computed from other embeddings than a.json (alfa-0.1); carry out the older",
        ),
        ({"schema": "tui-eval/run@2"}, (), "is no triage; write one: tui-eval triage --out"),
        ({}, ("--severity", "-1"), "the severity is -1; give points of the metric's mean"),
        ({}, ("--severity", "nan"), "the severity is nan"),
        ({}, ("--severity", "2"), "the severity is 2"),
        ({}, ("--severity", "much"), "Invalid value for '--severity'"),
        ({}, ("--out", "triage.json"), "is an input of this command"),
        ({}, ("--metrics", "MRR@5"), "--metrics chooses what is compared with a baseline"),
    ],
)
def test_a_triage_that_says_nothing_of_the_run_is_bad_input(
    tui_eval: CommandLine,
    runs: Path,
    tmp_path: Path,
    changed: dict[str, Any],
    options: tuple[str, ...],
    said: str,
) -> None:
    shutil.copy(runs / "a.json", tmp_path)
    write_triage_of("alfa-0.1", tmp_path, **changed)

    done = tui_eval("gate", "a.json", "--triage", "triage.json", *options, cwd=tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr


def test_a_severity_needs_a_triage(tui_eval: CommandLine, runs: Path) -> None:
    limit = ("--fail-under", "Recall@5=0.1")
    done = tui_eval("gate", "a.json", *limit, "--severity", "0.1", cwd=runs)

    assert (done.returncode, done.stdout) == (2, "")
    assert "--severity needs --triage; add --triage FILE.json" in done.stderr


@pytest.mark.parametrize(("model", "code"), [("alfa-0.1", 1), ("alfa-0.2", 0)])
def test_the_documented_gate_of_findings_can_be_run_as_it_stands(
    runs: Path, tmp_path: Path, model: str, code: int
) -> None:
    """The better model has the same triage but for the new finding."""
    shutil.copy(runs / ("a.json" if code else "b.json"), tmp_path / "run.json")
    shutil.copy(runs / ("a.json" if code else "b.json"), tmp_path / "baseline.json")
    write_triage_of(model, tmp_path, **({} if code else {"changes": []}))

    done = run_step("Gate", documented_steps("findings"), tmp_path)

    assert done.returncode == code, done.stderr
    assert ET.parse(tmp_path / "gate.xml").getroot().attrib["failures"] == str(code)


def test_a_run_that_lost_queries_is_bad_input_unless_that_is_allowed(
    tui_eval: CommandLine, tmp_path: Path
) -> None:
    per_query(tmp_path / "old.csv", [0.4, 0.6] * 26)
    per_query(tmp_path / "new.csv", [0.4, 0.6] * 13)
    options = ("gate", "new.csv", "--baseline", "old.csv")

    done = tui_eval(*options, cwd=tmp_path)
    allowed = tui_eval(*options, "--allow-missing", "--json", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert (
        'new.csv: lacks 26 of the 52 text queries of old.csv (first: "query 26"); ' in done.stderr
    )
    assert "compare what both have with --allow-missing" in done.stderr
    assert allowed.returncode == 0
    document = json.loads(allowed.stdout)
    assert document["settings"]["allow_missing"] is True
    assert "26 text queries of old.csv are in it alone: left out" in document["notes"]


def test_the_profile_says_what_the_names_of_metrics_mean(
    tui_eval: CommandLine, tmp_path: Path
) -> None:
    """Recall@5 is hits / 5 in the profile alfa, and hits / relevant in ir."""
    rows = ["mode,query,keywords,relevant,P@5,R@5", *(f"text,q{n},,10,0.8,0.4" for n in range(9))]
    (tmp_path / "run.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    options = ("gate", "run.csv", "--fail-under", "Recall@5=0.5")

    usual = tui_eval(*options, cwd=tmp_path)
    ir = tui_eval(*options, "--profile", "ir", "--json", cwd=tmp_path)
    wrong = tui_eval(*options, "--profile", "none", cwd=tmp_path)

    assert (usual.returncode, ir.returncode, wrong.returncode) == (0, 1, 2)
    document = json.loads(ir.stdout)
    assert (document["profile"], document["checks"][0]["metric"]["id"]) == ("ir", "R@5")
    assert len(wrong.stderr.splitlines()) == 1


def test_all_formats_tell_of_the_same_checks(
    tui_eval: CommandLine, runs: Path, tmp_path: Path
) -> None:
    junit, out, text = tmp_path / "gate.xml", tmp_path / "gate.json", tmp_path / "gate.md"
    options = ("gate", "a.json", "-b", "b.json", "--fail-under", "MRR@5=0.1")

    done = tui_eval(*options, "--junit", junit, "--out", out, cwd=runs)
    tui_eval(*options, "--out", text, cwd=runs)

    document = json.loads(out.read_text())
    suite = ET.parse(junit).getroot()[0]
    assert (done.returncode, done.stdout) == (1, tui_eval(*options, cwd=runs).stdout)
    assert done.stderr.splitlines() == [f"wrote {junit}", f"wrote {out}"]
    silent = tui_eval(*options, "--quiet", cwd=runs)
    assert (silent.returncode, silent.stdout, silent.stderr) == (1, "", "")
    assert int(suite.attrib["tests"]) == len(document["checks"])
    failed = [check for check in document["checks"] if check["verdict"] == "fail"]
    assert int(suite.attrib["failures"]) == len(failed)
    assert text.read_text().startswith(f"### {document['summary']}\n")


def test_the_same_command_gives_the_same_bytes(tui_eval: CommandLine, runs: Path) -> None:
    options = ("gate", "a.json", "-b", "b.json", "--json")

    assert tui_eval(*options, cwd=runs).stdout == tui_eval(*options, cwd=runs).stdout


@pytest.mark.parametrize("columns", [80, 120])
def test_the_table_fits_and_failures_come_first(
    tui_eval: CommandLine, runs: Path, columns: int
) -> None:
    done = tui_eval(
        "gate", "a.json", "-b", "b.json", "--all", cwd=runs, env=environment(COLUMNS=str(columns))
    )

    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= columns
    verdicts = [line.split()[0] for line in lines if line.startswith((" FAIL ", " pass "))]
    assert verdicts == sorted(verdicts), "FAIL before pass"
    assert ("before → after" in done.stdout) == (columns == 120)
    assert "change  [interval]" in done.stdout and "CI" not in done.stdout, "levels differ"


def test_a_reader_that_goes_away_does_not_change_the_verdict(runs: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    program = str(Path(sys.executable).parent / "tui-eval")
    command = [program, "gate", "a.json", "-b", "b.json", "--all"]
    done = subprocess.run(command, cwd=runs, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)

    assert (done.returncode, done.stderr) == (1, b"")


def test_on_github_the_table_comes_without_commands_and_then_the_annotations(
    tui_eval: CommandLine, tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    old = per_query(tmp_path / "old.csv", [0.8] * 20, query=NASTY.replace('"', ""))
    new = per_query(tmp_path / "new.csv", [0.2] * 20, query=NASTY.replace('"', ""))

    env = environment(GITHUB_STEP_SUMMARY=str(summary))
    done = tui_eval("gate", new, "--baseline", old, "--github", env=env)

    lines = done.stdout.splitlines()
    token = lines[0].removeprefix("::stop-commands::")
    assert done.returncode == 1
    assert re.fullmatch("[0-9a-f]{32}", token)
    end = lines.index(f"::{token}::")
    assert any("##[add-mask]" in line for line in lines[:end]), "the table shows the query"
    rest = lines[end + 1 :]
    assert [line.split(" ")[0] for line in rest] == ["::error", "::error"]
    assert "\x1b" not in done.stdout
    text = summary.read_text()
    assert text.startswith("before\n### FAIL: 1 of 1 check\n")
    assert "| **FAIL** | text: mean |" in text


def test_a_summary_that_cannot_be_written_is_reported_and_changes_nothing(
    tui_eval: CommandLine, runs: Path, tmp_path: Path
) -> None:
    env = environment(GITHUB_STEP_SUMMARY=str(tmp_path / "none" / "summary.md"))

    done = tui_eval("gate", "a.json", "-b", "a.json", "--github", cwd=runs, env=env)

    assert done.returncode == 0
    assert "cannot be written (No such file or directory)" in done.stderr


def test_help_has_the_exit_codes_and_examples(tui_eval: CommandLine) -> None:
    done = tui_eval("gate", "--help")

    assert done.returncode == 0
    for word in ("Exit codes", "underpowered", "Examples", "tui-eval gate run.json --baseline"):
        assert word in done.stdout


def documented_steps(job: str = "gate") -> list[dict[str, Any]]:
    """The steps of the workflow of the page that has this job."""
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    workflows = map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    (steps,) = [one["jobs"][job]["steps"] for one in workflows if job in one["jobs"]]
    return list(steps)


@pytest.mark.parametrize(
    ("job", "used"),
    [
        ("gate", ["checkout", "setup-python", "cache", "upload-artifact"]),
        ("findings", ["checkout", "setup-python", "upload-artifact"]),
    ],
)
def test_the_documented_workflows_have_steps_that_are_either_an_action_or_a_script(
    job: str, used: list[str]
) -> None:
    steps = documented_steps(job)

    assert all(("uses" in step) != ("run" in step) for step in steps)
    actions = [step["uses"].partition("@")[0] for step in steps if "uses" in step]
    assert actions == [f"actions/{name}" for name in used]


def run_step(
    name: str, steps: list[dict[str, Any]], folder: Path
) -> subprocess.CompletedProcess[str]:
    (script,) = [step["run"] for step in steps if step.get("name") == name]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=folder,
        env=environment(PATH=path),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("run", "code"), [("b", 0), ("a", 1)])
def test_the_documented_gate_can_be_run_as_it_stands(
    runs: Path, tmp_path: Path, run: str, code: int
) -> None:
    (tmp_path / "baseline").mkdir()
    shutil.copy(runs / f"{run}.json", tmp_path / "run.json")
    shutil.copy(runs / "b.json", tmp_path / "baseline" / "run.json")

    done = run_step("Gate", documented_steps(), tmp_path)

    assert done.returncode == code, done.stderr
    assert ET.parse(tmp_path / "gate.xml").getroot().tag == "testsuites"
