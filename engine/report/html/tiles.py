"""Tiles: the main number of every mode, large, before everything else."""

from __future__ import annotations

from engine.report.html.text import text, user
from engine.report.run.findings import Findings, ModeFindings
from engine.report.run.tables import difference
from engine.report.tables.numbers import interval, number, p_value, percent, signed


def tiles(found: Findings) -> str:
    """One tile per mode; nothing if the run has no number of the main metric."""
    shown = "".join(_tile(found, mode) for mode in found.modes)
    return f'<ul class="tiles">{shown}</ul>' if shown else ""


def _tile(found: Findings, mode: ModeFindings) -> str:
    one = next((one for one in mode.summary if one.measure == found.main), None)
    if one is None:
        return ""
    label = text(f"{one.row.label}, {mode.mode} queries")
    level = percent(found.settings.level)
    return (
        f'<li class="tile"><p class="what">{label}</p>'
        f'<p class="formula">{text(f"{one.row.id} = {one.row.formula}")}</p>'
        f'<p class="big">{number(one.row.mean)}</p>'
        f'<p class="more">{level} CI {interval(one.interval)} · n = {one.row.n:,}</p>'
        f"{_against(found, mode)}</li>"
    )


def _against(found: Findings, mode: ModeFindings) -> str:
    if mode.compared is None:
        return ""
    lines = []
    for name in found.baseline_names:
        one = difference(mode.compared, name, found.main)
        before = number(mode.compared.level(name, found.main).value)
        verdict = one.verdict(found.settings.alpha)
        words = (
            f"{verdict} than {user(name)}"
            if one.significant(found.settings.alpha)
            else f"no difference from {user(name)} found"
        )
        lines.append(
            f'<p class="more"><strong>{signed(one.value)}</strong> {words} '
            f"({before}), p&nbsp;{_equals(p_value(one.holm))}</p>"
        )
    return "".join(lines)


def _equals(p: str) -> str:
    return text(p if p.startswith("<") else f"= {p}").replace(" ", "&nbsp;")
