"""The page in a real browser: it asks for nothing, and never scrolls sideways."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import sample_data
from engine.dataset.settings_file import open_dataset
from engine.report.html import format_report_html
from engine.report.run.clips import make_unknown_clips, open_run_clips
from engine.report.run.run_report import find
from engine.report.triage.page import format_triage_page
from engine.results.saved_run import read_saved_run
from tests.engine.report.report_by_hand import QUICK, hostile_document, sample_document, saved
from tests.engine.report.triage.drawn_triage import make_hostile, parse, write_document

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not BROWSER, reason="needs Chromium"),
]

OWN_HOSTS = ("google.com", "googleapis.com", "gstatic.com", "gvt1.com")
"""What the browser itself may look for, whatever page it shows."""

FRAME = """<!doctype html><body style="margin:0"><p id="answer">none</p>
<iframe src="{name}" style="border:0;width:{width}px;height:900px"></iframe>
<script>
const answer = document.querySelector("#answer");
addEventListener("message", event => {{ answer.textContent = event.data; }});
</script>"""

PAGES = ["sample", "hostile", "triage", "hostile triage"]

REPORT = """<script>
const root = document.documentElement;
const outside = e => e.getBoundingClientRect().right > root.clientWidth + 0.5;
const wide = [...document.querySelectorAll("body *")]
  .filter(e => !e.closest(".scroll, svg, .skip") && outside(e))
  .map(e => e.tagName + "." + e.className).slice(0, 5).join(" ");
parent.postMessage(`${root.scrollWidth} of ${root.clientWidth}; ${wide}`, "*");
</script>"""


def browse(page: Path, *options: str) -> str:
    """The page's elements after it was shown, in a browser that can reach no host."""
    command = [
        BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={page.parent / 'browser'}",
        "--virtual-time-budget=4000", *options, "--dump-dom", page.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("runs")
    old, new = (
        read_saved_run(saved(sample_document(model), folder / f"{model}.json"))
        for model in ("alfa-0.1", "alfa-0.2")
    )
    found = find(new, [old], settings=QUICK)
    clips = open_run_clips(open_dataset(sample_data.folder()), new.facts, asked=False)
    hostile = read_saved_run(saved(hostile_document(), folder / "hostile.json"))
    return {
        "sample": format_report_html(found, clips, worst=2),
        "hostile": format_report_html(
            find(hostile, settings=QUICK), make_unknown_clips("x"), worst=20
        ),
        "triage": format_triage_page(parse(write_document()), 10),
        "hostile triage": format_triage_page(parse(make_hostile(write_document())), 10),
    }


def requested_hosts(page: Path) -> set[str]:
    log = page.parent / "net.json"
    browse(page, f"--log-net-log={log}")
    urls = re.findall(
        r'"url":"(\w+)://([^/":]*)', log.read_text(encoding="utf-8", errors="replace")
    )
    hosts = {host for scheme, host in urls if scheme not in ("file", "data", "chrome")}
    return {host for host in hosts if not host.endswith(OWN_HOSTS)}


@pytest.mark.parametrize("which", PAGES)
def test_the_page_asks_for_nothing(which: str, reports: dict[str, str], tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(reports[which], encoding="utf-8")

    assert requested_hosts(page) == set()


def test_a_page_that_asks_for_something_would_be_found_out(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text('<img src="http://elsewhere.example/x.png">', encoding="utf-8")

    assert requested_hosts(page) == {"elsewhere.example"}


@pytest.mark.parametrize("which", PAGES)
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_never_scrolls_sideways(
    width: int, which: str, reports: dict[str, str], tmp_path: Path
) -> None:
    # A copy without the policy, and with a script that measures it.
    html = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", reports[which])
    (tmp_path / "report.html").write_text(html.replace("</body>", f"{REPORT}</body>"))
    frame = tmp_path / "frame.html"
    frame.write_text(FRAME.format(name="report.html", width=width))

    dom = browse(frame, f"--window-size={max(500, width + 20)},1000")

    answer = re.search('id="answer">(.*?)</p>', dom)
    assert answer is not None
    sizes, _, overflowing = answer[1].partition("; ")
    shown, room = map(int, sizes.split(" of "))
    assert shown == room <= width and not overflowing, answer[1]
