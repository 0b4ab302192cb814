"""TREC files: the usual ones at once, the odd ones line by line, both with the same result."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.rankings.formats.registry import read_qrels, read_run
from engine.rankings.formats.run_and_qrels import Qrels, RunFile
from engine.rankings.formats.trec import read_line_by_line, read_trec_at_once
from engine.rankings.formats.triples import FileKind, Triples

RUN = "q1 Q0 d1 1 0.9 tag\nq1 Q0 d2 2 0.8 tag\nq2 Q0 d1 1 0.5 tag\n"
QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"


def written(folder: Path, text: str | bytes, name: str = "file.txt") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def rankings(run: RunFile) -> dict[str, list[tuple[str, float]]]:
    """Every query's results as they stand."""
    named = list(zip(run.items.names(run.codes), run.scores.tolist(), strict=True))
    bounds = zip(run.queries, run.indptr[:-1], run.indptr[1:], strict=True)
    return {query: named[start:stop] for query, start, stop in bounds}


def judgements(qrels: Qrels) -> dict[str, dict[str, float]]:
    named = list(zip(qrels.items.names(qrels.codes), qrels.grades.tolist(), strict=True))
    bounds = zip(qrels.queries, qrels.indptr[:-1], qrels.indptr[1:], strict=True)
    return {query: dict(named[start:stop]) for query, start, stop in bounds}


def test_a_run_is_ordered_by_score_whatever_its_ranks_say(tmp_path: Path) -> None:
    text = "q Q0 low 1 0.1 t\nq Q0 high 2 0.9 t\nq Q0 also_high 9 0.9 t\n"

    run = read_run(written(tmp_path, text))

    assert rankings(run) == {"q": [("high", 0.9), ("also_high", 0.9), ("low", 0.1)]}


def test_scores_that_only_doubles_can_tell_apart_keep_their_order(tmp_path: Path) -> None:
    text = "q Q0 second 1 0.90000000001 t\nq Q0 first 2 0.90000000002 t\n"

    run = read_run(written(tmp_path, text))

    assert run.items.names(run.codes) == ["first", "second"]


def test_queries_may_be_scattered_over_the_file(tmp_path: Path) -> None:
    text = "b Q0 d1 1 1 t\na Q0 d2 1 2 t\nb Q0 d3 1 3 t\n"

    run = read_run(written(tmp_path, text))

    assert rankings(run) == {"b": [("d3", 3.0), ("d1", 1.0)], "a": [("d2", 2.0)]}


@pytest.mark.parametrize(
    "text",
    [
        RUN,
        RUN.replace(" ", "\t"),
        RUN.replace(" ", "  \t "),
        RUN.replace("\n", "  \n"),
        "".join(f"  {line}" for line in RUN.splitlines(keepends=True)),
        RUN.replace("\n", "\r\n"),
        RUN.replace("\n", "\r"),
        "\n\n" + RUN.replace("\n", "\n\n") + "\n \n",
        RUN.removesuffix("\n"),
        "\ufeff" + RUN,
        "# made by hand\n" + RUN + "  # the end\n",
        "# six words that look 1.5 right\n" + RUN,
    ],
    ids="plain tabs many trailing leading crlf cr blank open bom comments comment6".split(),
)
def test_layout_does_not_matter(tmp_path: Path, text: str) -> None:
    expected = {"q1": [("d1", 0.9), ("d2", 0.8)], "q2": [("d1", 0.5)]}

    assert rankings(read_run(written(tmp_path, text))) == expected
    assert rankings(read_run(written(tmp_path, gzip.compress(text.encode()), "r.gz"))) == expected


def test_negative_grades_are_read_and_are_not_relevant(tmp_path: Path) -> None:
    qrels = read_qrels(written(tmp_path, "q 0 spam -2\nq 0 good 1\n"))

    assert judgements(qrels) == {"q": {"good": 1.0, "spam": -2.0}}
    assert qrels.relevant.tolist() == [1]


ERRORS: list[tuple[FileKind, str | bytes, list[str]]] = [
    ("run", RUN + "q2 Q0 d9 2", ["line 4", "has 4 columns, not the 6", "like TREC qrels"]),
    ("run", RUN + "q2 Q0 d9 2 0.4", ["line 4", "5 columns", "query Q0 item rank score tag"]),
    ("run", RUN + "q2  d9 2 0.4 t", ["line 4", "has 5 columns"]),
    ("run", RUN + "q2 Q0 d9 2 0.4 ", ["line 4", "has 5 columns"]),
    ("run", RUN.replace("0.5", "high"), ["line 3", "the score 'high' is not a number"]),
    ("run", RUN.replace("0.5", "1_0"), ["line 3", "the score '1_0' is not a number"]),
    ("run", RUN.replace("0.5", "nan"), ["line 3", "the score is nan", "finite"]),
    ("run", RUN.replace("0.5", "-inf"), ["line 3", "the score is -inf"]),
    ("run", RUN.replace("0.5", "1e999"), ["line 3", "the score is 1e999"]),
    ("run", "\n" + RUN + "q1 Q0 d2 3 0.1 t", ["line 5", "'d2'", "'q1'", "line 3", "keep_best"]),
    ("run", QRELS, ["line 1", "has 4 columns", "looks like TREC qrels", "swapped"]),
    ("run", "q,d,1", ["line 1", "1 column", "CSV needs a header", "query_id,doc_id,score"]),
    ("run", b"q1 Q0 d1 1 0.9 t\nq1 Q0 \xff 2 0.8 t\n", ["line 2", "not UTF-8", "0xff"]),
    ("run", b"q1 Q0 d1 1 0.9 t\nq1 \0 d2 2 0.8 t\n", ["line 2", "not a text file"]),
    ("run", b"", ["is empty"]),
    ("run", b" \n\n", ["is empty"]),
    ("run", b"# nothing\n", ["no entry"]),
    ("run", gzip.compress(RUN.encode() * 99, mtime=0)[:-20], ["gzip", "line"]),
    ("run", b"\x1f\x8bnonsense", ["damaged gzip"]),
    ("qrels", RUN, ["line 1", "has 6 columns", "looks like a TREC run"]),
    ("qrels", QRELS.replace(" 2\n", " 0.5\n"), ["line 3", "0.5", "whole"]),
    ("qrels", QRELS.replace(" 2\n", " yes\n"), ["line 3", "the grade 'yes' is not a number"]),
    ("qrels", QRELS.replace(" 2\n", " 1e12\n"), ["line 3", "too large"]),
    ("qrels", QRELS + "q1 0 d1 1\n", ["line 4", "'d1'", "first in line 1"]),
]


@pytest.mark.parametrize(("kind", "text", "words"), ERRORS)
def test_an_error_names_file_and_line(
    tmp_path: Path, kind: FileKind, text: str | bytes, words: list[str]
) -> None:
    path = written(tmp_path, text)

    with pytest.raises(InputError) as caught:
        read_run(path) if kind == "run" else read_qrels(path)

    message = str(caught.value)
    assert "file.txt" in message
    assert [word for word in words if word not in message] == [], message


def test_the_best_of_repeated_results_may_be_kept(tmp_path: Path) -> None:
    path = written(tmp_path, RUN + "q1 Q0 d2 3 0.95 t\n")

    run = read_run(path, duplicates="keep_best")

    assert rankings(run)["q1"] == [("d2", 0.95), ("d1", 0.9)]
    assert run.dropped == 1


def test_the_highest_of_repeated_grades_may_be_kept(tmp_path: Path) -> None:
    qrels = read_qrels(written(tmp_path, QRELS + "q1 0 d1 3\n"), duplicates="keep_best")

    assert judgements(qrels)["q1"] == {"d1": 3.0, "d2": 0.0}


IDS = st.text(st.characters(exclude_categories=["Zs", "Cc", "Cs", "Zl", "Zp"]), min_size=1).filter(
    lambda text: not text.startswith(("#", "\ufeff"))
)
LINES = st.lists(st.tuples(IDS, IDS, st.floats(-1e30, 1e30, width=64)), min_size=1, max_size=30)


def columns(triples: Triples) -> tuple[list[str], list[str], list[float]]:
    return (
        triples.queries.names(triples.query_codes),
        triples.items.names(triples.item_codes),
        triples.values.tolist(),
    )


@given(LINES)
def test_what_is_written_is_read_in_both_ways(lines: list[tuple[str, str, float]]) -> None:
    data = "".join(f"{q} Q0 {d} 0 {s!r} t\n" for q, d, s in lines).encode()

    fast, slow = read_trec_at_once(Path(), data, "run"), read_line_by_line(Path(), data, "run")

    assert fast is not None
    assert columns(fast) == columns(slow) == tuple(map(list, zip(*lines, strict=True)))
    assert [fast.line_of(n) for n in range(len(lines))] == list(range(1, len(lines) + 1))


PIECES = st.sampled_from(
    ["q1", "Q0", "d", "1", "0.5", "x", " ", "  ", "\t", "\n", "\n\n", "#", "-"]
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_whatever_is_read_at_once_is_read_the_same_line_by_line(text: str) -> None:
    for kind in ("run", "qrels"):
        fast = read_trec_at_once(Path(), text.encode(), kind)  # type: ignore[arg-type]

        if fast is not None:
            slow = read_line_by_line(Path(), text.encode(), kind)  # type: ignore[arg-type]
            assert columns(fast) == columns(slow)


def test_a_file_of_many_blocks_is_numbered_by_first_appearance() -> None:
    rng = np.random.default_rng(3)
    names = [f"document-number-{n:09d}" for n in rng.integers(0, 50_000, 120_000)]
    data = "".join(f"q{n // 1000} Q0 {d} 1 {-n} tag\n" for n, d in enumerate(names)).encode()

    triples = read_trec_at_once(Path(), data, "run")

    assert len(data) > 4 << 20 and triples is not None
    assert columns(triples)[1] == names
    assert list(triples.items) == list(dict.fromkeys(names))
