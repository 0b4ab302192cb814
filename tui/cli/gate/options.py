"""Options of `tui-eval gate`: what is held against what, how it is decided, what is written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tui.cli.shared import options as o
from tui.cli.shared.output import FORMAT, Output, written


@dataclass(frozen=True)
class GateStatistics(o.StatisticsOptions):
    """How it is decided; slices with too few queries to fail among so many are not looked at."""

    least_queries: int = o.statistic(
        "Queries that a slice (a keyword, a group) needs; those with too few to fail "
        "among so many checks are not looked at either.",
        20,
    )
    epsilon: float = o.statistic("A drop of so much is put up with, in units of the metric.", 0.0)
    detect: float = o.statistic(
        "A drop of so much beyond epsilon must be one that the test would have seen; if "
        "not, exit code 3.",
        0.05,
    )


@dataclass(frozen=True)
class GateOutput(Output):
    """What is written of a gate."""

    format: Literal["table", "json", "markdown"] | None = FORMAT()
    junit: Path | None = written("Also write JUnit XML: a test case per check.", metavar="FILE")
    github: bool = written(
        "Also print annotations of GitHub Actions, and add a table to the job's summary.", False
    )
    all: bool = written("Also list slices that pass, and all worst queries.", False)
