"""A file is written whole or not at all, and only a format's own line ends end its lines."""

from __future__ import annotations

import csv
import os
import tempfile
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.compare.compare_settings import read_clusters
from engine.files.atomic import write_whole
from engine.files.points import set_fault_hook
from engine.files.text import read_csv_rows
from engine.metrics import Measure, find_profile
from engine.metrics.research.retrieval_metrics import RetrievalMetrics
from engine.rankings.formats.csv_table import read_query_texts
from engine.report.per_query.write import write_per_query
from engine.results.results import Results, number_queries


def results() -> Results:
    keys = number_queries(["text"], ["rain"])
    measures = (Measure.parse("P@5"),)
    return Results(
        "a", find_profile("alfa"), measures, keys, np.array([[0.5]]), ((),), np.array([1])
    )


@pytest.mark.parametrize("name", ["q.csv", "q.jsonl", "q.parquet", "m.csv", "m.json"])
def test_a_write_that_fails_leaves_what_was_there(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.write_text("before")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(InputError, match="No space left on device"):
        if name.startswith("q"):
            write_per_query(results(), path)
        elif name.endswith(".csv"):
            RetrievalMetrics().export_to_csv(str(path))
        else:
            RetrievalMetrics().export_to_json(str(path))

    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_moved_while_it_is_written_to_gets_the_whole_file_and_no_other(
    tmp_path: Path,
) -> None:
    folder, moved = tmp_path / "folder", tmp_path / "moved"
    folder.mkdir()
    (folder / "text").write_text("before")

    def move(point: str, path: Path) -> None:
        if point == "replace":
            folder.rename(moved)

    set_fault_hook(move)
    try:
        write_whole("after", folder / "text")
    finally:
        set_fault_hook(None)

    assert [(file.name, file.read_text()) for file in moved.iterdir()] == [("text", "after")]


def test_one_that_is_given_up_under_its_hidden_name_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "text"
    path.write_text("before")
    link = os.link

    def link_and_interrupt(*args: Any, **kwargs: Any) -> None:
        link(*args, **kwargs)
        raise KeyboardInterrupt

    monkeypatch.setattr("os.link", link_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole("after", path)

    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("text", "before")]


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path: Path) -> None:
    path = tmp_path / ("🚲" * 63)
    for content in ("before", "after"):
        write_whole(content, path)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [(path.name, "after")]


def test_a_folder_may_take_files_and_not_show_them() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, user = Path(name), os.geteuid()
        if user == 0:  # who may do anything
            os.chown(folder, 65_534, -1)
            os.seteuid(65_534)
        try:
            folder.chmod(0o300)
            for content in ("before", "after"):
                write_whole(content, folder / "text")
            assert (folder / "text").read_text() == "after"
        finally:
            folder.chmod(0o700)
            os.seteuid(user)


def test_new_files_obey_the_umask_which_nobody_touches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It belongs to the whole process: threads that set it to read it would lose it."""

    def touched(_: int) -> int:
        raise AssertionError("the umask was set")

    before = os.umask(0o027)
    try:
        with monkeypatch.context() as patch:
            patch.setattr("os.umask", touched)
            write_whole("new", tmp_path / "text")
    finally:
        os.umask(before)

    assert (tmp_path / "text").stat().st_mode & 0o777 == 0o640


def test_bytes_and_texts_are_written_as_they_are(tmp_path: Path) -> None:
    write_whole("é\r\n", tmp_path / "text")
    write_whole(b"\xff\0", tmp_path / "bytes")

    assert (tmp_path / "text").read_bytes() == b"\xc3\xa9\r\n"
    assert (tmp_path / "bytes").read_bytes() == b"\xff\0"


def test_a_query_with_a_line_separator_is_one_row_of_clusters(tmp_path: Path) -> None:
    path = tmp_path / "clusters.csv"
    path.write_bytes('query,cluster\n"a\r\nb",1\nc\u2028d,2\ne\x0bf,3\n'.encode())

    assert read_clusters(path) == {"a\r\nb": "1", "c\u2028d": "2", "e\x0bf": "3"}


def test_a_clusters_file_of_commas_has_no_columns(tmp_path: Path) -> None:
    path = tmp_path / "clusters.csv"
    path.write_text(",,\n,\n")

    with pytest.raises(InputError, match="has no columns query and cluster"):
        read_clusters(path)


def test_a_text_of_beir_may_hold_any_separator(tmp_path: Path) -> None:
    line = '{"_id": "q1", "text": "a\u2028b\u0085c"}\n'
    (tmp_path / "queries.jsonl").write_text(line, encoding="utf-8")

    assert read_query_texts(tmp_path) == {"q1": "a\u2028b\u0085c"}


def test_a_cell_that_is_too_long_is_reported_with_its_line() -> None:
    rows = read_csv_rows(f"a,b\n1,{'x' * 50}\n", Path("x.csv"), longest=20)

    with pytest.raises(InputError, match=r"x\.csv, line 2: is not valid CSV"):
        list(rows)


def test_several_threads_may_read_and_the_limit_of_others_stays() -> None:
    usual, long, failed = csv.field_size_limit(), "x" * 200_000, []

    def read() -> None:
        try:
            for _ in range(20):
                assert [row for _, row in read_csv_rows(f"a\n{long}\n", Path("x"))] == [
                    ["a"],
                    [long],
                ]
        except BaseException as error:
            failed.append(error)

    threads = [Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not failed and csv.field_size_limit() == usual
