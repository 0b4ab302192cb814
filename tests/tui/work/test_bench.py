"""The workbench of the screens: what is loaded when, seen in a fresh process."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import ROOT

_OPENED = """
import sys, time
import sample_data
from engine.dataset.settings_file import open_dataset
from tui.work.bench import Bench
from tui.work.lanes import LaneGroup

seen = []
dataset = open_dataset(sample_data.folder())
bench = Bench(dataset, None, LaneGroup(lambda call: call()))
opened = lambda model: seen.append("scipy.special" in sys.modules)
bench.open(dataset.model(None).name, opened, seen.append)
end = time.monotonic() + 60
while "scipy.special" not in sys.modules and time.monotonic() < end:
    time.sleep(0.01)
print(seen, "scipy.special" in sys.modules)
bench.close()
"""


def test_the_first_answer_waits_for_no_statistics_and_neither_does_the_opening() -> None:
    """They take a fifth of a second to load: a second key would come before the answer."""
    done = subprocess.run(
        [sys.executable, "-c", _OPENED], capture_output=True, text=True, check=False, cwd=ROOT
    )

    assert done.stdout.split("\n")[0] == "[False] True", done.stderr[-2000:]
