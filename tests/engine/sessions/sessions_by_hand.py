"""Values of a session, built by hand for the tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from engine.keywords.judgement import Judgement, JudgementContext, Target
from engine.keywords.question import Question
from engine.sessions import Answer, MetricValue

HOSTILE = "a|b_c [red]x[/] <script> `é` 🚲 \u202e\x1b[31m\x00\r\n\t'; DROP TABLE sessions; --"

CYCLIST = Question("text", "a cyclist", "alfa", ("object_type",))
CLIP = Question("video", "clip_1", "alfa", ("object_type",), ("object_type:car",), ())
VARIANTS = (
    CYCLIST,
    replace(CYCLIST, model="beta"),
    replace(CYCLIST, groups=("object_type", "weather")),
    replace(CYCLIST, left_out=("object_type:car",)),
    replace(CYCLIST, keywords=("object_type:bicyclist",)),
    replace(CYCLIST, one_per="source"),
    replace(CYCLIST, relevance="any"),
    replace(CYCLIST, min_similarity=0.25),
)
"""The same query, asked with one other setting each."""
_BICYCLIST = ("object_type:bicyclist",)
SEEN = JudgementContext("alfa", ("object_type",), _BICYCLIST, 2, 0.75, _BICYCLIST)
HUB = Judgement("bias", "hub", "near to everything", SEEN)


def answer(question: Question = CYCLIST, clips: str = "a b c", **others: object) -> Answer:
    """An answer whose results are scored 0.9, 0.8, …"""
    names = tuple(clips.split())
    made = Answer(
        question=question,
        keywords=("object_type:bicyclist",),
        clips=names,
        scores=tuple(0.9 - place / 10 for place in range(len(names))),
        relevant=2,
        collection=10,
        metrics=(MetricValue("P@5", "Recall@5", "hits@5 / 5", 0.4, 0.6),),
    )
    return replace(made, **others)  # type: ignore[arg-type]


def target(clip: str, query: str = "a cyclist") -> Target:
    return Target("text", query, clip)


def ticking(start: datetime = datetime(2026, 11, 16, 4, 30, tzinfo=UTC)) -> Callable[[], datetime]:
    """A clock that goes on by a second each time it is looked at."""
    seconds = iter(range(10**9))
    return lambda: start + timedelta(seconds=next(seconds))
