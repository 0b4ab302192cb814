"""The installed inspector in a real pseudo-terminal: what it shows, sends, and leaves behind."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from benchmarks.terminal import ENTER, ESCAPE, TUI_EVAL, Terminal, environment
from engine.text.model_files import find_model_path
from tests.conftest import CommandLine
from tests.faults.interrupts import find_family
from tests.tui.piloted import LIMIT

pytestmark = pytest.mark.slow

QUERY = "person crossing the street"
CLIP = "urban_bicyclist_0002"
FIRST = "Nothing is asked yet"

Start = Callable[..., Terminal]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texts that one test has encoded, the next need not."""
    return tmp_path_factory.mktemp("terminal-cache")


@pytest.fixture
def start(tmp_path: Path, cache: Path) -> Start:
    """Start `tui-eval` for a user who has nothing yet."""

    def begin(*arguments: str | Path, **more: str) -> Terminal:
        variables = environment(tmp_path, **{"TUI_EVAL_CACHE": str(cache), **more})
        return Terminal([TUI_EVAL, *map(str, arguments)], variables)

    return begin


def ask(terminal: Terminal, text: str) -> None:
    terminal.wait_for(FIRST)
    terminal.send("/")
    terminal.wait_for("enter Search")
    terminal.send(text + ENTER)
    terminal.wait_for(lambda: "✅" in terminal.text and "❌" in terminal.text)
    terminal.wait_for(lambda: "in alfa-0.2" in terminal.pane("Detail"))  # the last to come


def assert_left_clean(terminal: Terminal) -> None:
    """The terminal is as it was: every mode, its settings, and nothing was written after."""
    sent = bytes(terminal.raw)
    modes = dict(re.findall(rb"\x1b\[\?(\d+)([hl])", sent))  # the last one counts
    assert modes.pop(b"25") == b"h", "the cursor is hidden"
    assert modes.pop(b"7") == b"h", "lines are not wrapped"
    assert {b"1049", b"1000", b"1003", b"1006", b"1015", b"2004"} <= modes.keys()
    assert set(modes.values()) == {b"l"}, "a mode of the terminal is still on"
    assert sent.rindex(b"\x1b[<u") > sent.rindex(b"\x1b[>"), "the keyboard's mode is still on"
    said = re.sub(rb"\x1b\[[?<\d;]*[a-z]", b"", sent[sent.rindex(b"\x1b[?1049l") :])
    assert re.fullmatch(rb"(resume with: tui-eval [^\r\n]*\r\n)?", said), "more was written after"
    assert terminal.settings() == terminal.settings_before


def assert_no_orphan(terminal: Terminal) -> None:
    end = time.monotonic() + LIMIT
    while any(map(runs, terminal.offspring)):
        assert time.monotonic() < end, "the encoder outlives the app"
        time.sleep(0.02)


def runs(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def assert_leaves(terminal: Terminal, code: int = 0) -> None:
    """It ends with this exit code, and leaves nothing behind."""
    assert terminal.ended(LIMIT) == code
    assert_left_clean(terminal)
    assert_no_orphan(terminal)


def test_a_query_is_typed_its_results_are_stepped_through_and_q_leaves(start: Start) -> None:
    with start() as terminal:
        ask(terminal, QUERY)
        first = re.search(r"#1 \w+_\d{4}\n .*(Full|Partial|No) match", terminal.pane("Detail"))
        assert first
        terminal.send("j")
        terminal.wait_for(lambda: "#2 " in terminal.pane("Detail"))
        terminal.send("k")
        terminal.wait_for(lambda: first[0] in terminal.pane("Detail"))
        assert not any(map(encodes, terminal.children())), "the embedded encoder needs no process"

        terminal.send("q")

        assert_leaves(terminal)


@pytest.fixture(scope="module")
def slow_start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset whose model names an encoder that takes seconds to load, in a child process."""
    folder = tmp_path_factory.mktemp("slow-start")
    (folder / "clips.csv").write_text("slice_id,pv_object_type\na,car\nb,bus\n")
    vectors = np.eye(2, 384, dtype=np.float32)
    np.savez(folder / "one.npz", ids=np.array(["a", "b"]), embeddings=vectors)
    (folder / "dataset.toml").write_text(
        'schema = "tui-eval/dataset@1"\nname = "slow"\nannotations = "clips.csv"\n'
        'groups = ["object_type"]\n[models.one]\nembeddings = "one.npz"\n'
        f"encoder = {json.dumps(find_model_path('embedded'))}\n"
    )
    return folder


def encodes(pid: int) -> bool:
    """Whether a process is that of a text encoder."""
    with contextlib.suppress(OSError):
        return b"encoder_worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def stop_child(terminal: Terminal) -> int:
    """Stop the encoder's process as soon as there is one, so that it cannot be done before it is
    looked at; its id."""

    def encoders() -> list[int]:
        return [*filter(encodes, find_family(terminal.process.pid))]

    # Not before: until then the app waits for what it has forked to become another program.
    terminal.wait_for(lambda: bool(encoders()))
    (child,) = encoders()
    os.kill(child, signal.SIGSTOP)
    return child


@pytest.mark.parametrize("number", [None, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_q_and_the_signals_to_end_leave_as_q_does(
    start: Start, number: signal.Signals | None, slow_start: Path
) -> None:
    with start("inspect", slow_start, "--video", "a", "--images", "off") as terminal:
        terminal.wait_for("❌")
        terminal.wait_for("loading ")

        if number is None:
            terminal.send("\x11")
        else:
            os.kill(terminal.process.pid, number)

        assert_leaves(terminal, 0 if number is None else 128 + number)


def test_a_lost_connection_ends_the_app_and_its_encoder(start: Start, slow_start: Path) -> None:
    with start("inspect", slow_start) as terminal:
        child = stop_child(terminal)
        terminal.wait_for("loading ")
        os.kill(child, signal.SIGCONT)  # it is at its imports, which take longer than what follows

        terminal.hang_up()
        terminal.process.wait(LIMIT)

        terminal.offspring.add(child)
        assert_no_orphan(terminal)


def test_a_second_of_waiting_for_an_encoder_sends_few_bytes(
    start: Start, slow_start: Path, tmp_path: Path
) -> None:
    nothing_encoded = str(tmp_path / "empty")
    with start("inspect", slow_start, TUI_EVAL_CACHE=nothing_encoded) as terminal:
        stop_child(terminal)  # it will load for as long as it takes
        terminal.wait_for("loading ")
        terminal.send("/")
        terminal.wait_for("enter Search")
        terminal.send("a red car" + ENTER)
        terminal.wait_for("esc gives up")

        sent = []
        for _ in range(4):
            said = re.findall(r"loading .*?(\d+) s", terminal.text)
            assert len(said) == 2 and len(set(said)) == 1, "header and line disagree"
            later = f" {int(said[0]) + 1} s"
            terminal.wait_for(lambda: terminal.text.count(later) == 2)  # noqa: B023
            sent.append(len(terminal.raw))

        ticks = np.diff(sent)
        assert (ticks > 0).all() and (ticks <= 1_000).all(), ticks

        terminal.send("q")

        assert_leaves(terminal)


def test_the_command_line_says_which_encoder_loads_and_for_how_long(
    start: Start, slow_start: Path, tmp_path: Path
) -> None:
    nothing_encoded = str(tmp_path / "empty")
    command = "search", "a red car", "--dataset", slow_start
    with start(*command, TUI_EVAL_CACHE=nothing_encoded) as terminal:
        name = Path(find_model_path("embedded")).name
        child = stop_child(terminal)
        terminal.wait_for(f"loading the text encoder {name} for one 3 s")
        os.kill(child, signal.SIGCONT)
        terminal.wait_for("0.", patience=LIMIT)
        assert terminal.ended() == 0
        assert "loading" not in terminal.text, "the spinner is gone"


@pytest.mark.parametrize("after", [0, 0.2, 0.35, 0.5, 0.7, 1])
def test_quitting_while_the_encoder_warms_leaves_nothing(
    start: Start, after: float, slow_start: Path
) -> None:
    with start("inspect", slow_start) as terminal:
        terminal.wait_for(FIRST)
        end = time.monotonic() + after  # whatever the encoder is at by then
        while time.monotonic() < end:
            terminal.read(0.01)

        terminal.send("q")

        assert_leaves(terminal)


def test_quitting_does_not_wait_for_an_evaluation(start: Start, tmp_path: Path) -> None:
    with start(TUI_EVAL_CACHE=str(tmp_path / "cold")) as terminal:
        terminal.wait_for(FIRST)
        terminal.send("2")
        terminal.wait_for("r Run")
        terminal.send("r")
        terminal.wait_for("esc cancels")

        terminal.send("q")

        assert_leaves(terminal)
        assert b"mean of n" not in terminal.raw, "it went on to the end"


def test_ctrl_q_leaves_a_dialog_too(start: Start) -> None:
    with start("inspect", "--video", CLIP, "--images", "off") as terminal:
        terminal.wait_for("✅")
        terminal.send("b")
        terminal.wait_for("Why is it a bias case?")

        terminal.send("\x11")

        assert_leaves(terminal)


def test_a_terminal_that_is_too_small_says_so_and_loses_nothing(start: Start) -> None:
    with start("inspect", "--video", CLIP, "--images", "off") as terminal:
        terminal.wait_for(lambda: "in alfa-0.2" in terminal.pane("Detail"))
        terminal.send("jj")
        terminal.wait_for(lambda: "#3 " in terminal.pane("Detail"))
        terminal.settle()
        before = terminal.pane("Results"), terminal.pane("Detail")

        terminal.resize(50, 15)
        terminal.wait_for("This terminal is 50×15.")
        terminal.resize(120, 40)

        terminal.wait_for(lambda: (terminal.pane("Results"), terminal.pane("Detail")) == before)
        terminal.send("q")
        assert_leaves(terminal)


def test_no_color_means_that_no_colour_is_sent(start: Start) -> None:
    with start(NO_COLOR="1") as terminal:
        ask(terminal, QUERY)
        terminal.send("jb")
        terminal.wait_for("Why is it a bias case?")
        terminal.send(ESCAPE)
        terminal.wait_for(lambda: "Why is it a bias case?" not in terminal.text)
        terminal.send("q")
        terminal.ended()

        styles = re.findall(rb"\x1b\[([\d;]*)m", bytes(terminal.raw))

    codes = {int(code) for style in set(styles) for code in style.split(b";") if code}
    assert codes - {39, 49} <= set(range(30)), "colours are 30 to 107; 39 and 49 are the user's own"


def test_ascii_sends_no_other_character(start: Start) -> None:
    with start("inspect", "--query", QUERY, "--ascii") as terminal:
        terminal.wait_for("Partial match")
        for key, title in (
            ("?", "Help: Results"),
            ("b", "Why is it a bias case?"),
            ("M", "Metrics of"),
        ):
            terminal.send(key)
            terminal.wait_for(title)
            terminal.settle()
            terminal.send(ESCAPE)
            terminal.wait_for(lambda gone=title: gone not in terminal.text)
        terminal.send("2")
        terminal.wait_for("r Run")
        terminal.send("q")

        assert_leaves(terminal)
        assert_only_ascii(terminal)


def assert_only_ascii(terminal: Terminal) -> None:
    sent = terminal.raw.decode()
    others = sorted({character for character in sent if not character.isascii()})
    assert others == [], f"near {sent[max(0, sent.find(others[0]) - 60) :][:90]!r}"


EVIL_NAMES = ("\x1b]0;pwned\x07", "[red]x[/]", "[@click=app.quit]go[/]", "a\u202eb", "\x9b31mc1")
EVIL_KEYWORDS = ("\x1b[31mevil", "[b]bold", "\u2066turned\u2069", "[/]", "\x1b]52;c;eA==\x07")


@pytest.fixture
def hostile(tmp_path: Path) -> tuple[Path, Path]:
    """Annotations and embeddings whose every name wants to be more than text."""
    rows = zip(EVIL_NAMES, EVIL_KEYWORDS, strict=True)
    lines = [f'{name},"{EVIL_KEYWORDS[0]},{keyword}",plain' for name, keyword in rows]
    annotations, vectors = tmp_path / "clips.csv", tmp_path / "vectors.npy"
    annotations.write_text(
        "\n".join(("slice_id,object_type,scene_type", *lines, "")), encoding="utf-8"
    )
    (tmp_path / "vectors.ids.txt").write_text("\n".join((*EVIL_NAMES, "")), encoding="utf-8")
    np.save(vectors, np.random.default_rng(3).standard_normal((5, 8)).astype(np.float32))
    return annotations, vectors


def test_names_that_want_to_be_markup_or_escape_sequences_are_shown_as_text(
    start: Start, hostile: tuple[Path, Path]
) -> None:
    annotations, vectors = hostile
    files = ("--annotations", annotations, "--embeddings", vectors)
    options = ("--groups", "object_type,scene_type", "--images", "off", "--video", EVIL_NAMES[1])
    with start("inspect", *files, *options) as terminal:
        terminal.wait_for(lambda: "#1 " in terminal.pane("Detail"))
        for place in range(2, 5):
            terminal.send("j")
            terminal.wait_for(lambda here=place: f"#{here} " in terminal.pane("Detail"))
        for name in ("\\x1b]0;pwned\\x07", "[@click=app.quit]go[/]", "a\\u202eb", "\\x9b31mc1"):
            assert name in terminal.pane("Results")
        assert "[red]x[/]" in terminal.text and "\\x1b[31mevil" in terminal.text
        for key in ("+", "a", ESCAPE, "p", ESCAPE, "M", ESCAPE, "y", "o", "d", "?", ESCAPE, "3"):
            terminal.send(key)
            terminal.settle(0.2)
        terminal.wait_for("now ")
        terminal.send("q")

        assert_leaves(terminal)
        assert_only_textuals_own_sequences(terminal.raw.decode())


def assert_only_textuals_own_sequences(sent: str) -> None:
    """Colours, the cursor, modes, the pointer's shape, and what `y` copies; nothing else."""
    assert "\x1b[31mevil" not in sent and "\x1b]0;" not in sent and "\x1b]52;c;eA==" not in sent
    copied = r"\x1b\]52;c;[A-Za-z0-9+/=]*\x07"
    own = rf"\x1b\[[?<>]?[\d;]*\$?[Hmhlpu]|\x1b\]22;[a-z-]*\x07|{copied}|[\r\n]"
    rest = re.sub(own, "", sent)
    found = re.search("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", rest)
    assert found is None, repr(rest[max(0, found.start() - 40) : found.end() + 40])


def test_a_session_goes_on_with_the_same_query_at_the_same_row(start: Start) -> None:
    with start() as terminal:
        ask(terminal, QUERY)
        terminal.send("jjjj")
        terminal.wait_for(lambda: "#5 " in terminal.pane("Detail"))
        terminal.settle()
        before = terminal.pane("Results"), terminal.pane("Detail")
        terminal.send("q")
        assert_leaves(terminal)

    with start("--resume") as terminal:
        terminal.wait_for(lambda: (terminal.pane("Results"), terminal.pane("Detail")) == before)
        assert f" Text {QUERY}" in terminal.text
        terminal.send("q")
        assert_leaves(terminal)


def test_without_a_terminal_the_inspector_says_what_it_needs(tui_eval: CommandLine) -> None:
    done = tui_eval("inspect")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: the inspector needs a terminal")
    assert done.stderr.count("\n") == 1


def test_bytes_that_are_no_utf_8_end_nothing(start: Start) -> None:
    with start("inspect", "--video", CLIP, "--images", "off") as terminal:
        terminal.wait_for("✅")
        terminal.send(b"\xff\xfe")
        terminal.send("/")
        terminal.send(b"caf\xe9")
        terminal.wait_for("caf")

        terminal.send("\x11")

        assert_leaves(terminal)
