"""What was evaluated and how, in words: the head of every report."""

from __future__ import annotations

from collections.abc import Iterator

from engine.report.run.findings import Findings
from engine.results.saved_run import Facts

SHORT_HASH = 12
_REASONS = {
    "no_keyword": "without a keyword of the chosen groups",
    "no_relevant": "without a relevant clip",
}


def facts_in_words(found: Findings) -> list[tuple[str, str]]:
    """Every fact of the run, as a name and a text; what is not known is not in it."""
    facts = found.run.facts
    pairs = [
        ("dataset", dataset_in_words(facts)),
        ("model", model_in_words(facts) or found.name),
        ("compared with", ", ".join(found.baseline_names)),
        ("keyword groups", ", ".join(facts.groups)),
        ("K", ", ".join(map(str, facts.ks))),
        ("profile", profile_in_words(found)),
        *queries_in_words(found),
        ("policies", policies_in_words(facts)),
        ("tool", f"tui-eval {facts.version}" if facts.version else ""),
        ("inputs (sha256)", inputs_in_words(facts)),
    ]
    return [(name, text) for name, text in pairs if text]


def dataset_in_words(facts: Facts) -> str:
    clips = "" if facts.clips is None else f", {facts.clips:,} clips"
    return f"{facts.dataset}{clips}" if facts.dataset else ""


def model_in_words(facts: Facts) -> str:
    """
    >>> model_in_words(Facts(model=(("name", "alfa"), ("metric", "cosine"), ("dimension", "384"))))
    'alfa (cosine, 384 dimensions)'
    """
    model = dict(facts.model)
    dimension = f"{model['dimension']} dimensions" if model.get("dimension") else ""
    more = ", ".join(filter(None, (model.get("metric"), dimension)))
    return f"{model.get('name', '')} ({more})" if more else model.get("name", "")


def profile_in_words(found: Findings) -> str:
    return f"{found.language.name} ({found.language.about})"


def queries_in_words(found: Findings) -> Iterator[tuple[str, str]]:
    """Per mode: how many were asked and count, and why others do not."""
    facts = found.run.facts
    known = {mode: (source, total, scored) for mode, source, total, scored in facts.queries}
    for mode in found.modes:
        source, total, scored = known.get(mode.mode, ("", len(mode.results), None))
        text = f"{total:,}" + (f" ({source})" if source else "")
        if scored is not None:
            text += f", {scored:,} count"
        for reason, count in ((r, n) for m, r, n in facts.skipped if m == mode.mode):
            text += f"; {count:,} {_REASONS.get(reason, reason)} left out"
        yield f"{mode.mode} queries", text


def policies_in_words(facts: Facts) -> str:
    """
    >>> policies_in_words(Facts(policies=(("no_relevant", "skip"), ("std_ddof", "1"))))
    'no relevant: skip; std ddof: 1'
    """
    return "; ".join(f"{name.replace('_', ' ')}: {value}" for name, value in facts.policies)


def inputs_in_words(facts: Facts) -> str:
    return ", ".join(f"{role} {digest[:SHORT_HASH]}" for role, digest in facts.inputs)
