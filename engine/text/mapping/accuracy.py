"""How well mapped keyword sets agree with intended ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How well mapped keyword sets agree with the intended ones."""

    queries: int
    exact: int
    true_positives: int
    false_positives: int
    false_negatives: int

    @property
    def exact_share(self) -> float:
        return self.exact / self.queries if self.queries else float("nan")

    @property
    def precision(self) -> float:
        """TP / (TP + FP): of the mapped keywords, how many were intended."""
        mapped = self.true_positives + self.false_positives
        return self.true_positives / mapped if mapped else float("nan")

    @property
    def recall(self) -> float:
        """TP / (TP + FN): of the intended keywords, how many were mapped."""
        intended = self.true_positives + self.false_negatives
        return self.true_positives / intended if intended else float("nan")

    @property
    def micro_f1(self) -> float:
        """2·TP / (2·TP + FP + FN) over all queries; 1 if there was nothing to find or say."""
        wrong = self.false_positives + self.false_negatives
        total = 2 * self.true_positives + wrong
        return 2 * self.true_positives / total if total else 1.0


def measure_accuracy(pairs: Iterable[tuple[frozenset[str], frozenset[str]]]) -> Accuracy:
    """Compare (intended, mapped) keyword names.

    >>> measure_accuracy([(frozenset({"a", "b"}), frozenset({"a"}))]).micro_f1
    0.6666666666666666
    """
    listed = list(pairs)
    return Accuracy(
        queries=len(listed),
        exact=sum(wanted == mapped for wanted, mapped in listed),
        true_positives=sum(len(wanted & mapped) for wanted, mapped in listed),
        false_positives=sum(len(mapped - wanted) for wanted, mapped in listed),
        false_negatives=sum(len(wanted - mapped) for wanted, mapped in listed),
    )
