"""A triage as its document has it: for showing a finding again, for gates and for reports."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from engine.base.errors import InputError, Place
from engine.base.messages import fit_on_line, suggest
from engine.files.envelope import is_schema
from engine.files.fields import Field
from engine.files.input_file import InputFile, reading_inputs
from engine.files.reader import reads
from engine.files.text import parse_json, read_text
from engine.stats import Interval
from engine.triage.baseline import ChangeKind
from engine.triage.finding import Outcome
from engine.triage.saved_numbers import (
    SavedNumber,
    read_interval,
    read_number,
    read_saved_number,
    read_share,
)
from engine.triage.saved_queries import ShownQuery, read_shown_query

_LONGEST_NUMBER = 9
"""Digits of a place in the list of findings; Python reads no number of thousands."""


@dataclass(frozen=True, slots=True)
class SavedFinding:
    """A finding as it was decided. `label` is its subject in words, empty if it is the model."""

    id: str
    analysis: str
    mode: str
    label: str
    outcome: Outcome
    sentence: str
    effect: float
    unit: str
    interval: Interval
    corrected: float
    severity: float
    support: int
    support_of: str
    needed: int
    queries: tuple[str, ...]
    clips: tuple[str, ...]
    remedy: str
    numbers: tuple[tuple[str, float], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SavedChange:
    """What became of a finding since the baseline.

    severity    of what is there now; 0 if it is gone
    added_harm  points of m that the difference costs each affected query; negative where it gains
                some, NaN where that is not known
    """

    id: str
    kind: ChangeKind
    before: float
    after: float
    difference: float
    interval: Interval
    corrected: float
    severity: float
    added_harm: float
    sentence: str


@dataclass(frozen=True, slots=True)
class SavedVerdict:
    """What is the matter with one group, and the three numbers behind it."""

    group: str
    verdict: str
    selectivity: SavedNumber
    reliance: SavedNumber
    kept: SavedNumber
    winner: str
    sentence: str

    @property
    def label(self) -> str:
        """The group in words."""
        return self.group.replace("_", " ")


@dataclass(frozen=True, slots=True)
class SavedShortfall:
    """What the metric of a mode lacks, in parts that add up to it."""

    mode: str
    queries: int
    mean: SavedNumber
    ceiling: float
    chance: float
    parts: tuple[tuple[str, SavedNumber], ...]


@dataclass(frozen=True, slots=True, eq=False)
class SavedTriage:
    """Everything that a triage found.

    baseline  the model that the changes are from; empty if it was compared with none
    analyses  how many tested something: over so many the p-values are corrected
    inputs    (role, sha256) of the files behind it
    document  the whole of it, as plain values that were not checked
    file      where it was read from, if from a file
    """

    model: str
    dataset: str
    source: str | None
    baseline: str
    measure: str
    level: float
    alpha: float
    analyses: int
    verdicts: tuple[SavedVerdict, ...]
    shortfalls: tuple[SavedShortfall, ...]
    findings: tuple[SavedFinding, ...]
    changes: tuple[SavedChange, ...]
    queries: tuple[ShownQuery, ...]
    notes: tuple[str, ...]
    inputs: tuple[tuple[str, str], ...]
    document: Field
    file: InputFile | None = None

    def find(self, name: str) -> SavedFinding:
        """The finding of an id, of its place in the list (from 1), or of a part of an id that no
        other has."""
        if name.isdecimal():
            if len(name) <= _LONGEST_NUMBER and 1 <= int(name) <= len(self.findings):
                return self.findings[int(name) - 1]
            hint = f"they are numbered from 1 to {len(self.findings):,}"
            raise InputError(f"no finding {fit_on_line(name)}", hint=hint)
        ids = [one.id for one in self.findings]
        matches = (
            [one for one in self.findings if one.id == name]
            or [one for one in self.findings if one.id.startswith(name)]
            or [one for one in self.findings if name in one.id]
        )
        if len(matches) == 1:
            return matches[0]
        if matches:
            near = ", ".join(one.id for one in matches[:3])
            raise InputError(
                f'"{fit_on_line(name)}" matches {len(matches):,} findings',
                hint=f"write one of them: {near}{', …' if len(matches) > 3 else ''}",
            )
        hint = suggest(name, ids) or "tui-eval triage --json lists all of them"
        raise InputError(f'no finding "{fit_on_line(name)}"', hint=hint)

    def find_queries(self, finding: SavedFinding) -> tuple[ShownQuery, ...]:
        """The queries that a finding names, as far as they are described."""
        modes = [finding.mode] if finding.mode else ["text", "video"]
        known = {(one.mode, one.query): one for one in self.queries}
        found = (known.get((mode, name)) for name in finding.queries for mode in modes)
        return tuple(one for one in found if one is not None)


@reads("a triage")
def read_triage(path: Path) -> SavedTriage:
    """Read what `tui-eval triage --out FILE.json` wrote."""
    with reading_inputs(path) as files:
        document = Field(parse_json(read_text(path), Place(path)), "", Place(path))
    schema = document.part("schema").value if isinstance(document.value, dict) else None
    if not is_schema(schema, "triage"):
        raise InputError("is no triage", path, hint="write one: tui-eval triage --out triage.json")
    return replace(parse_triage(document), file=files.named({"file": path})["file"])


def parse_triage(document: Field) -> SavedTriage:
    """The triage of a document that was read, or that was just made."""
    findings = tuple(map(_finding, document["findings"].items()))
    severities = {one.id: one for one in findings}
    changes = document.optional("changes")
    baseline, source = document.part("baseline"), document["dataset"].part("source")
    return SavedTriage(
        model=document["model"]["name"].text(),
        dataset=document["dataset"]["name"].text(),
        source=None if source.null else source.text(),
        baseline="" if baseline.null else baseline.text(),
        measure=document["measure"].text(),
        level=document["settings"]["level"].share(),
        alpha=document["correction"]["alpha"].share(),
        analyses=document["correction"]["analyses"].count(),
        verdicts=tuple(map(_verdict, document["verdicts"].items())),
        shortfalls=tuple(map(_shortfall, document["shortfall"].items())),
        findings=findings,
        changes=()
        if changes is None
        else tuple(_change(one, severities) for one in changes.items()),
        queries=tuple(map(read_shown_query, document["evidence"].items())),
        notes=document["notes"].texts(),
        inputs=tuple((role, one["sha256"].text()) for role, one in document.part("inputs").named()),
        document=document,
    )


def _finding(field: Field) -> SavedFinding:
    return SavedFinding(
        id=field["id"].text(),
        analysis=field["analysis"].text(),
        mode="" if field["mode"].null else field["mode"].text(),
        label=field["subject"]["label"].text(),
        outcome=field["outcome"].choice(get_args(Outcome)),
        sentence=field["sentence"].text(),
        effect=read_number(field["effect"]),
        unit=field["unit"].text(),
        interval=read_interval(field["interval"]),
        corrected=read_share(field["corrected_p"]),
        severity=read_number(field["severity"], least=0.0),
        support=field["support"].count(),
        support_of=field["support_of"].text(),
        needed=0 if field["needed"].null else field["needed"].count(),
        queries=field["queries"].texts(),
        clips=field["clips"].texts(),
        remedy=field["remedy"].text(),
        numbers=tuple((name, read_number(one)) for name, one in field["numbers"].named()),
        notes=field["notes"].texts(),
    )


def _verdict(field: Field) -> SavedVerdict:
    return SavedVerdict(
        group=field["group"].text(),
        verdict=field["verdict"].text(),
        selectivity=read_saved_number(field["selectivity"]),
        reliance=read_saved_number(field["reliance"]),
        kept=read_saved_number(field["kept"]),
        winner="" if field["winner"].null else field["winner"].text(),
        sentence=field["sentence"].text(),
    )


def _shortfall(field: Field) -> SavedShortfall:
    return SavedShortfall(
        mode=field["mode"].text(),
        queries=field["queries"].count(),
        mean=SavedNumber(read_number(field["mean"]), read_interval(field["interval"])),
        ceiling=read_number(field["ceiling"]),
        chance=read_number(field["chance"]),
        parts=tuple(
            (
                one["cause"].text(),
                SavedNumber(read_number(one["points"]), read_interval(one["interval"])),
            )
            for one in field["parts"].items()
        ),
    )


def _change(field: Field, findings: dict[str, SavedFinding]) -> SavedChange:
    now = findings.get(id := field["id"].text())
    kind = field["kind"].choice(get_args(ChangeKind))
    if kind == "new" and (now is None or now.outcome != "found"):
        raise field.wrong("is of a new finding that is not among those that were found")
    return SavedChange(
        id=id,
        kind=kind,
        before=read_number(field["before"]),
        after=read_number(field["after"]),
        difference=read_number(field["difference"]),
        interval=read_interval(field["interval"]),
        corrected=read_share(field["corrected_p"]),
        severity=0.0 if now is None or math.isnan(now.severity) else now.severity,
        added_harm=read_number(field.part("added_harm")),
        sentence=field["sentence"].text(),
    )
