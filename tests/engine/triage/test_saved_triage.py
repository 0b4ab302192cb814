"""A triage that was written is read as it was; whatever else it holds is one clear line."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.base.errors import InputError, Place
from engine.files.fields import Field
from engine.stats import Interval
from engine.triage.saved_triage import parse_triage, read_triage
from tests.conftest import CommandLine
from tests.engine.triage.triage_by_hand import (
    BLAME,
    HUBS,
    LOOKS,
    make_saved_triage,
    write_finding,
    write_finding_change,
    write_triage,
)


def save(document: Any, folder: Path) -> Path:
    path = folder / "triage.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_every_field_is_that_of_the_document(tmp_path: Path) -> None:
    found = read_triage(save(write_triage(), tmp_path))

    assert (found.model, found.baseline, found.dataset, found.source) == (
        "new",
        "old",
        "small",
        None,
    )
    assert (found.measure, found.level, found.alpha, found.analyses) == ("P@5", 0.95, 0.05, 3)
    assert found.inputs == (("annotations", "ab12"),)
    assert found.file is not None and len(found.file.sha256) == 64
    blame, looks, hubs = found.findings
    assert (blame.id, blame.mode, blame.outcome, blame.severity) == (BLAME, "text", "found", 0.1)
    assert (blame.interval.low, blame.interval.high) == (0.3, 0.5)
    assert blame.numbers[0] == ("excess", 0.2) and math.isnan(blame.numbers[1][1])
    assert (hubs.outcome, hubs.needed, looks.needed) == ("nothing", 200, 0)
    new, worse, same = found.changes
    assert (new.kind, new.severity, new.difference, new.added_harm) == ("new", 0.1, 0.3, 0.3)
    assert (worse.kind, worse.severity, same.kind, same.severity) == ("worse", 0.05, "same", 0.0)
    assert found.verdicts[0].kept.value == 0.7 and math.isnan(found.verdicts[0].reliance.value)
    assert found.shortfalls[0].parts[0][0] == "outvoted"
    assert found.queries[0].results[0].missing == ("who:pedestrian",)
    assert found.notes == ("text: 9 have no relevant clip: left out",)


def test_a_triage_without_a_baseline_has_no_changes() -> None:
    document = write_triage(baseline=None)
    del document["changes"]

    found = make_saved_triage(document)

    assert (found.baseline, found.changes) == ("", ())


def test_a_difference_that_is_not_known_is_no_number() -> None:
    unknown = dict.fromkeys(("before", "difference", "added_harm", "interval", "corrected_p"))
    (change,) = make_saved_triage(changes=[write_finding_change(BLAME, **unknown)]).changes

    assert math.isnan(change.before) and math.isnan(change.corrected)
    assert math.isnan(change.interval.low) and math.isnan(change.added_harm)


def test_a_finding_is_found_by_its_id_a_part_of_it_or_its_number() -> None:
    longer = f"{BLAME}-crossing"
    findings = [write_finding(id) for id in (BLAME, longer, LOOKS, HUBS)]
    found = make_saved_triage(findings=findings)

    for name, id in (
        (BLAME, BLAME),
        (longer, longer),
        ("looks", LOOKS),
        ("crossing", longer),
        ("bs/vid", HUBS),
        ("1", BLAME),
        ("4", HUBS),
    ):
        assert found.find(name).id == id, name


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("video", f'"video" matches 2 findings; write one of them: {LOOKS}, {HUBS}'),
        ("", "matches 3 findings"),
        ("0", "no finding 0; they are numbered from 1 to 3"),
        ("4", "no finding 4"),
        ("lokks/video", f'did you mean "{LOOKS}"'),
        ("x\n\x1b[2J", "no finding"),
        pytest.param("9" * 5_000, "no finding", id="5,000 digits"),
        ("²", "no finding"),
    ],
)
def test_a_name_that_means_none_or_several_is_one_line(name: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        make_saved_triage().find(name)

    assert said in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1 and "\x1b" not in str(caught.value)


def test_the_queries_of_a_finding_are_those_of_its_mode() -> None:
    found = make_saved_triage()

    assert [one.query for one in found.find_queries(found.find(BLAME))] == ["a pedestrian"]
    assert found.find_queries(found.find(LOOKS)) == ()


def put(value: Any, *path: str | int) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        inside: Any = document
        for name in path[:-1]:
            inside = inside[name]
        inside[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("tui-eval/run@2", "schema"), "is no triage; write one: tui-eval triage --out"),
        (put("tui-eval/triage@99", "schema"), "is no triage"),
        (put({}, "findings"), "findings is an object, not a list"),
        (put("maybe", "findings", 0, "outcome"), "findings[0].outcome is 'maybe', not one of"),
        (put(7, "findings", 0, "mode"), "findings[0].mode is 7, not a text"),
        (put(-0.1, "findings", 0, "severity"), "findings[0].severity is -0.1"),
        (put(1e300, "findings", 0, "effect"), "findings[0].effect is 1e+300"),
        (put(10**400, "findings", 0, "effect"), "findings[0].effect is a huge number"),
        (put(math.nan, "findings", 0, "severity"), "findings[0].severity is nan"),
        (put(math.inf, "changes", 0, "difference"), "changes[0].difference is inf"),
        (put(True, "findings", 0, "effect"), "findings[0].effect is True"),
        (put(1.5, "findings", 0, "corrected_p"), "corrected_p is 1.5, not a number from 0 to 1"),
        (put(-1, "changes", 0, "corrected_p"), "corrected_p is -1, not a number from 0 to 1"),
        (put([1], "findings", 0, "interval"), "findings[0].interval has 1 ends, not 2"),
        (put(-1, "findings", 0, "support"), "findings[0].support is -1"),
        (put("\ud800", "findings", 0, "sentence"), "is not valid Unicode"),
        (put("x" * 300_000, "findings", 0, "id"), "has 300,000 characters"),
        (put("gone?", "changes", 0, "kind"), "changes[0].kind is 'gone?', not one of new"),
        (put("no/such", "changes", 0, "id"), "changes[0] is of a new finding that is not among"),
        (put(HUBS, "changes", 0, "id"), "changes[0] is of a new finding that is not among"),
        (put(None, "changes"), "changes is null, not a list"),
        (put(7, "baseline"), "baseline is 7, not a text"),
        (put(1.2, "settings", "level"), "settings.level is 1.2, not a number from 0 to 1"),
        (put("yes", "evidence", 0, "results", 0, "hit"), "hit is 'yes', not true or false"),
        (put([], "inputs"), "inputs is a list, not an object"),
        (put(3, "inputs", "annotations", "sha256"), "sha256 is 3, not a text"),
    ],
)
def test_what_is_wrong_with_a_document_is_named_on_one_line(
    change: Callable[[dict[str, Any]], None], said: str, tmp_path: Path
) -> None:
    document = write_triage()
    change(document)

    with pytest.raises(InputError) as caught:
        read_triage(save(document, tmp_path))

    assert said in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path)) and "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "null", "[]", '"x"', "{", "[" * 100_000, '{"a":' * 50_000])
def test_what_is_no_document_is_one_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "triage.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(InputError) as caught:
        read_triage(path)

    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_the_triage_of_the_sample_is_read_as_it_was_written(
    tui_eval: CommandLine, tmp_path: Path
) -> None:
    path = tmp_path / "triage.json"
    models = ("--model", "alfa-0.1", "--baseline", "alfa-0.2", "--analyses", "used,slices,ceiling")
    assert tui_eval("triage", *models, "--resamples", "200", "--out", path).returncode == 0

    found, document = read_triage(path), json.loads(path.read_text(encoding="utf-8"))

    assert [one.id for one in found.findings] == [one["id"] for one in document["findings"]]
    assert [one.severity for one in found.findings] == [
        one["severity"] for one in document["findings"]
    ]
    assert found.changes and [(one.id, one.kind) for one in found.changes] == [
        (one["id"], one["kind"]) for one in document["changes"]
    ]
    used = next(one for one in found.changes if one.id == "used/actor-behavior")
    assert used.difference < 0 < used.added_harm, "the similarity uses it less, which costs"
    again = parse_triage(Field(document, "", Place(path)))
    assert (again.model, again.baseline) == ("alfa-0.1", "alfa-0.2")
    assert again.findings[0].interval.low == pytest.approx(document["findings"][0]["interval"][0])
    assert isinstance(again.findings[0].interval, Interval)
