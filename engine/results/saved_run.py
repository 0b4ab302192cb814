"""A saved run as a report sees it: its results, its numbers, and what they were computed from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.base.errors import InputError, Place
from engine.files.envelope import is_schema
from engine.files.fields import Field
from engine.files.text import parse_json, read_text
from engine.metrics import Measure
from engine.results.metric_row import MetricRow
from engine.results.read import read_results
from engine.results.results import RANKED, Results

_LEFT_OUT = (("missing", "not in the run"), ("no_relevant", "without a relevant item"))
"""Queries of `score` that its policies of these names may leave out, and what they are."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a run's document says beside its numbers; empty where it says nothing.

    skipped   (mode, reason, queries), none of them 0
    queries   (mode, where they come from, how many were asked, how many count)
    policies  (name, value in words)
    inputs    (role, sha256)
    """

    version: str = ""
    dataset: str = ""
    source: str | None = None
    model: tuple[tuple[str, str], ...] = ()
    clips: int | None = None
    groups: tuple[str, ...] = ()
    ks: tuple[int, ...] = ()
    queries: tuple[tuple[str, str, int, int], ...] = ()
    skipped: tuple[tuple[str, str, int], ...] = ()
    policies: tuple[tuple[str, str], ...] = ()
    inputs: tuple[tuple[str, str], ...] = ()
    adaptive: bool = False
    min_similarity: float | None = None

    def input(self, role: str) -> str | None:
        """The sha256 of an input."""
        return dict(self.inputs).get(role)


@dataclass(frozen=True, eq=False)
class SavedRun:
    """Results, the numbers that were reported of them, and the facts.

    metrics  as the document has them; empty for a per-query file, which has no means
    """

    results: Results
    metrics: tuple[MetricRow, ...] = ()
    facts: Facts = field(default_factory=Facts)


def read_saved_run(path: Path, name: str | None = None) -> SavedRun:
    """Read what `run --out`, `score --out` or `--per-query` wrote."""
    results = read_results(path, name)
    if path.suffix.lower() != ".json":
        return SavedRun(results)
    document = Field(parse_json(read_text(path), Place(path)), "", Place(path))
    return SavedRun(results, tuple(_metrics(document)), _facts(document))


def _measure(field: Field) -> Measure:
    try:
        return Measure.parse(field.text())
    except InputError as error:
        raise field.wrong(f"is an {error.message}", hint=error.hint) from error


def _metrics(document: Field) -> Iterator[MetricRow]:
    rows = document.optional("metrics")
    for row in rows.items() if rows is not None else ():
        measure = _measure(row["id"])
        yield MetricRow(
            mode=row["mode"].text(),
            id=str(measure),
            label=row["label"].text(),
            formula=row["formula"].text(),
            mean=_number(row["mean"]),
            std=_number(row["std"]),
            n=row["n"].count(),
            is_mean=measure.aggregate == "mean",
        )


def _number(field: Field) -> float:
    return float("nan") if field.null else field.number()


def _facts(document: Field) -> Facts:
    """What holds for every document, and what only those of `run` or those of `score` have."""
    schema = document.optional("schema")
    of_score = schema is not None and is_schema(schema.value, "score")
    return (_scored if of_score else _carried_out)(document, _common(document))


def _common(document: Field) -> Facts:
    policies = _part(document, "policies")
    short = policies.optional("fewer_than_k")
    ks = document.optional("k")
    return Facts(
        version=_text(_part(document, "tool"), "version"),
        ks=() if ks is None else tuple(k.count() for k in ks.items()),
        policies=tuple((name, in_words(one.value)) for name, one in _named(policies)),
        inputs=tuple((role, one["sha256"].text()) for role, one in _named(document, "inputs")),
        adaptive=short is not None and short.value == "adaptive",
    )


def _scored(document: Field, common: Facts) -> Facts:
    """Of rankings that were scored: no dataset, and one kind of queries."""
    items, counts = document.optional("collection"), _part(document, "queries")
    policies = _part(document, "policies")
    judged, scored = counts.optional("judged"), counts.optional("scored")
    number = "" if items is None else f" of {items.count():,} items"
    return replace(
        common,
        dataset=f"rankings{number}, scored against judgements (no dataset)",
        queries=((RANKED, "", judged.count(), scored.count()),) if judged and scored else (),
        skipped=tuple(
            (RANKED, words, count.count())
            for name, words in _LEFT_OUT
            if (count := counts.optional(name)) is not None
            and count.count()
            and _text(policies, name) == "skip"
        ),
    )


def _carried_out(document: Field, common: Facts) -> Facts:
    dataset = _part(document, "dataset")
    source = dataset.optional("source")
    least = _part(document, "policies").optional("min_similarity")
    clips = _part(document, "collection").optional("clips") or dataset.optional("clips")
    groups = document.optional("groups")
    return replace(
        common,
        dataset=_text(dataset, "name"),
        source=None if source is None or source.null else source.text(),
        model=tuple((name, in_words(one.value)) for name, one in _named(document, "model")),
        clips=None if clips is None else clips.count(),
        groups=() if groups is None else groups.texts(),
        queries=tuple(_queries(document)),
        skipped=tuple(
            (mode, reason, count.count())
            for mode, reasons in _named(document, "skipped")
            for reason, count in _named(reasons)
            if count.count()
        ),
        min_similarity=None if least is None or least.null else least.number(),
    )


def _queries(document: Field) -> Iterator[tuple[str, str, int, int]]:
    for mode, counts in _named(document, "queries"):
        total, scored = counts.optional("total"), counts.optional("scored")
        if total is not None and scored is not None:
            yield mode, _text(counts, "source"), total.count(), scored.count()


def _part(document: Field, name: str) -> Field:
    """A part of a document; an empty one where it has none."""
    found = document.optional(name)
    return Field({}, name, document.place) if found is None or found.null else found


def _named(document: Field, name: str = "") -> Iterator[tuple[str, Field]]:
    """The fields of an object by their names."""
    part = _part(document, name) if name else document
    if not isinstance(part.value, dict):
        raise part.wrong("is not an object")
    for key in part.value:
        yield key, part[key]


def _text(part: Field, name: str) -> str:
    found = part.optional(name)
    return "" if found is None or found.null else found.text()


def in_words(value: object) -> str:
    """A plain value as a reader would say it.

    >>> in_words(None), in_words(True), in_words(0.15), in_words("skip")
    ('none', 'yes', '0.15', 'skip')
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
