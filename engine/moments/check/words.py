"""Words: how a benchmark calls what every submission has."""

from __future__ import annotations

from dataclasses import dataclass

from engine.moments.source import Format


@dataclass(frozen=True, slots=True)
class Words:
    """The keys of a query, and what its answer and a part of the answer are called.

    >>> QVH.spoken("no predictions"), TVR.spoken("no predictions")
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

    def spoken(self, text: str) -> str:
        return text.replace("prediction", self.prediction)


TVR = Words("desc_id", "desc", "vid_name", "entry", "prediction")
QVH = Words("qid", "query", "vid", "line", "window")
WORDS: dict[Format, Words] = {"tvr": TVR, "qvh": QVH}
