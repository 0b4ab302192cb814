"""A gate for GitHub Actions: annotations, which are commands on stdout, one line each.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.base.messages import fit_on_line
from engine.gate import Gate
from engine.report.gate.junit import list_worst_queries
from engine.report.gate.wording import (
    checks_to_read,
    describe_check,
    describe_small_slices,
    describe_systems,
    name_check,
    write_headline,
)

MOST_ANNOTATIONS = 10
"""GitHub shows so many annotations of each kind per step; the last then says how many more."""

_KINDS = {"pass": "notice", "fail": "error", "underpowered": "warning"}


def format_gate_annotations(gate: Gate) -> list[str]:
    """The verdict, an error per failed check, a warning per weak check and per note."""
    said = [line for line in (describe_systems(gate), describe_small_slices(gate)) if line]
    verdict = _KINDS[gate.verdict], f"tui-eval gate: {write_headline(gate)}", "\n".join(said)
    found = [verdict]
    checks, _ = checks_to_read(gate)
    for check in checks:
        if check.verdict != "pass":
            lines = "\n".join([describe_check(check, gate), *list_worst_queries(check)])
            found.append((_KINDS[check.verdict], name_check(check, gate.language), lines))
    found += [("warning", "tui-eval gate", fit_on_line(note)) for note in gate.notes]
    return [format_annotation(*one) for one in _no_more_than_shown(found)]


def format_annotation(kind: str, title: str, message: str) -> str:
    """One command; whatever the texts hold, it stays one, and on one line.

    >>> format_annotation("error", "a: b, c", "100 %\\n::error::x")
    '::error title=a%3A b%2C c::100 %25%0A::error::x'
    """
    return f"::{kind} title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def disable_commands(text: str, token: str) -> str:
    """The text as lines in which GitHub looks for no command until the token comes.

    A table may hold a user's text at the beginning of a line, and the older form of commands
    (##[…]) counts anywhere in one. The token must be one that nobody can guess.

    >>> print(disable_commands("::error::x", "k3"))
    ::stop-commands::k3
    ::error::x
    ::k3::
    """
    return f"::stop-commands::{token}\n{text.rstrip()}\n::{token}::"


def _no_more_than_shown(found: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    kept: list[tuple[str, str, str]] = []
    found = list(found)
    for kind in ("error", "warning", "notice"):
        own = [one for one in found if one[0] == kind]
        if len(own) > MOST_ANNOTATIONS:
            rest = (
                f"and {len(own) - MOST_ANNOTATIONS + 1:,} more: the summary of the job lists them"
            )
            own = [*own[: MOST_ANNOTATIONS - 1], (kind, "tui-eval gate", rest)]
        kept += own
    return kept
