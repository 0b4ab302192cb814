"""The page about reliability says what was measured last, and that is what must hold."""

from __future__ import annotations

import json

from tests.faults.catalogue import FAULTS
from tests.write_reliability import PAGE, RESULTS, with_results


def test_the_page_about_reliability_is_in_step_with_its_results() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert page == with_results(page), "run python -m tests.write_reliability"


def test_every_fault_was_tried_and_none_did_harm() -> None:
    rows = {row["fault"]: row for row in json.loads((RESULTS / "faults.json").read_text())}

    assert {fault.name for fault in FAULTS} <= rows.keys()
    for row in rows.values():
        harm = ("lost", "half", "stray", "traceback", "unclear", "late")
        assert row["times"] and not any(row[kind] for kind in harm), row
