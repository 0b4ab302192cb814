"""Bad annotation files: one line that says where, what is wrong and what to do."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.base.errors import InputError
from engine.dataset.annotations.read import read_annotations


def refusal(path: Path, **options: object) -> InputError:
    with pytest.raises(InputError) as caught:
        read_annotations(path, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    assert caught.value.hint
    return caught.value


def refusal_of(folder: Path, data: str | bytes, name: str = "clips.csv") -> InputError:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return refusal(path)


def refusal_of_table(folder: Path, **columns: object) -> InputError:
    path = folder / "clips.parquet"
    pq.write_table(pa.table(columns), path)
    return refusal(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert "no such file" in str(refusal(tmp_path / "nowhere.csv"))


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert "is a folder" in str(refusal(tmp_path))


def test_a_file_that_may_not_be_read_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deny(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "clips.csv").write_text("slice_id,pv_object_type\na,car\n")
    monkeypatch.setattr(Path, "open", deny)

    error = str(refusal(tmp_path / "clips.csv"))
    assert "cannot be read (Permission denied); check its permissions" in error


@pytest.mark.parametrize("data", ["", "\n\n", "   \n", "\ufeff", " , ,\n"])
def test_an_empty_file_is_refused(tmp_path: Path, data: str) -> None:
    assert "is empty" in str(refusal_of(tmp_path, data))


@pytest.mark.parametrize("data", ["slice_id,keywords", "slice_id,keywords\r\n\r\n"])
def test_a_header_without_clips_is_refused(tmp_path: Path, data: str) -> None:
    assert "no clips" in str(refusal_of(tmp_path, data))


@pytest.mark.parametrize(
    ("column", "hint"),
    [("id", 'rename "id"'), ("Clip ID", 'rename "Clip ID"'), ("slice_ids", 'rename "slice_ids"')],
)
def test_a_missing_slice_id_column_suggests_the_nearest(
    tmp_path: Path, column: str, hint: str
) -> None:
    error = refusal_of(tmp_path, f"{column},pv_object_type\nc1,a\n")

    assert "no slice_id column" in error.message
    assert hint in error.hint
    assert f"found {column}, pv_object_type" in error.hint


def test_an_empty_id_is_reported_with_its_physical_line(tmp_path: Path) -> None:
    error = refusal_of(tmp_path, 'slice_id,note,keywords\nc1,"a\nb",x\n\n  ,c,x\n')

    assert "slice_id is empty" in error.message
    assert (error.place.line, error.place.column) == (5, "slice_id")


def test_a_duplicate_id_names_both_lines_and_the_way_out(tmp_path: Path) -> None:
    error = refusal_of(tmp_path, 'slice_id,keywords\nc1,"a,\nb"\nc2,a\n c1 ,a\nc2,b\nc2,c\n')

    assert 'slice_id "c1" is already on line 2' in error.message
    assert "1 more ids repeat" in error.message
    assert error.place.line == 5
    assert "--duplicates merge" in error.hint


def test_no_group_column_lists_what_is_there_and_what_is_accepted(tmp_path: Path) -> None:
    error = refusal_of(tmp_path, "slice_id,weather\nc1,a\n")

    assert "no keyword column" in error.message
    assert "found slice_id, weather" in error.hint
    assert "object_type" in error.hint
    assert "pv_" in error.hint
    assert "keywords" in error.hint


def test_an_unknown_named_group_suggests_the_nearest(tmp_path: Path) -> None:
    path = tmp_path / "clips.csv"
    path.write_text("slice_id,weather\nc1,a\n")

    error = refusal(path, groups=["wether"])

    assert 'no keyword column "wether"' in error.message
    assert 'did you mean "weather"?' in error.hint


@pytest.mark.parametrize(
    "header",
    [
        "slice_id,pv_object_type,object_type",
        "slice_id,object_type,Object Type",
        "slice_id,Slice ID,object_type",
        "slice_id,pv_object_type,pv_object_type",
    ],
)
def test_two_columns_for_one_thing_are_refused(tmp_path: Path, header: str) -> None:
    error = refusal_of(tmp_path, f"{header}\nc1,a,b\n")

    assert "2 columns for" in error.message
    assert error.place.column


def test_a_media_column_twice_is_refused(tmp_path: Path) -> None:
    error = refusal_of(tmp_path, "slice_id,video_path,Video Path,keywords\nc1,a,b,c\n")

    assert "2 columns for video_path" in error.message


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("c2,car, bus", "3 fields where the header has 2"),
        ("c2", "1 fields where the header has 2"),
        ('c2, "car, bus"', "3 fields where the header has 2"),
        ("   ", "1 fields where the header has 2"),
    ],
)
def test_a_row_with_too_many_or_too_few_fields_is_reported_with_its_line(
    tmp_path: Path, row: str, message: str
) -> None:
    error = refusal_of(tmp_path, f'slice_id,keywords\n\nc1,"a,\nb"\n{row}\nc3,a\n')

    assert error.message == message
    assert error.place.line == 5


@pytest.mark.parametrize(
    "rows",
    [
        'c1,"car\n',
        'c1,"car',
        'c1,"car\nc2,bus\nc3,a\n',
        'c1,"car\nc2,"bus"\n',
        'c1,"car\nc2,"bus, tram"\n',
        '"c1,car\nc2,bus\n',
        'c1,"car\r\n',
    ],
)
def test_a_quote_that_is_never_closed_is_reported_with_its_line(tmp_path: Path, rows: str) -> None:
    error = refusal_of(tmp_path, f"slice_id,keywords\nc0,a\n{rows}")

    assert "broken or never closed" in error.message
    assert error.place.line == 3


@pytest.mark.parametrize("times", [50_000, 500_000])
def test_an_open_quote_of_a_long_last_cell_is_found(tmp_path: Path, times: int) -> None:
    error = refusal_of(tmp_path, f'slice_id,keywords\nc0,a\nc1,"{"k, " * times}\n')

    assert "broken or never closed" in error.message
    assert error.place.line == 3


def test_a_long_cell_does_not_hide_a_duplicate_id(tmp_path: Path) -> None:
    error = refusal_of(tmp_path, f"slice_id,keywords\nc1,{'k' * 150_000}\nc1,b\n")

    assert 'slice_id "c1" is already on line 2' in error.message
    assert error.place.line == 3


def test_an_open_quote_in_an_unused_column_does_not_swallow_clips(tmp_path: Path) -> None:
    error = refusal_of(tmp_path, 'slice_id,keywords,note\nc1,a,"x\nc2,b,"y"\nc3,c,z\n')

    assert error.place.line == 2


def test_an_open_quote_in_the_header_is_refused(tmp_path: Path) -> None:
    error = refusal_of(tmp_path, 'slice_id,"keywords\nc1,a\n')

    assert "broken or never closed" in error.message


def test_a_stray_quote_mark_in_a_cell_is_refused(tmp_path: Path) -> None:
    error = refusal_of(tmp_path, 'slice_id,keywords\nc1,a\nc2, "car"\n')

    assert "stray quote mark" in error.message
    assert (error.place.line, error.place.column) == (3, "keywords")


@pytest.mark.parametrize(
    "cell",
    [
        '["a", "b"',
        "['a', 'b']",
        '["a", 1]',
        '[["a"]]',
        '["a"] b',
        "[" * 100_000,
        r'["\ud800"]',
        r'["\u0000"]',
    ],
)
def test_a_malformed_json_list_is_reported_with_line_and_column(tmp_path: Path, cell: str) -> None:
    quoted = '"' + cell.replace('"', '""') + '"'
    error = refusal_of(tmp_path, f'slice_id,pv_a,pv_b\nc1,"x\ny","[""a""]"\nc2,x,{quoted}\n')

    assert "not a JSON list of texts" in error.message
    assert (error.place.line, error.place.column) == (4, "pv_b")
    assert len(str(error)) < 400


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04\x14\0\0\0 not a table",
        b"slice_id,keywords\nc1,a\0b\n",
        "slice_id,keywords\nc1,a\n".encode("utf-16-le"),
    ],
)
def test_binary_files_are_refused(tmp_path: Path, data: bytes) -> None:
    assert "is not a text file" in str(refusal_of(tmp_path, data))


@pytest.mark.parametrize(
    ("row", "column"), [("late,a\0b\n", "keywords"), ("la\0te,a\n", "slice_id")]
)
def test_a_late_nul_byte_is_reported_with_its_line(tmp_path: Path, row: str, column: str) -> None:
    rows = "".join(f"clip number {number},a\n" for number in range(70_000))

    error = refusal_of(tmp_path, f"slice_id,keywords\n{rows}{row}")

    assert "NUL byte" in error.message
    assert (error.place.line, error.place.column) == (70_002, column)


def test_half_a_utf16_file_is_refused(tmp_path: Path) -> None:
    error = refusal_of(tmp_path, "slice_id,keywords\nc1,a\n".encode("utf-16")[:-1])

    assert "is not valid UTF-16" in error.message


def test_damaged_gzip_is_refused(tmp_path: Path) -> None:
    packed = gzip.compress(b"slice_id,keywords\n" + b"c1,a\n" * 100)

    assert "damaged" in str(refusal_of(tmp_path, packed[:-12], "clips.csv.gz"))


@pytest.mark.parametrize("data", [b"PAR1 and then nothing", b"slice_id,keywords\nc1,a\n"])
def test_what_is_no_parquet_is_refused(tmp_path: Path, data: bytes) -> None:
    assert "parquet" in str(refusal_of(tmp_path, data, "clips.parquet"))


def test_a_truncated_parquet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "clips.parquet"
    pq.write_table(pa.table({"slice_id": ["a"], "keywords": ["b"]}), path)
    path.write_bytes(path.read_bytes()[:-20])

    assert "not a whole parquet" in str(refusal(path))


@pytest.mark.parametrize("keywords", [[1], [[1, 2]], [{"a": 1}], [[["a"]]]])
def test_parquet_keywords_of_a_wrong_type_are_refused(tmp_path: Path, keywords: object) -> None:
    error = refusal_of_table(tmp_path, slice_id=["c1"], keywords=keywords)

    assert "holds values of type" in error.message
    assert error.place.column == "keywords"


@pytest.mark.parametrize("ids", [[1.5], [True], [["c1"]]])
def test_parquet_ids_of_a_wrong_type_are_refused(tmp_path: Path, ids: object) -> None:
    error = refusal_of_table(tmp_path, slice_id=ids, keywords=["a"])

    assert "holds values of type" in error.message
    assert error.place.column == "slice_id"


def test_parquet_media_of_a_wrong_type_is_refused(tmp_path: Path) -> None:
    error = refusal_of_table(tmp_path, slice_id=["c1"], video_path=[["v"]], keywords=["a"])

    assert error.place.column == "video_path"


def test_parquet_rows_are_named_by_number(tmp_path: Path) -> None:
    empty = refusal_of_table(tmp_path, slice_id=["c1", None], keywords=["a", "b"])
    twice = refusal_of_table(tmp_path, slice_id=["c1", "c2", "c1"], keywords=["a", "b", "c"])
    broken = refusal_of_table(tmp_path, slice_id=["c1", "c2"], keywords=["a", "[b"])

    assert "slice_id is empty in row 2" in empty.message
    assert '"c1" (row 3) is already on row 1' in twice.message
    assert "in row 2" in broken.message


def test_a_header_that_is_longer_than_what_is_looked_at_is_said(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    columns = ",".join(f"pv_group_with_a_long_name_{number:06}" for number in range(40_000))
    path.write_text(f"slice_id,{columns}\na{',x' * 40_000}\n")

    with pytest.raises(InputError, match="header of more than 1 MB"):
        read_annotations(path)
