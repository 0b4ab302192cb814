"""Shell completion, asked for as shells ask: by the scripts of `--show-completion`, and in bash."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import which

import pytest

from benchmarks.terminal import Terminal, environment
from engine.sessions import SessionStore
from tests.conftest import ROOT
from tests.test_imports import HEAVY

Complete = Callable[[str], list[str]]
MAIN = "from tui.cli import main; main()"


def run(variables: dict[str, str], folder: Path, code: str = MAIN) -> tuple[int, str]:
    """The exit code and what was answered; nothing is ever said beside it."""
    own = {"HOME": str(folder), "TUI_EVAL_DATA": str(folder), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": os.environ["PATH"], **own, **variables},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def ask_bash(line: str, folder: Path) -> list[str]:
    words = line.split(" ")
    asked = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    code, text = run({"_TUI_EVAL_COMPLETE": "complete_bash", **asked}, folder)
    assert code == 0
    return [word for one in text.splitlines() for word in shlex.split(one)]


def ask_zsh(line: str, folder: Path) -> list[str]:
    asked = {"_TUI_EVAL_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": line}
    code, text = run(asked, folder)
    assert code == 0
    if text.strip() in ("", "_files"):
        return []
    listed = re.fullmatch(r"_arguments '\*: :\(\((.*)\)\)'\n", text, re.DOTALL)
    assert listed is not None, text
    return [re.match(r'"([^"]*)"', one)[1] for one in listed[1].splitlines()]  # type: ignore[index]


def ask_fish(line: str, folder: Path) -> list[str]:
    asked = {"_TUI_EVAL_COMPLETE": "complete_fish", "_TYPER_COMPLETE_ARGS": line}
    found, _ = run({**asked, "_TYPER_COMPLETE_FISH_ACTION": "is-args"}, folder)
    _, text = run({**asked, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}, folder)
    words = [one.partition("\t")[0] for one in text.splitlines() if one]
    assert found == (0 if words else 1)
    return words


SHELLS = {"bash": ask_bash, "zsh": ask_zsh, "fish": ask_fish}


@pytest.fixture(params=SHELLS)
def complete(request: pytest.FixtureRequest, tmp_path: Path) -> Complete:
    return lambda line: SHELLS[request.param](line, tmp_path)


def test_commands_and_options_are_completed(complete: Complete) -> None:
    assert complete("tui-eval se") == ["search", "sessions"]
    assert complete("tui-eval sessions re") == ["repair", "replay"]
    assert complete("tui-eval map l") == ["learn"]
    assert complete("tui-eval moments val") == ["validate"]
    assert complete("tui-eval run --gr") == ["--groups"]
    assert complete("tui-eval moments validate --gt") == ["--gt", "--gt-test"]
    assert complete("tui-eval --vers") == ["--version"]


def test_names_of_the_dataset_are_completed(complete: Complete) -> None:
    assert complete("tui-eval run --model ") == ["alfa-0.1", "alfa-0.2"]
    assert complete("tui-eval search car --against alfa-0.2") == ["alfa-0.2"]
    assert complete("tui-eval run -g sc") == ["scene_type"]
    assert complete("tui-eval run --groups scene_type,eg") == ["scene_type,ego_behavior"]
    assert complete("tui-eval search --keywords bus,traveling") == [
        "bus,traveling in same direction",
        "bus,traveling in opposite direction",
    ]
    assert complete("tui-eval search --video urban_bicyclist_0002") == ["urban_bicyclist_0002"]
    assert "track_bicyclist_0001" in complete("tui-eval inspect -v track_bicyclist_00")


def test_fixed_values_are_completed_and_files_are_left_to_the_shell(complete: Complete) -> None:
    assert complete("tui-eval run --mode vi") == ["video"]
    assert complete("tui-eval score --profile q") == ["qvh"]
    assert complete("tui-eval compare --qrels ") == []
    assert complete("tui-eval report ") == []
    assert complete("tui-eval --theme hi") == ["high-contrast"]
    assert complete("tui-eval run --theme ") == ["dark", "light", "high-contrast", "colour-blind"]


def test_settings_and_what_they_may_be_are_completed(complete: Complete) -> None:
    assert complete("tui-eval config set layout.z") == ["layout.zoom"]
    assert {"theme", "images", "k"} <= {*complete("tui-eval config set ")}
    assert complete("tui-eval config set theme ") == [
        *("dark", "light", "high-contrast", "colour-blind")
    ]
    assert complete("tui-eval config set profile al") == ["alfa"]
    assert complete("tui-eval config set layout.inspect ") == ["default"]
    assert complete("tui-eval config set dataset sa") == ["sample"]
    for line in ("dataset ", "k ", "nonsense "):  # folders, numbers, nothing
        assert complete(f"tui-eval config set {line}") == []


def test_sessions_are_completed(complete: Complete, tmp_path: Path) -> None:
    with SessionStore(tmp_path / "sessions.db") as store:
        store.create("sample", "sample", "night drive")
        store.create("sample", "sample", "$(touch pwned)")

    assert complete("tui-eval sessions show ") == ["latest", "2", "1", "night drive"]
    assert complete("tui-eval inspect --session ni") == ["night drive"]
    assert complete("tui-eval sessions show --store nowhere.db ") == []


HOSTILE = (
    *("$(touch pwned)", "`touch pwned`", "a'; touch pwned; '", 'b"; touch pwned; "', "c\\nd"),
    *("e\x1b[2J", "-rf", "~root", "*", "f\u202eg", "))'; touch pwned; '", "${HOME}", "x" * 400),
)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A dataset whose names would all do something in a shell, but for one of each kind."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    models = "".join(
        f"[models.{_as_toml(name)}]\nembeddings = 'x.npz'\n" for name in (*HOSTILE, "good")
    )
    (folder / "dataset.toml").write_text(f'annotations = "clips.csv"\n{models}')
    cells = ['"' + name.replace('"', '""') + '"' for name in (*HOSTILE, "good")]
    rows = [f"{name},{name}\n" for name in cells]
    (folder / "clips.csv").write_text("slice_id,pv_object_type\n" + "".join(rows))
    return folder


def _as_toml(name: str) -> str:
    return '"' + "".join(f"\\U{ord(one):08x}" for one in name) + '"'


def test_no_name_does_anything_in_a_shell(complete: Complete, hostile: Path) -> None:
    for option in ("--model", "--keywords", "--videos"):
        assert complete(f"tui-eval run hostile {option} ") == ["good"]
        assert complete(f"tui-eval run -d hostile {option} ") == ["good"]
    assert not [*hostile.parent.glob("**/pwned")]


def test_what_cannot_be_read_is_no_word(complete: Complete, tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "dataset.toml").write_text("annotations = ")
    (tmp_path / "sessions.db").write_bytes(b"no database\0" * 999)
    for line in (
        "run nowhere --model ",
        "run broken --model ",
        "run --annotations broken --groups ",
        "sessions show ",
    ):
        assert complete(f"tui-eval {line}") == []


@pytest.mark.parametrize("columns", ["slice_id;keywords", "slice_id\tkeywords"])
def test_other_layouts_are_known(columns: str, tmp_path: Path) -> None:
    delimiter = columns[8]
    text = f'\ufeff{columns}\nclip 1{delimiter}"[""Red  CAR"", ""bus""]"\n'
    (tmp_path / "clips.csv").write_text(text, encoding="utf-8")

    start = "tui-eval run --annotations clips.csv"
    assert ask_bash(f"{start} --keywords ", tmp_path) == ["red car", "bus"]
    assert ask_bash(f"{start} --groups ", tmp_path) == ["keywords", "all"]
    assert ask_bash(f"{start} --videos ", tmp_path) == ["clip 1"]


def test_only_line_ends_end_a_row_of_the_annotations(tmp_path: Path) -> None:
    from engine.dataset.settings_file import open_dataset
    from tui.cli.completion.glance import glance_at

    rows = "slice_id,scene_type\r\na,wet\u2028road\r\nb,dry\x0broad\r\nc,city\r\n"
    (tmp_path / "clips.csv").write_bytes(rows.encode())
    (tmp_path / "model.npy").touch()
    (tmp_path / "dataset.toml").write_text(
        'schema = "tui-eval/dataset@1"\nannotations = "clips.csv"\n'
        '[models.m]\nembeddings = "model.npy"\n',
        encoding="utf-8",
    )

    assert glance_at(open_dataset(tmp_path)).clips == ("a", "b", "c")


def test_a_large_file_is_looked_at_from_its_beginning(tmp_path: Path) -> None:
    lines = (f"clip_{number:07},car\n" for number in range(1_000_000))
    (tmp_path / "clips.csv").write_text("slice_id,pv_object_type\n" + "".join(lines))

    found = ask_bash("tui-eval run --annotations clips.csv --videos clip_00000", tmp_path)
    assert found == [f"clip_{number:07}" for number in range(100)]


LINES = ("tui-eval ", "tui-eval run --", "tui-eval run --model ", "tui-eval run --keywords ")


@pytest.mark.parametrize("line", LINES)
def test_completing_loads_no_heavy_library(line: str, tmp_path: Path) -> None:
    words = line.split(" ")
    asked = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    code = (
        "import sys; from tui.cli.completion.protocol import answer; answer(); "
        "print(); print(*sys.modules, sep='\\n')"
    )
    _, said = run({"_TUI_EVAL_COMPLETE": "complete_bash", **asked}, tmp_path, code)
    assert set(said.split()).isdisjoint({*HEAVY, "numpy"})


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_ask(shell: str, tmp_path: Path) -> None:
    code, script = run({"_TUI_EVAL_COMPLETE": f"source_{shell}"}, tmp_path)

    assert code == 0
    assert f"_TUI_EVAL_COMPLETE=complete_{shell}" in script


@pytest.mark.skipif(which("bash") is None, reason="needs bash")
def test_tab_completes_in_bash(tmp_path: Path, hostile: Path) -> None:
    command = tmp_path / "bin" / "tui-eval"
    command.parent.mkdir()
    command.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{MAIN}' \"$@\"\n")
    command.chmod(0o755)
    path = f"{command.parent}:{os.environ['PATH']}"
    variables = environment(tmp_path, PYTHONPATH=str(ROOT), PATH=path, PS1="> ")
    typed = {
        "tui-eval sea\t": "> tui-eval search",
        "tui-eval search --mod\t": "> tui-eval search --model",
        "tui-eval run --groups scene_type,eg\t": "> tui-eval run --groups scene_type,ego_behavior",
        "tui-eval run --keywords traveling\\ in\\ s\t": (
            "> tui-eval run --keywords traveling\\ in\\ same\\ direction"
        ),
        'tui-eval run --keywords "traveling in s\t': (
            '> tui-eval run --keywords "traveling in same direction"'
        ),
        f"tui-eval run {hostile} --model \t": "--model good",
        "tui-eval run --model no-such\t": "--model no-such",
    }
    with Terminal(["bash", "--norc", "-i"], variables, columns=200) as terminal:
        terminal.send(
            'bind "set bell-style none"; eval "$(tui-eval --show-completion)"; echo re""ady\n'
        )
        terminal.wait_for("ready\n>")
        for keys, line in typed.items():
            terminal.send(keys)
            terminal.wait_for(lambda line=line: terminal.text.rstrip().endswith(line), 30)
            terminal.send("\x15")  # away with the line
            terminal.wait_for(lambda: terminal.text.rstrip().endswith(">"), 30)
        assert "rror" not in terminal.text and "Traceback" not in terminal.text
    assert not [*tmp_path.glob("**/pwned")]
