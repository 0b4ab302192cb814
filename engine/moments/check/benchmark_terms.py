"""Words: how a benchmark calls what every submission has."""

from __future__ import annotations

from dataclasses import dataclass

from engine.moments.moments_source import Benchmark


@dataclass(frozen=True, slots=True)
class BenchmarkTerms:
    """The keys of a query, and what its answer and a part of the answer are called.

    >>> QVH_TERMS.adapt("no predictions"), TVR_TERMS.adapt("no predictions")
    ('no windows', 'no predictions')
    """

    id: str
    text: str
    video: str
    entry: str
    prediction: str

    def noun(self, noun: str) -> str:
        """The benchmark's own word for an entry and a prediction; any other as it is."""
        return {"entry": self.entry, "prediction": self.prediction}.get(noun, noun)

    def adapt(self, text: str) -> str:
        return text.replace("prediction", self.prediction)


TVR_TERMS = BenchmarkTerms("desc_id", "desc", "vid_name", "entry", "prediction")
QVH_TERMS = BenchmarkTerms("qid", "query", "vid", "line", "window")
TERMS_BY_BENCHMARK: dict[Benchmark, BenchmarkTerms] = {"tvr": TVR_TERMS, "qvh": QVH_TERMS}
