"""Per-query results as a table: one row per query, for notebooks and for `--per-query FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import InputError, Place
from engine.evaluate import Evaluation
from engine.ranking import NO_ITEM
from engine.report.spreadsheet import harmless
from engine.results_of_run import keyword_names
from engine.run import Run

if TYPE_CHECKING:
    import pandas as pd

_FORMATS = (".csv", ".jsonl", ".parquet")


def per_query_frame(run: Run) -> pd.DataFrame:
    """Mode, query, keywords, counts, the top results with their scores and hits, every measure."""
    import pandas as pd

    return pd.concat([_frame(run, e) for e in run.evaluations], ignore_index=True)


def _frame(run: Run, evaluation: Evaluation) -> pd.DataFrame:
    """One row per query in the order they were asked; those left out have no values."""
    import pandas as pd

    scored = pd.DataFrame(_columns(run, evaluation), index=evaluation.queries.places)
    places = [place for place, _ in evaluation.queries.left_out]
    empty: list[list[Any]] = [[] for _ in places]
    left_out = pd.DataFrame(
        {
            "mode": evaluation.mode,
            "query": [name for _, name in evaluation.queries.left_out],
            "relevant": 0,
            **dict.fromkeys(("keywords", "retrieved", "scores", "hits"), empty),
        },
        index=places,
    )
    if not places:
        return scored
    return pd.concat([scored, left_out]).sort_index()


def _columns(run: Run, evaluation: Evaluation) -> dict[str, Any]:
    ids, judged = run.collection.truth.ids, evaluation.judged
    filled = judged.ranking.indices != NO_ITEM
    columns: dict[str, Any] = {
        "mode": evaluation.mode,
        "query": list(evaluation.queries.names),
        "keywords": [list(words) for words in keyword_names(run, evaluation)],
        "relevant": judged.relevant,
        "retrieved": [
            [ids[row] for row in rows[ok].tolist()]
            for rows, ok in zip(judged.ranking.indices, filled, strict=True)
        ],
        "scores": [
            np.round(scores[ok].astype(float), 6).tolist()
            for scores, ok in zip(judged.ranking.scores, filled, strict=True)
        ],
        "hits": [
            hits[ok].astype(int).tolist() for hits, ok in zip(judged.hits, filled, strict=True)
        ],
    }
    for measure in evaluation.scores.measures:
        columns[str(measure)] = evaluation.scores.column(measure)
    return columns


def check_per_query_path(path: Path) -> None:
    """Refuse a file name whose format is not known, before any work is done."""
    if path.suffix.lower() not in _FORMATS:
        raise InputError(
            f"cannot write per-query results as {path.suffix or 'a file without an extension'}",
            Place(path),
            hint=f"name a file that ends in {', '.join(_FORMATS)}",
        )


def write_per_query(run: Run, path: Path) -> None:
    """Write the table of a run; the file's extension says how."""
    check_per_query_path(path)
    write_frame(per_query_frame(run), path)


def write_frame(frame: pd.DataFrame, path: Path) -> None:
    """Write a table that has the columns of `per_query_frame`."""
    check_per_query_path(path)
    suffix = path.suffix.lower()
    try:
        if suffix == ".parquet":
            frame.to_parquet(path, index=False)
        elif suffix == ".jsonl":
            frame.to_json(
                path, orient="records", lines=True, force_ascii=False, double_precision=15
            )
        else:
            _flat(frame).to_csv(path, index=False)
    except OSError as error:
        reason = error.strerror or "input error"
        raise InputError(f"cannot be written ({reason})", Place(path)) from error


def _flat(frame: pd.DataFrame) -> pd.DataFrame:
    """Lists joined by "; ", and no cell that a spreadsheet would run as a formula."""
    flat = frame.copy()
    for name in ("keywords", "retrieved", "scores", "hits"):
        flat[name] = ["; ".join(map(str, items)) for items in frame[name]]
    for name in ("query", "keywords", "retrieved"):
        flat[name] = [harmless(cell) for cell in flat[name]]
    return flat
