"""A run as TREC files: what was retrieved, what is relevant, and what the query ids stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import numpy as np

from engine.base.arrays import Ints
from engine.base.choices import RelevancePolicy
from engine.base.errors import InputError, Place
from engine.dataset.clip_set import BitWords
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.matching import count_matched, find_relevant
from engine.files.atomic import make_folder, write_whole
from engine.files.csv_cells import escape_formula
from engine.files.refusals import refuse_writing, require_writable
from engine.keywords.evaluate import Evaluation
from engine.keywords.run import Run
from engine.metrics.ties import find_group_starts

_NOT_IN_A_TOKEN = re.compile(r"[\s%\x00-\x1f\x7f-\x9f]|^#")


@dataclass(frozen=True, slots=True)
class TrecExport:
    """The files that were written, and what a reader must know about them."""

    files: tuple[Path, ...]
    notes: tuple[str, ...]


def check_trec_folder(folder: Path) -> None:
    """Refuse, before any work, a folder in which nothing can be written."""
    try:
        if folder.exists() and not folder.is_dir():
            raise InputError("is a file, not a folder", Place(folder), hint="name a folder")
        nearest = folder if folder.is_dir() else folder.parent
        if not nearest.is_dir():
            raise InputError("the folder does not exist", Place(nearest), hint="make it first")
        require_writable(nearest, folder)
    except OSError as error:
        raise refuse_writing(error, folder) from error


def list_trec_files(folder: Path) -> tuple[Path, ...]:
    """Every file that `write_trec` may write there."""
    parts = ("run", "qrels", "queries.tsv")
    return tuple(folder / f"{mode}.{part}" for mode in ("text", "video") for part in parts)


def write_trec(run: Run, folder: Path) -> TrecExport:
    """Write `text.run`, `text.qrels` and `text.queries.tsv`, likewise `video.…`, as far as the run
    has these modes.

    A run file holds what the evaluation kept: the top K, K being its largest cut-off. Scores are
    written in the shortest form that is the same float32. Judgements list every relevant clip of
    the collection; the query clip itself is not one where it was removed. Of graded relevance
    the grade is the number of the query's keywords that the clip has: in proportion to its gain, so
    that nDCG is the same. Where one clip of each source stays, one of each relevant one is judged.
    """
    check_trec_folder(folder)
    files: list[Path] = []
    notes: list[str] = []
    make_folder(folder)
    for evaluation in run.evaluations:
        mode = evaluation.mode
        parts = {
            folder / f"{mode}.run": _run_lines(run, evaluation),
            folder / f"{mode}.qrels": _qrels_lines(run, evaluation),
            folder / f"{mode}.queries.tsv": _query_lines(evaluation),
        }
        for file, lines in parts.items():
            write_whole("".join(lines), file)
        files += parts
        notes += [f"{mode}: {note}" for note in _notes(run, evaluation)]
    return TrecExport(tuple(files), tuple(notes))


def encode_token(text: str) -> str:
    """An id without spaces: they, % and a leading # are percent-encoded.

    >>> encode_token("clip 7"), encode_token("clip_7")
    ('clip%207', 'clip_7')
    """
    return _NOT_IN_A_TOKEN.sub(lambda match: quote(match.group(), safe=""), text)


def make_query_ids(evaluation: Evaluation) -> list[str]:
    """Ids of the queries: t1, t2 … by the place of a text in its query set; clips by their own."""
    if evaluation.mode == "text":
        return [f"t{place + 1}" for place in evaluation.queries.places.tolist()]
    return [encode_token(name) for name in evaluation.queries.names]


def _run_lines(run: Run, evaluation: Evaluation) -> Iterator[str]:
    clips = [encode_token(clip) for clip in run.collection.truth.ids]
    tag = encode_token(run.collection.model.name) or "tui-eval"
    judged = evaluation.judged
    for query, rows, scores, retrieved in zip(
        make_query_ids(evaluation),
        judged.ranking.indices,
        judged.ranking.scores,
        judged.retrieved,
        strict=True,
    ):
        found = zip(rows[retrieved].tolist(), scores[retrieved], strict=True)
        for rank, (row, score) in enumerate(found, 1):
            yield f"{query} Q0 {clips[row]} {rank} {score!s} {tag}\n"


def _qrels_lines(run: Run, evaluation: Evaluation) -> Iterator[str]:
    truth, queries = run.collection.truth, evaluation.queries
    clips = [encode_token(clip) for clip in truth.ids]
    every = np.arange(len(truth))[None]
    distinct, which = np.unique(queries.bits, axis=0, return_inverse=True)
    grades: dict[int, Ints] = {}
    own = queries.rows if evaluation.policies.self_clip == "remove" else None
    for place, (query, number) in enumerate(
        zip(make_query_ids(evaluation), which.reshape(-1).tolist(), strict=True)
    ):
        if number not in grades:
            bits = distinct[number : number + 1]
            grades[number] = _find_grades(truth, every, bits, evaluation.policies.relevance)
        rows = np.flatnonzero(grades[number])
        if own is not None:
            rows = rows[rows != own[place]]
        if evaluation.policies.one_per == "source":
            found = evaluation.judged.ranking.indices[place][evaluation.judged.retrieved[place]]
            not_own = None if own is None else int(own[place])
            rows = _choose_one_per_source(rows, found, truth, grades[number], not_own)
        worth = grades[number][rows].tolist()
        listed = zip(rows.tolist(), worth, strict=True)
        yield from (f"{query} 0 {clips[row]} {grade}\n" for row, grade in listed)
        if not len(rows) and evaluation.policies.no_relevant == "zero":
            # A query without any line would not be judged, and so not count as 0.
            found = evaluation.judged.ranking.indices[place][evaluation.judged.retrieved[place]]
            yield from (f"{query} 0 {clips[row]} 0\n" for row in found.tolist())


def _choose_one_per_source(
    rows: Ints, found: Ints, truth: GroundTruth, grades: Ints, own: int | None
) -> Ints:
    """One relevant clip of each source, so that there are as many as R says: the one that was
    found, or else the best, which was not; nothing of the source of `own`."""
    numbers = truth.source_numbers
    order = rows[np.lexsort((rows, -grades[rows], ~np.isin(rows, found)))]
    _, first = np.unique(numbers[order], return_index=True)
    chosen: Ints = np.sort(order[first])
    if own is not None:
        chosen = chosen[numbers[chosen] != numbers[own]]
    return chosen


def _find_grades(
    truth: GroundTruth, every: Ints, bits: BitWords, relevance: RelevancePolicy
) -> Ints:
    """The grade of every clip for one query, 0 where it is not relevant."""
    grades: Ints = count_matched(truth, every, bits)
    if relevance != "graded":
        grades = find_relevant(truth, every, bits, relevance).astype(np.int64)
    found: Ints = grades[0]
    return found


def _query_lines(evaluation: Evaluation) -> Iterator[str]:
    for query, name in zip(make_query_ids(evaluation), evaluation.queries.names, strict=True):
        yield f"{query}\t{escape_formula(' '.join(name.split()))}\n"


def _notes(run: Run, evaluation: Evaluation) -> Iterator[str]:
    ranking = evaluation.judged.ranking
    yield f"the run holds the top {ranking.depth} of each query; metrics beyond need a larger --k"
    encoded = sum(encode_token(clip) != clip for clip in run.collection.truth.ids)
    if encoded:
        yield f"{encoded} clip ids have spaces or the like, which are percent-encoded"
    tied = ~find_group_starts(ranking.scores) & evaluation.judged.retrieved
    if tied.any() and evaluation.policies.ties != "docid_desc":
        yield (
            f"{int(np.count_nonzero(tied))} results have the same score as the one above; "
            "trec_eval orders those by id, as the policy docid_desc does"
        )
    if evaluation.policies.relevance == "graded" and any(
        ("gain", "exp") in measure.params for measure in evaluation.scores.measures
    ):
        yield "grades are numbers of keywords: nDCG with gain=exp is another of those"
    if evaluation.policies.one_per == "source":
        yield "of each source that has relevant clips one is judged: what was found of it, if any"
        if evaluation.policies.relevance == "graded":
            yield "the best clip of a source may be another than was found: nDCG is not the same"
    if evaluation.policies.ties == "expected":
        yield "the run is one order of its ties; the metrics were means over all orders"
    if evaluation.policies.no_relevant != "zero" and evaluation.scores.skipped:
        yield f"{evaluation.scores.skipped} queries have no relevant clip and no judgement"
