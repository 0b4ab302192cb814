"""What a campaign has found so far: counts, slowest, largest, and each kind of finding."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz.verdict import ALLOWED, Verdict


@dataclass
class Tally:
    """Counts that grow with every verdict.

    unforeseen  by the place in the code where a library's exception came through
    findings    by their signatures
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    unforeseen: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    largest: int = 0
    commands: int = 0

    def add(self, verdict: Verdict, *, is_command: bool) -> None:
        self.outcomes[verdict.outcome] += 1
        self.names[verdict.name] += 1
        self.commands += is_command
        self.slowest = max(self.slowest, verdict.seconds)
        self.largest = max(self.largest, verdict.grown)
        if verdict.outcome == "unforeseen":
            self.unforeseen[
                f"{verdict.name}: {verdict.place}" if verdict.place else verdict.name
            ] += 1
        if verdict.is_finding:
            self.findings[verdict.signature] += 1

    @property
    def inputs(self) -> int:
        return self.outcomes.total()

    @property
    def found(self) -> int:
        return self.findings.total()

    def count(self, *outcomes: str) -> int:
        return sum(self.outcomes[outcome] for outcome in outcomes)

    def as_document(self) -> dict[str, Any]:
        return {
            "outcomes": dict(self.outcomes),
            "names": dict(self.names),
            "unforeseen": dict(self.unforeseen.most_common()),
            "findings": dict(self.findings.most_common()),
            "slowest": self.slowest,
            "largest": self.largest,
            "commands": self.commands,
        }

    @classmethod
    def of_document(cls, document: dict[str, Any]) -> Tally:
        counters = {
            name: Counter(document[name])
            for name in ("outcomes", "names", "unforeseen", "findings")
        }
        rest = {name: document[name] for name in ("slowest", "largest", "commands")}
        return cls(**counters, **rest)

    def as_result(self, seconds: float, seed: int) -> dict[str, Any]:
        """What a page about reliability says of it; what was found is in the state, by place."""
        is_reader = {name: "." in name for name in self.names}
        return {
            "inputs": self.inputs,
            "seed": seed,
            "seconds": round(seconds, 1),
            "readers": sum(is_reader.values()),
            "commands": len(self.names) - sum(is_reader.values()),
            "command_lines": self.commands,
            "values": self.count("value"),
            "refused": self.count("refused"),
            "unforeseen": self.count("unforeseen"),
            "tracebacks": self.count("traceback", "signal"),
            "unexpected": self.count("unexpected"),
            "over_memory": self.count("memory"),
            "over_time": self.count("time"),
            "changed_or_left": self.count("changed", "left"),
            "bad_messages": self.count("message"),
            "slowest_seconds": round(self.slowest, 2),
            "largest_growth_mb": self.largest >> 20,
        }

    def __str__(self) -> str:
        allowed = ", ".join(f"{self.outcomes[name]:,} {name}" for name in ALLOWED)
        return f"{self.inputs:,} inputs: {allowed}, {self.found} findings"
