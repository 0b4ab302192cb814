"""A run of one mode as bytes, and back: every array bit by bit, no pickle.

What the workbench has anyway is not in it: the clips, their vectors, the files. So it can be read
beside the same clips only; whoever keeps it tells them by `engine.keywords.run_key`.
"""

from __future__ import annotations

import io
import json
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from engine.base.choices import Mode
from engine.base.ranking import Ranking
from engine.dataset.query_set import QuerySet
from engine.files.input_file import FileSet, InputFile
from engine.keywords.evaluate import Evaluation
from engine.keywords.evaluated_run import EvaluatedRun
from engine.keywords.judge import JudgedRanking
from engine.keywords.run import (
    QuerySource,
    Run,
    RunRequest,
    choose_selection,
    collect_run_inputs,
)
from engine.keywords.searching import adapt_policies
from engine.keywords.workbench import Workbench
from engine.metrics import Measure, Scores, find_profile
from engine.metrics.chance import ChanceLevels, ChanceTest
from engine.metrics.gain_levels import GainLevels
from engine.results.first_hits import FirstHits
from engine.text.mapping.unexplained import UnexplainedWords

_HEAD = "head"
_ROWS = "rows"


class RunArchiveError(Exception):
    """What was kept is no run, or one of other clips: it has to be carried out again."""


def dump_run(evaluated: EvaluatedRun, made: datetime) -> bytes:
    """The run as bytes; `made`: when it was carried out."""
    run, evaluation = evaluated.run, evaluated.evaluation
    queries, scores, judged = evaluation.queries, evaluation.scores, evaluation.judged
    source = run.sources[queries.mode]
    head = {
        "made": made.isoformat(),
        "mode": queries.mode,
        # Clips are called as their rows are.
        "names": list(queries.names) if queries.rows is None else None,
        "left_out": [list(one) for one in queries.left_out],
        "mapped": queries.mapped,
        "narrowed": queries.narrowed,
        "unexplained": asdict(queries.unexplained),
        "measures": [str(measure) for measure in scores.measures],
        "cut_at": scores.cut_at,
        "depth": evaluation.depth,
        "complete": evaluation.complete,
        "source": [source.name, source.available, source.file is not None],
        "encoder": run.inputs["encoder"].as_document() if "encoder" in run.inputs else None,
    }
    arrays: dict[str, npt.NDArray[Any]] = {
        "values": scores.values,
        "without": scores.left_out,
        "bounds": scores.bounds,
        "pooled": scores.pooled,
        "indices": judged.ranking.indices,
        "similarities": judged.ranking.scores,
        "bits": judged.query_bits,
        "hits": judged.hits,
        "retrieved": judged.retrieved,
        "relevant": judged.relevant,
        "collection": judged.collection,
        "places": queries.places,
    }
    if judged.shares is not None and judged.levels is not None:
        arrays["shares"] = judged.shares
        arrays |= {"level_gains": judged.levels.gains, "level_counts": judged.levels.counts}
    if queries.rows is not None:
        arrays[_ROWS] = queries.rows
    _dump_beside(evaluation, head, arrays)
    text = json.dumps(head, ensure_ascii=False).encode()
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **{_HEAD: np.frombuffer(text, np.uint8)}, **arrays)
    return file.getvalue()


def load_run(data: bytes, request: RunRequest, bench: Workbench, files: FileSet) -> EvaluatedRun:
    """The run of a request of one mode, beside the clips of the workbench.

    `files` are those that the texts were read from. Bytes that are no such run are a
    `RunArchiveError`, a setting that the clips do not allow an `InputError`; anything else that is
    raised is a fault of this program, which alone writes them.
    """
    head, arrays = _read_archive(data)
    known, collection = bench.mapped, bench.collection(request.model)
    mode: Mode = head["mode"]
    if len(collection) <= int(arrays["indices"].max(initial=-1)):
        raise RunArchiveError("it is a run of more clips")
    request = replace(request, policies=adapt_policies(collection, request.policies))
    language = find_profile(request.profile)
    evaluation = Evaluation(
        queries=_read_queries(head, arrays, collection.truth.ids),
        scores=_read_scores(head, arrays),
        judged=JudgedRanking(
            ranking=Ranking(arrays["indices"], arrays["similarities"]),
            query_bits=arrays["bits"],
            hits=arrays["hits"],
            retrieved=arrays["retrieved"],
            relevant=arrays["relevant"],
            collection=arrays["collection"],
            rule=request.policies.relevance,
            shares=arrays.get("shares"),
            levels=_read_levels(arrays),
        ),
        policies=request.policies,
        depth=head["depth"],
        complete=head["complete"],
        **_read_beside(head, arrays),
    )
    name, available, has_file = head["source"]
    file = Path(request.queries) if request.queries else known.dataset.queries_file
    sources = {mode: QuerySource(name, available, file if has_file else None, files)}
    encoder = {} if head["encoder"] is None else {"encoder": InputFile(**head["encoder"])}
    run = Run(
        request=request,
        dataset=known.dataset,
        collection=collection,
        selection=choose_selection(
            known.dataset, collection.truth, request.groups, request.keywords
        ),
        profile=language,
        evaluations=(evaluation,),
        sources=sources,
        inputs=collect_run_inputs(
            known.dataset,
            collection,
            sources,
            bench.text_encoder(collection.model.name) if mode == "text" else None,
            encoder,
        ),
    )
    return EvaluatedRun.of(run, datetime.fromisoformat(head["made"]))


def _read_archive(data: bytes) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """What `dump_run` wrote: the head, and every array by its name."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        return json.loads(arrays.pop(_HEAD).tobytes()), arrays
    except (BadZipFile, EOFError, KeyError, OSError, ValueError) as error:
        raise RunArchiveError("it is no run that was kept") from error


def _dump_beside(
    evaluation: Evaluation, head: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
) -> None:
    """What stands beside the scores, as far as it is known: chance, and where first hits are."""
    chance, tested, first = evaluation.chance, evaluation.tested, evaluation.first_hits
    if chance is not None:
        head["chance_measures"] = [str(measure) for measure in chance.measures]
        head["chance_depth"] = chance.depth
        arrays |= {"chance": chance.values, "chance_kinds": chance.kinds}
    if tested is not None:
        head["tested"] = [tested.shuffles, tested.queries]
        arrays["chance_p"] = tested.p
    if first is not None:
        arrays |= {"first_hits": first.ranks, "first_hits_beyond": first.beyond}


def _read_beside(head: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> dict[str, Any]:
    beside: dict[str, Any] = {}
    if "chance" in arrays:
        measures = tuple(map(Measure.parse, head["chance_measures"]))
        beside["chance"] = ChanceLevels(
            measures, arrays["chance"], arrays["chance_kinds"], head["chance_depth"]
        )
    if "chance_p" in arrays:
        beside["tested"] = ChanceTest(arrays["chance_p"], *head["tested"])
    if "first_hits" in arrays:
        beside["first_hits"] = FirstHits(arrays["first_hits"], arrays["first_hits_beyond"])
    return beside


def _read_levels(arrays: dict[str, npt.NDArray[Any]]) -> GainLevels | None:
    """Those of graded relevance; None: it is not graded."""
    if "level_gains" not in arrays:
        return None
    return GainLevels(arrays["level_gains"], arrays["level_counts"])


def _read_queries(
    head: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], ids: tuple[str, ...]
) -> QuerySet:
    rows = arrays.get(_ROWS)
    names = head["names"] if rows is None else [ids[row] for row in rows.tolist()]
    told = head["unexplained"]
    words = tuple((word, count) for word, count in told["words"])
    return QuerySet(
        mode=head["mode"],
        names=tuple(names),
        bits=arrays["bits"],
        places=arrays["places"],
        rows=rows,
        left_out=tuple((place, name) for place, name in head["left_out"]),
        mapped=head["mapped"],
        narrowed=head["narrowed"],
        unexplained=UnexplainedWords(told["mapped"], told["queries"], words),
    )


def _read_scores(head: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Scores:
    return Scores(
        measures=tuple(map(Measure.parse, head["measures"])),
        values=arrays["values"],
        left_out=arrays["without"],
        bounds=arrays["bounds"],
        pooled=arrays["pooled"],
        cut_at=head["cut_at"],
    )
