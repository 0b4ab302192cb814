"""The gate: may this run replace the baseline? A pass, a fail, or too few queries to tell.

    Results (run, baseline), limits, SavedTriage ─▶ decide ─▶ Gate

A *limit* is absolute: the mean (a rank's median) of the run must not be below a number.
Against a baseline, every gated metric is tested per mode over all queries and over every slice
with enough of them. `engine.gate.regressions` says which tests, and how often they cry wolf.
A triage fails the run by what it has found since its own baseline: `engine.gate.findings`.

>>> import numpy as np
>>> from engine.gate import decide, parse_limit
>>> from engine.metrics import Measure, find_profile
>>> from engine.results.results import Results, number_queries
>>> def system(name, values):
...     n = len(values)
...     keys = number_queries(["text"] * n, [f"query {i}" for i in range(n)])
...     column = np.array(values)[:, None]
...     one = (Measure.parse("P@5"),)
...     return Results(name, find_profile("alfa"), one, keys, column, ((),) * n, np.full(n, -1))
>>> old, new = system("old", [0.8, 1.0] * 6), system("new", [0.2, 0.6] * 6)
>>> gate = decide(new, old, limits=[parse_limit("Recall@5=0.3", new.language)])
>>> gate.verdict, [check.verdict for check in gate.checks]
('fail', ['pass', 'fail'])
>>> check = gate.regressions[0]
>>> round(check.gain, 3), check.n, check.p
(-0.5, 12, 0.000244140625)
>>> decide(old, old).verdict
'pass'
"""

from engine.gate.checks import Check, FindingCheck, LimitCheck, Regression, parse_limit
from engine.gate.decide import Gate, decide
from engine.gate.gate_settings import GateSettings

__all__ = [
    "Check",
    "FindingCheck",
    "Gate",
    "GateSettings",
    "LimitCheck",
    "Regression",
    "decide",
    "parse_limit",
]
