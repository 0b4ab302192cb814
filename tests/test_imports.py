"""Who may import whom, and what a command must not load. Each is proved in a fresh process."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tui.cli.app import _COMMANDS

ROOT = Path(__file__).resolve().parent.parent
HEAVY = (
    *("torch", "faiss", "pandas", "scipy", "textual"),
    *("sentence_transformers", "keybert", "pyarrow", "av"),
)


def modules_loaded_by(*arguments: str) -> set[str]:
    """The modules in memory after `tui-eval` ran these arguments."""
    code = (
        "import sys\n"
        "from tui.cli.app import run_command_line\n"
        "code = run_command_line(sys.argv[1:])\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "command",
    [
        *((), ("run",), ("search",), ("map",), ("validate",), ("inspect",), ("sessions",)),
        *(("score",), ("compare",), ("gate",), ("report",), ("labels",), ("moments",), ("keys",)),
    ],
)
def test_help_loads_no_heavy_library(command: tuple[str, ...]) -> None:
    loaded = modules_loaded_by(*command, "--help")

    assert loaded.isdisjoint(HEAVY)
    if command:  # the options of other commands need not be read
        homes = {place.partition(":")[0] for _, place in _COMMANDS.values()}
        assert loaded & homes == {_COMMANDS[command[0]][1].partition(":")[0]}


@pytest.mark.slow
def test_a_video_run_never_loads_torch() -> None:
    loaded = modules_loaded_by("run", "--mode", "video", "--json")

    assert loaded.isdisjoint({"torch", "sentence_transformers", "keybert", "textual"})
    assert "faiss" in loaded


MODELS = {"torch", "sentence_transformers", "keybert", "transformers"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("search", "wayfarer with a velocipede", "--json"),
        ("map", "wayfarer with a velocipede", "--json"),
        ("run", "--mode", "text", "--json"),
        ("labels", "--use-prototypes", "--json"),
    ],
)
def test_a_text_is_encoded_without_torch(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_EVAL_CACHE", str(tmp_path))  # so that nothing is known beforehand

    loaded = modules_loaded_by(*command)

    assert loaded.isdisjoint(MODELS)
    assert "engine.text.embedded.network" in loaded, "it was encoded indeed"
    assert list(tmp_path.glob("vectors-*")), "and kept"


@pytest.mark.slow
@pytest.mark.parametrize("query", [("a lorry",), ("--video", "urban_bicyclist_0002")])
def test_a_search_never_loads_pandas(query: tuple[str, ...]) -> None:
    """Arrow would import it for a conversion, which takes longer than the search."""
    loaded = modules_loaded_by("search", *query, "--json")

    assert "pandas" not in loaded and "pyarrow" in loaded


@pytest.mark.slow
def test_a_labels_run_loads_nothing_of_the_mapper_or_the_keyword_run() -> None:
    loaded = modules_loaded_by("labels", "--json")

    others = ("engine.keywords.", "engine.text.mapping.", "engine.text.encoder")
    others += ("engine.text.embedded.", "engine.text.opening")
    assert [module for module in loaded if module.startswith(others)] == []


AFTER_THE_FIRST_PAINT = (
    *("engine.labels.dataset", "engine.dataset.remember", "engine.keywords.judgement"),
    *("engine.sessions.records", "engine.sessions.session", "engine.sessions.memory"),
    *("tui.inspect.shown_answer", "tui.inspect.result_rows", "tui.inspect.clip_chooser"),
    *("tui.frames.filmstrip", "tui.frames.large_frame", "tui.shell.table_screen"),
    *("tui.dialogs.dialog", "tui.keys.terms", "tui.work.curves", "tui.opening.config_text"),
)
"""Of ours: each takes its time to import, and nothing of it is seen at first."""

FIRST_PAINT = """
import sys
from pathlib import Path
from engine.sessions import SessionStore
from tui.app.inspector import InspectorApp
from tui.opening.starts import InspectorStart
from tui.opening.label_files import check_label_files, collect_label_files, open_labels
from tui.opening.source import open_from_options, dump_source

if sys.argv[2] == "moments":
    from sample_data import folder
    from engine.moments.moments_source import MomentsRequest
    from tui.app.moments import MomentsApp
    from tui.opening.moments_start import MomentsStart

    class WatchedMoments(MomentsApp):
        def on_ready(self):
            self.loaded = set(sys.modules)
            self.call_later(self.action_quit)

    files = [folder() / "moments" / name for name in ("submission.json", "ground_truth.jsonl")]
    app = WatchedMoments(MomentsStart(MomentsRequest(*files)))
    app.run(headless=True)
    print(chr(10).join(app.loaded))
    sys.exit()

if sys.argv[2] == "labels":
    check_label_files(collect_label_files())

class Watched(InspectorApp):
    def on_ready(self):
        self.loaded = set(sys.modules)
        self.call_later(self.action_quit)

with SessionStore(Path(sys.argv[1])) as store:
    files = collect_label_files() if sys.argv[2] == "labels" else None
    dataset = open_from_options(None) if files is None else open_labels(files)
    app = Watched(InspectorStart(dataset, dump_source(dataset), store))
    app.run(headless=True)
print(chr(10).join(app.loaded))
"""


@pytest.mark.slow
@pytest.mark.parametrize("sample", ["keywords", "labels", "moments"])
def test_the_first_paint_of_the_inspector_waits_for_no_heavy_library(
    sample: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", FIRST_PAINT, str(tmp_path / "sessions.db"), sample]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    loaded = set(done.stdout.split())

    assert "textual" in loaded
    assert loaded.isdisjoint({*HEAVY, "numpy", "typer", "PIL"} - {"textual"})
    if sample == "keywords":
        assert sorted(loaded.intersection(AFTER_THE_FIRST_PAINT)) == []


TEXT_QUERY = """
import os, subprocess, sys
from pathlib import Path
from engine.sessions import SessionStore
from tui.app.inspector import InspectorApp
from tui.opening.source import dump_source, open_from_options
from tui.opening.starts import InspectorStart

class Watched(InspectorApp):
    found = None

    def on_ready(self):
        self.set_interval(0.01, self.look)

    def look(self):
        self.found = self.inspect_screen.inspection
        if self.found is not None:
            self.call_later(self.action_quit)

def refuse(*arguments, **options):
    raise AssertionError("a process was started")

subprocess.Popen = refuse
with SessionStore(Path(sys.argv[1])) as store:
    dataset = open_from_options(None)
    query = ("text", "wayfarer with a velocipede")
    app = Watched(InspectorStart(dataset, dump_source(dataset), store, query=query, images="off"))
    app.run(headless=True)
assert app.found is not None and app.found.query == query[1]
print(chr(10).join(sys.modules), flush=True)
os._exit(0)  # as the command does: a thread in native code would crash what is torn down
"""


@pytest.mark.slow
def test_a_text_query_of_the_inspector_needs_no_torch_and_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_EVAL_CACHE", str(tmp_path))
    command = [sys.executable, "-c", TEXT_QUERY, str(tmp_path / "sessions.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)

    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert loaded.isdisjoint(MODELS)
    assert "engine.text.embedded.network" in loaded


@pytest.mark.parametrize(
    "module",
    [
        *("engine.moments.failures.classes", "engine.moments.tasks"),
        "engine.moments.moments_source",
        *("engine.moments.failures.explanation", "tui.cli.moments.command", "tui.moments.signs"),
        *("tui.moments.detail_text", "tui.moments.prediction_rows", "tui.work.moments"),
    ],
)
def test_what_a_first_screen_of_moments_names_needs_no_numpy(module: str) -> None:
    code = f"import sys, {module}; print(chr(10).join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )

    assert set(done.stdout.split()).isdisjoint({*HEAVY, "numpy"} - {"textual"})


def imports_of(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("file", sorted(ROOT.glob("engine/**/*.py")), ids=lambda f: f.name)
def test_the_engine_knows_neither_the_terminal_nor_the_command_line(file: Path) -> None:
    assert imports_of(file).isdisjoint({"tui", "textual", "typer", "rich", "click"})


@pytest.mark.parametrize("file", sorted(ROOT.glob("engine/**/*.py")), ids=lambda f: f.name)
def test_the_engine_never_prints_or_exits(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    attributes = {
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }

    assert names.isdisjoint({"print", "exit", "quit", "input"})
    allowed = {
        "printing.py": {"sys.stdout", "sys.stderr"},  # functions whose callers ask for it
        "streams.py": {"sys.stdout", "sys.stderr"},  # flushed, before an output that is one of them
    }
    assert attributes.isdisjoint(
        {"sys.exit", "sys.stdout", "sys.stderr", "sys.stdin"} - allowed.get(file.name, set())
    )
