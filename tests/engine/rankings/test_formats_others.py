"""BEIR, ranx, JSON lines and CSV become the same values; what is wrong in them has a place."""

from __future__ import annotations

import csv
import gzip
import json
import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import ranx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.files.large_files import read_raw
from engine.rankings.formats.csv_table import read_csv_at_once, read_query_texts, read_row_by_row
from engine.rankings.formats.registry import RankingFormat, read_qrels, read_run
from engine.rankings.formats.triples import FileKind
from tests.engine.rankings.test_formats_trec import judgements, rankings, written

NESTED = {"q1": {"d1": 0.5, "d2": 0.75}, "q2": {"d1": 0.25}}
ORDERED = {"q1": [("d2", 0.75), ("d1", 0.5)], "q2": [("d1", 0.25)]}
RANKED = {"q1": [("d2", -1.0), ("d1", -2.0)], "q2": [("d1", -1.0)]}
GRADES = {"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1}}


def lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize("kind", ["json", "parquet"])
def test_what_ranx_saves_is_read(tmp_path: Path, kind: str) -> None:
    # Score by score: from a dictionary, ranx needs its compiler in order to save JSON.
    for made, values in ((ranx.Run(), NESTED), (ranx.Qrels(), GRADES)):
        for query, found in values.items():
            for item, value in found.items():
                made.add_score(query, item, value)
        made.save(str(tmp_path / f"{type(made).__name__.lower()}.{kind}"))

    run = read_run(tmp_path / f"run.{kind}")
    qrels = read_qrels(tmp_path / f"qrels.{kind}")

    assert {query: sorted(found) for query, found in rankings(run).items()} == {
        query: sorted(found) for query, found in ORDERED.items()
    }
    assert judgements(qrels) == GRADES


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.json", json.dumps(NESTED), ORDERED),
        ("a.txt", json.dumps(NESTED, indent=2), ORDERED),
        (
            "a.jsonl",
            lines(
                {"query_id": "q1", "doc_id": "d1", "score": 0.5},
                {"qid": "q1", "docid": "d2", "score": 0.75},
                {"q_id": "q2", "id": "d1", "score": 0.25},
            ),
            ORDERED,
        ),
        (
            "a.json",  # JSON lines by a usual wrong name
            lines(
                {
                    "query_id": "q1",
                    "results": [{"doc_id": "d1", "score": 0.5}, {"doc_id": "d2", "score": 0.75}],
                },
                {"query_id": "q2", "results": [{"doc_id": "d1", "score": 0.25}]},
            ),
            ORDERED,
        ),
        (
            "a",
            lines({"qid": "q1", "ranking": ["d2", "d1"]}, {"qid": "q2", "ranking": ["d1"]}),
            RANKED,
        ),
        ("a.csv", "query_id,doc_id,score\nq1,d1,.5\nq1,d2,.75\nq2,d1,.25\n", ORDERED),
        (
            "a.tsv",
            "qid\tdocid\tscore\tnote\nq1\td1\t.5\t\nq1\td2\t.75\tx\nq2\td1\t.25\t\n",
            ORDERED,
        ),
        ("a.csv", '"Q-ID","Doc ID",rank\n"q1",d1,2\nq1,"d2",1\n\nq2,d1,1\n', RANKED),
        ("a.csv", "rank,q_id,doc_id\n2,q1,d1\n1,q1,d2\n1,q2,d1\n", RANKED),
        ("a.csv", "q_id,doc_id,rank,score\nq1,d1,1,.5\nq1,d2,2,.75\nq2,d1,1,.25\n", ORDERED),
    ],
)
def test_every_format_of_a_run_gives_the_same_rankings(
    tmp_path: Path, name: str, text: str, expected: dict[str, list[tuple[str, float]]]
) -> None:
    run = read_run(written(tmp_path, text, name))
    packed = read_run(written(tmp_path, gzip.compress(text.encode()), f"{name}.gz"))

    assert rankings(run) == rankings(packed) == expected
    assert run.ranked == (expected is RANKED)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t1\nq2\td3\t1\n"),
        ("q.csv", "query_id,doc_id,relevance\nq1,d1,2.0\nq1,d2,1\nq2,d3,1\n"),
        ("q.json", json.dumps(GRADES)),
        (
            "q.jsonl",
            lines(
                {"qid": "q1", "docid": "d1", "grade": 2},
                {"qid": "q1", "docid": "d2", "grade": 1},
                {"qid": "q2", "results": ["d3"]},
            ),
        ),
    ],
)
def test_every_format_of_judgements_gives_the_same_grades(
    tmp_path: Path, name: str, text: str
) -> None:
    assert judgements(read_qrels(written(tmp_path, text, name))) == GRADES


def test_fractions_are_grades_outside_trec_files(tmp_path: Path) -> None:
    qrels = read_qrels(written(tmp_path, '{"q": {"half": 0.5, "none": 0}}', "q.json"))

    assert judgements(qrels) == {"q": {"half": 0.5, "none": 0.0}}
    assert qrels.relevant.tolist() == [1]


def test_whole_numbers_are_ids(tmp_path: Path) -> None:
    frame = pd.DataFrame({"q_id": [7, 7], "doc_id": [1, 2], "score": [3, 4]})
    frame.to_parquet(tmp_path / "run.parquet")

    assert rankings(read_run(tmp_path / "run.parquet")) == {"7": [("2", 4.0), ("1", 3.0)]}


def test_parquet_is_known_by_its_first_bytes(tmp_path: Path) -> None:
    frame = pd.DataFrame({"q_id": ["q"], "doc_id": ["d"], "score": [1.0]})
    frame.to_parquet(tmp_path / "run.bin")

    assert rankings(read_run(tmp_path / "run.bin")) == {"q": [("d", 1.0)]}


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    (tmp_path / "qrels").mkdir()
    head = "query-id\tcorpus-id\tscore\n"
    written(tmp_path / "qrels", head + "q1\td1\t1\n", "test.tsv")
    written(tmp_path / "qrels", head + "q1\td9\t1\n", "dev.tsv")
    written(tmp_path, lines({"_id": "q1", "text": "is it raining?"}), "queries.jsonl")
    return tmp_path


def test_a_beir_folder_has_splits_and_texts(beir: Path) -> None:
    assert judgements(read_qrels(beir)) == {"q1": {"d1": 1.0}}
    assert judgements(read_qrels(beir, split="dev")) == {"q1": {"d9": 1.0}}
    assert read_query_texts(beir) == {"q1": "is it raining?"}


def test_a_split_that_is_not_there_is_told_from_those_that_are(beir: Path) -> None:
    with pytest.raises(InputError, match="no split 'train'; choose --split dev or test"):
        read_qrels(beir, split="train")


def test_a_named_format_wins_over_the_name_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "q1 Q0 d1 1 0.5 t\n", "run.json")

    assert rankings(read_run(path, "trec")) == {"q1": [("d1", 0.5)]}


ERRORS: list[tuple[FileKind, str, str, list[str]]] = [
    ("run", "a.csv", "query_id,doc_id,score\nq,d,1\nq,e\n", ["line 3", "2 cells", "header has 3"]),
    ("run", "a.csv", "query_id,doc_id,score\nq,d,1\nq,e,x\n", ["line 3", "column score", "'x'"]),
    ("run", "a.csv", "query_id,doc_id,score\nq,d,nan\n", ["line 2", "the score is nan"]),
    ("run", "a.csv", "query_id,doc_id,score\nq,,1\n", ["line 2", "column doc_id", "no id"]),
    ("run", "a.csv", "query_id,doc_id,score\nq,d,1\nq,d,2\n", ["line 3", "first in line 2"]),
    ("run", "a.csv", "query_id,doc_id,score\n", ["no entry"]),
    ("run", "a.csv", "query_id,doc_id,score,score\nq,d,1,2\n", ["two columns 'score'"]),
    ("run", "a.csv", "name,value\nq,1\n", ["line 1", "no query_id or qid", "'name', 'value'"]),
    ("run", "a.csv", "query_id,doc_id\nq,d\n", ["line 1", "no score"]),
    ("qrels", "a.csv", "query_id,doc_id,rank\nq,d,1\n", ["line 1", "no grade or score"]),
    ("run", "a.json", '{"q": {"d": 1}', ["line 1", "not valid JSON"]),
    ("run", "a.json", "[1, 2]", ["not one object"]),
    ("run", "a.json", '{"q": [1]}', ["query 'q'", "no object of items"]),
    ("run", "a.json", '{"q": {"d": "high"}}', ["item 'd' of query 'q'", '"high"', "no number"]),
    ("run", "a.json", '{"q": {"d": true}}', ["item 'd' of query 'q'", "true"]),
    ("run", "a.json", '{"q": {"d": NaN}}', ["item 'd' of query 'q'", "nan"]),
    ("run", "a.json", '{"q": {"d": 1, "d": 2}}', ["item 'd' of query 'q'", "more than once"]),
    ("run", "a.json", '{"q": {"d": 1}, "q": {"e": 1}}', ["query 'q' occurs more than once"]),
    ("run", "a.json", "{}", ["no entry"]),
    ("run", "a.json", '{"q": {"\\ud800": 1}}', ["a lone surrogate"]),
    ("run", "a.json", "[" * 99_999, ["not valid JSON", "deeply"]),
    ("run", "a.json", '{"q": {"d": 1' + "0" * 400 + "}}", ["too large"]),
    ("run", "a.jsonl", '{"qid": "q", "docid": "d", "score": 1}\n{"qid":', ["line 2", "JSON"]),
    ("run", "a.jsonl", '{"qid": "q", "docid": "d", "score": 1}\n7\n', ["line 2", "object"]),
    ("run", "a.jsonl", '{"qid": "q", "score": 1}\n', ["line 1", "no doc_id"]),
    ("run", "a.jsonl", '{"qid": "q", "docid": 1.5, "score": 1}\n', ["line 1", "the id 1.5"]),
    ("run", "a.jsonl", '{"qid": "q", "docid": "d"}\n', ["line 1", "no score"]),
    ("run", "a.jsonl", '{"qid": "q", "results": "d"}\n', ["line 1", "'results' is not a list"]),
    (
        "run",
        "a.jsonl",
        '{"qid": "q", "ranking": ["d"]}\n{"qid": "p", "docid": "d", "score": 1}\n',
        ["line 2", "with scores and results without"],
    ),
    ("run", "a.jsonl", '{"qid": "q", "ranking": ["d", "d"]}\n', ["line 1", "'d'", "'q'"]),
    ("run", "a.parquet", "PAR1 nonsense PAR1", ["not a whole parquet file"]),
    ("run", "nowhere/a.run", "", ["no such file"]),
]


@pytest.mark.parametrize(("kind", "name", "text", "words"), ERRORS)
def test_an_error_names_the_file_and_the_place(
    tmp_path: Path, kind: FileKind, name: str, text: str, words: list[str]
) -> None:
    path = tmp_path / name
    if "/" not in name:
        written(tmp_path, text, name)

    with pytest.raises(InputError) as caught:
        read_run(path) if kind == "run" else read_qrels(path)

    message = str(caught.value)
    assert path.name in message
    assert [word for word in words if word not in message] == [], message


def test_a_pipe_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(InputError, match="not a regular file"):
        read_run(tmp_path / "pipe")
    with pytest.raises(InputError, match="is a folder"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"q_id": ["q", None], "doc_id": ["d", "e"], "score": [1.0, 2.0]}, ["row 1", "no id"]),
        (
            {"q_id": ["q", "q"], "doc_id": ["d", "e"], "score": [1.0, float("inf")]},
            ["row 1", "inf"],
        ),
        ({"q_id": ["q"], "doc_id": ["d"], "score": ["x"]}, ["score", "not numbers"]),
        ({"q_id": [1.5], "doc_id": ["d"], "score": [1.0]}, ["q_id", "not ids"]),
        ({"q_id": ["q"], "score": [1.0]}, ["no doc_id"]),
    ],
)
def test_parquet_errors_name_column_and_row(
    tmp_path: Path, columns: dict[str, list[Any]], words: list[str]
) -> None:
    pd.DataFrame(columns).to_parquet(tmp_path / "run.parquet")

    with pytest.raises(InputError) as caught:
        read_run(tmp_path / "run.parquet")

    assert [word for word in ["run.parquet", *words] if word not in str(caught.value)] == []


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip)
TABLE = st.dictionaries(
    TEXT, st.dictionaries(TEXT, st.integers(-1000, 1000), min_size=1), min_size=1, max_size=5
)


@given(TABLE)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_ids_survive_every_format(tmp_path: Path, table: dict[str, dict[str, int]]) -> None:
    rows = [(q, d, s) for q, items in table.items() for d, s in items.items()]
    (tmp_path / "a.json").write_text(json.dumps(table))
    records = [{"qid": q, "docid": d, "score": s} for q, d, s in rows]
    (tmp_path / "a.jsonl").write_text(lines(*records))
    pd.DataFrame(records).to_parquet(tmp_path / "a.parquet")
    with (tmp_path / "a.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("qid", "docid", "score"), *rows])

    read = [
        judgements(read_qrels(tmp_path / f"a.{kind}")) for kind in "json jsonl parquet csv".split()
    ]

    assert read == [{q: {d: float(s) for d, s in items.items()} for q, items in table.items()}] * 4


CELLS = st.sampled_from(["q", "d", "1", "0.5", ",", ",", "\n", " ", '"', "x"])


@given(st.lists(CELLS, max_size=30).map("".join))
def test_csv_read_at_once_is_the_same_as_row_by_row(text: str) -> None:
    data = f"qid,docid,score\n{text}".encode()
    fast = read_csv_at_once(Path(), data, "run")

    if fast is not None:
        slow = read_row_by_row(Path(), data, "run")
        assert fast.queries.names(fast.query_codes) == slow.queries.names(slow.query_codes)
        assert fast.items.names(fast.item_codes) == slow.items.names(slow.item_codes)
        assert fast.values.tolist() == slow.values.tolist()


def test_formats_are_listed_for_the_command_line() -> None:
    from typing import get_args

    from tui.cli.score import FileFormat

    assert get_args(FileFormat) == ("auto", *get_args(RankingFormat))


def test_of_grades_and_scores_the_grades_are_the_judgement(tmp_path: Path) -> None:
    file = tmp_path / "qrels.csv"
    file.write_text("query_id,doc_id,score,grade\nq1,d1,0.9,0\nq1,d2,0.1,1\n")

    assert judgements(read_qrels(file)) == {"q1": {"d1": 0, "d2": 1}}


def test_a_parquet_column_that_is_there_twice_is_reported(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = [pa.array(["q"]), pa.array(["d"]), pa.array([0.5]), pa.array(["q2"])]
    names = ["q_id", "doc_id", "score", "q_id"]
    pq.write_table(pa.Table.from_arrays(columns, names), tmp_path / "run.parquet")

    with pytest.raises(InputError, match="has two columns 'q_id'"):
        read_run(tmp_path / "run.parquet")


def test_a_name_that_is_too_long_for_a_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read_qrels(tmp_path / ("x" * 300))


def test_a_file_larger_than_the_memory_is_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    with file.open("wb") as sparse:
        sparse.truncate(1 << 40)

    with pytest.raises(InputError, match=r"needs about 6,144 GB of memory, .* are free"):
        read_raw(file)


def test_a_score_that_is_nested_is_no_number_however_deep(tmp_path: Path) -> None:
    """At some depth a value can still be read, but not be written into the message any more."""
    for levels in range(500, 1100, 10):
        path = written(tmp_path, f'{{"q": {{"d": {"[" * levels}{"]" * levels}}}}}', "a.json")

        with pytest.raises(InputError, match=r"no number|nested too deeply") as caught:
            read_run(path)

        assert type(caught.value) is InputError


def test_a_cell_of_many_digits_and_a_letter_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text(f"query,item,score\nq,d,{'1' * 100_000}x\n")

    with pytest.raises(InputError, match=r"run\.csv"):
        read_run(path)
