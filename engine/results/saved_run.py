"""A saved run as a report sees it: its results, its numbers, and what they were computed from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.base.errors import InputError, Place
from engine.files.envelope import is_schema
from engine.files.fields import Field
from engine.files.reader import reads
from engine.files.text import parse_json, read_text
from engine.metrics import Measure
from engine.results.keywords_at_k import FoundKeyword, read_found_keywords
from engine.results.read_results import read_results
from engine.results.results import RANKED, MetricRow, Results

_LEFT_OUT = (("missing", "not in the run"), ("no_relevant", "without a relevant item"))
"""Queries of `score` that its policies of these names may leave out, and what they are."""


@dataclass(frozen=True, slots=True)
class RunFacts:
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
    min_similarity: float | None = None

    def input(self, role: str) -> str | None:
        """The sha256 of an input."""
        return dict(self.inputs).get(role)


@dataclass(frozen=True, eq=False)
class SavedRun:
    """Results, the numbers that were reported of them, and the facts.

    metrics  as the document has them; empty for a per-query file, which has no means
    keywords how well each keyword was found by itself, as far as the document says it
    """

    results: Results
    metrics: tuple[MetricRow, ...] = ()
    facts: RunFacts = field(default_factory=RunFacts)
    keywords: tuple[FoundKeyword, ...] = ()


@reads("a saved run")
def read_saved_run(path: Path, name: str | None = None) -> SavedRun:
    """Read what `run --out`, `score --out` or `--per-query` wrote."""
    results = read_results(path, name)
    if path.suffix.lower() != ".json":
        return SavedRun(results)
    document = Field(parse_json(read_text(path), Place(path)), "", Place(path))
    keywords = tuple(read_found_keywords(document))
    return SavedRun(results, tuple(_metrics(document)), _facts(document, results), keywords)


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
            chance=_number(row.part("chance")),
            chance_p=_number(row.part("chance_p")),
            chance_n=_count(row.part("chance_n")),
            chance_shuffles=_count(row.part("chance_shuffles")),
        )


def _number(field: Field) -> float:
    return float("nan") if field.null else field.number()


def _count(field: Field) -> int | None:
    return None if field.null else field.count()


def _facts(document: Field, results: Results) -> RunFacts:
    """What holds for every document, and what only those of `run` or those of `score` have."""
    ks = document.optional("k")
    common = RunFacts(
        version=_text(document.part("tool"), "version"),
        ks=() if ks is None else tuple(k.count() for k in ks.items()),
        policies=results.policies,
        inputs=results.inputs,
    )
    of_score = is_schema(document.part("schema").value, "score")
    return (_scored if of_score else _carried_out)(document, common)


def _scored(document: Field, common: RunFacts) -> RunFacts:
    """Of rankings that were scored: no dataset, and one kind of queries."""
    items, counts = document.optional("collection"), _object(document, "queries")
    policies = document.part("policies")
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


def _carried_out(document: Field, common: RunFacts) -> RunFacts:
    dataset = _object(document, "dataset")
    source = dataset.optional("source")
    least = _object(document, "policies").optional("min_similarity")
    clips = _object(document, "collection").optional("clips") or dataset.optional("clips")
    groups = document.optional("groups")
    return replace(
        common,
        dataset=_text(dataset, "name"),
        source=None if source is None or source.null else source.text(),
        model=tuple((name, one.in_words()) for name, one in document.part("model").named()),
        clips=None if clips is None else clips.count(),
        groups=() if groups is None else groups.texts(),
        queries=tuple(_queries(document)),
        skipped=tuple(
            (mode, reason, count.count())
            for mode, reasons in document.part("skipped").named()
            for reason, count in reasons.named()
            if count.count()
        ),
        min_similarity=None if least is None or least.null else least.number(),
    )


def _queries(document: Field) -> Iterator[tuple[str, str, int, int]]:
    for mode, counts in document.part("queries").named():
        total, scored = counts.optional("total"), counts.optional("scored")
        if total is not None and scored is not None:
            yield mode, _text(counts, "source"), total.count(), scored.count()


def _object(document: Field, name: str) -> Field:
    """A part of a document; an empty one where it has none."""
    found = document.part(name)
    return Field({}, name, document.place) if found.null else found


def _text(part: Field, name: str) -> str:
    found = part if part.null else part.part(name)
    return "" if found.null else found.text()
