"""What is said of a triage beside its tables: alike on the terminal, in Markdown and on pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from engine.base.messages import pluralise
from engine.report.tables.numbers import MINUS, NO_VALUE, format_number, format_p, format_percent
from engine.report.triage.tables import format_effect, format_range
from engine.triage.finding import Outcome
from engine.triage.saved_queries import ShownQuery, ShownResult
from engine.triage.saved_triage import (
    SavedChange,
    SavedFinding,
    SavedTriage,
)


def write_triage_headline(found: SavedTriage) -> str:
    """How much was proven of what was tested; facts and what could not be told are neither."""
    proven = len(choose_findings(found, ("found",)))
    tested = sum(1 for one in found.findings if one.corrected == one.corrected)
    if not tested:
        return "Nothing could be tested"
    said = f"{proven:,} of {tested:,} tested {'claim is' if proven == 1 else 'claims are'} proven"
    if not proven:
        said = f"Nothing is proven of {pluralise(tested, 'tested claim')}"
    return (
        f"{said} (alpha {found.alpha:g}, corrected over {found.analyses} "
        f"{'analysis' if found.analyses == 1 else 'analyses'})"
    )


def choose_findings(
    found: SavedTriage, outcomes: Sequence[Outcome] = ("found",)
) -> tuple[SavedFinding, ...]:
    """Those of these outcomes, worst first."""
    return tuple(one for one in found.findings if one.outcome in outcomes)


def list_quiet_analyses(found: SavedTriage) -> list[tuple[str, str]]:
    """What the analyses say that have found nothing in a mode: that there is nothing, that it is
    open, or what they need. The analysis with its mode, and its most telling sentence, first those
    that are open."""
    loud = {(one.analysis, one.mode) for one in found.findings if one.outcome == "found"}
    order: dict[Outcome, int] = {"unsure": 0, "unknown": 1, "nothing": 2, "fact": 3, "found": 4}
    chosen: dict[tuple[str, str], SavedFinding] = {}
    for one in found.findings:
        key = one.analysis, one.mode
        if key in loud or one.outcome == "fact":
            continue
        before = chosen.get(key)
        if before is None or order[one.outcome] < order[before.outcome]:
            chosen[key] = one
    ordered = sorted(chosen.items(), key=lambda item: (order[item[1].outcome], item[0]))
    return [(" ".join(filter(None, key)), one.sentence) for key, one in ordered]


QUIET_HEADINGS: Mapping[Outcome, str] = {
    "unsure": "Not sure enough",
    "unknown": "Could not be told",
    "nothing": "Nothing wrong",
}
"""What is above the sentences of analyses that have found nothing."""


def group_other_sentences(found: SavedTriage) -> list[tuple[str, list[tuple[str, str]]]]:
    """What is said beside the findings, under headings that say why nothing was found: whether
    there is nothing, or nobody can tell. Then the facts."""
    outcomes: dict[str, Outcome] = {one.sentence: one.outcome for one in found.findings}
    groups: dict[str, list[tuple[str, str]]] = {}
    for name, sentence in list_quiet_analyses(found):
        groups.setdefault(QUIET_HEADINGS[outcomes[sentence]], []).append((name, sentence))
    facts = list_known_facts(found)
    return [*groups.items(), *([("Also measured", facts)] if facts else [])]


def list_known_facts(found: SavedTriage) -> list[tuple[str, str]]:
    """The facts about the model as a whole; what is said of both modes alike is said once. Where
    the metric falls short has a table of its own."""
    wholes = {
        one["id"].text()
        for one in found.document["findings"].items()
        if one["subject"]["kind"].value == "model"
    }
    modes: dict[tuple[str, str], list[str]] = {}
    for one in found.findings:
        if one.outcome == "fact" and one.id in wholes and one.analysis != "ceiling":
            modes.setdefault((one.analysis, one.sentence), []).append(one.mode)
    return [
        (f"{analysis} {', '.join(filter(None, own))}".strip(), sentence)
        for (analysis, sentence), own in sorted(modes.items())
    ]


def choose_changes(found: SavedTriage) -> tuple[SavedChange, ...]:
    """Those of findings that came, went, or surely became better or worse."""
    return tuple(one for one in found.changes if one.kind != "same")


def describe_changes(found: SavedTriage) -> str:
    """How many of each kind."""
    kinds = ("new", "worse", "gone", "better")
    counts = {kind: sum(one.kind == kind for one in found.changes) for kind in kinds}
    named = ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count)
    return f"Since {found.baseline}: {named or 'nothing changed surely'}"


def note_unsure_changes(found: SavedTriage) -> str:
    """What new and gone mean, if for some of them the difference itself is not sure."""
    unsure = sum(
        not one.corrected <= 1 - found.level for one in found.changes if one.kind in ("new", "gone")
    )
    if not unsure:
        return ""
    which = "findings are" if unsure > 1 else "finding is"
    return (
        f"{unsure:,} {which} proven in one model only, though the difference between the two is "
        "not sure by itself"
    )


def write_remedy(remedy: str) -> str:
    """What to do, as a sentence behind others; nothing if there is nothing to do.

    >>> write_remedy("add such clips")
    'What to do: add such clips.'
    """
    if not remedy:
        return ""
    return f"What to do: {remedy}" + ("" if remedy.endswith((".", "!", "?")) else ".")


def describe_asked(found: SavedTriage) -> str:
    """How many queries of which kind, in which groups."""
    groups = ", ".join(one.label for one in found.verdicts)
    counts = [pluralise(one.queries, f"{one.mode} query") for one in found.shortfalls]
    return " · ".join([*(counts or ["no query with a relevant clip"]), groups])


def list_facts(found: SavedTriage, finding: SavedFinding) -> list[tuple[str, str]]:
    """What is known of a finding, by name."""
    facts = []
    if not math.isnan(finding.effect):
        facts.append(("effect", _describe_effect(found, finding)))
    if finding.severity > 0:
        facts.append(("severity", f"{format_number(finding.severity)} points of {found.measure}"))
    if not math.isnan(finding.corrected):
        facts.append(("p", f"{format_p(finding.corrected)} (corrected over all that is shown)"))
    if finding.support:
        facts.append(("support", pluralise(finding.support, finding.support_of)))
    if finding.outcome == "unsure" and finding.needed > finding.support:
        needed = pluralise(finding.needed, finding.support_of)
        facts.append(("would probably tell", f"about {needed}"))
    facts += [(name, _format_whole(value)) for name, value in finding.numbers]
    if finding.remedy and finding.outcome != "nothing":
        facts.append(("what to do", finding.remedy))
    return facts


def _describe_effect(found: SavedTriage, finding: SavedFinding) -> str:
    ends = format_range(finding.interval)
    level = f"{format_percent(found.level)} CI "
    return format_effect(finding) + (f" ({level}{ends})" if ends != NO_VALUE else "")


def _format_whole(value: float) -> str:
    """A count without a fraction, and any other number as usual."""
    if math.isfinite(value) and value == int(value) and abs(value) >= 1:
        return f"{int(value):,}".replace("-", MINUS)
    return format_number(value)


def describe_query(found: SavedTriage, query: ShownQuery) -> str:
    """What a query asks for, and how well it was answered."""
    words = " + ".join(name.partition(":")[2] or name for name in query.keywords)
    value = f"{found.measure} {format_number(query.value)}"
    return f"{words} · {value} · {pluralise(query.relevant, 'relevant clip')}"


def describe_lack(result: ShownResult) -> str:
    """What a result lacks, and what it has in its place.

    >>> lacking = ShownResult("c", 0.5, False, ("way:crossing",), ("way:turning",))
    >>> describe_lack(lacking)
    'lacks crossing; has turning'
    """
    if not result.missing:
        return ""
    lacks = ", ".join(name.partition(":")[2] or name for name in result.missing)
    has = ", ".join(name.partition(":")[2] or name for name in result.instead)
    return f"lacks {lacks}" + (f"; has {has}" if has else "")
