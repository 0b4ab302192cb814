"""Every way in which annotation files are written in the field is read to the same value."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.dataset.annotations.read import Annotations, read_annotations
from tests.examples import examples

PLAIN = 'slice_id,pv_object_type,scene_type\nc1,"bicyclist, bollard",bridge/tunnel\nc2,,urban\n'
EXPECTED = {
    "c1": {"object_type": ("bicyclist", "bollard"), "scene_type": ("bridge/tunnel",)},
    "c2": {"object_type": (), "scene_type": ("urban",)},
}

JAAD_LIKE = """\
slice_id,pv_object_type,pv_actor_behavior,pv_spatial_relation,pv_ego_behavior,pv_scene_type
video_0001,"bystander, pedestrian, senior","clear path, looking at ego, standing",\
"left of ego, right of ego",stopped,"cloudy, daytime, parking lot"
video_0013,,,,"accelerating, decelerating","daytime, garage"
video_0015,bystander,,,"accelerating, decelerating","crosswalk, daytime, rain, street"
"""


def written(folder: Path, data: str | bytes, name: str = "clips.csv") -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def by_clip(annotations: Annotations) -> dict[str, dict[str, tuple[str, ...]]]:
    return {
        clip: {cells.group: cells.of(row) for cells in annotations.groups}
        for row, clip in enumerate(annotations.ids)
    }


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (PLAIN.encode(), "utf-8"),
        (PLAIN.encode("utf-8-sig"), "utf-8-sig"),
        (PLAIN.encode("utf-16"), "utf-16"),
        ("\ufeff".encode("utf-16-be") + PLAIN.encode("utf-16-be"), "utf-16"),
        (PLAIN.encode("utf-32"), "utf-32"),
        (PLAIN.replace("\n", "\r\n").encode(), "utf-8"),
        (PLAIN.replace("\n", "\r").encode(), "utf-8"),
        (PLAIN.rstrip("\n").encode(), "utf-8"),
        (("\n\n" + PLAIN + "\n\n").encode(), "utf-8"),
        (PLAIN.replace("c2", "\nc2").encode(), "utf-8"),
        (gzip.compress(PLAIN.encode(), mtime=0), "utf-8"),
    ],
    ids="utf8 bom utf16le utf16be utf32 crlf cr no-last-newline blank-ends blank-inside gz".split(),
)
def test_encodings_and_line_ends_do_not_matter(tmp_path: Path, data: bytes, encoding: str) -> None:
    annotations = read_annotations(written(tmp_path, data))

    assert by_clip(annotations) == EXPECTED
    assert annotations.encoding == encoding


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_delimiter_is_seen_in_the_header(tmp_path: Path, delimiter: str) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(csv.reader(io.StringIO(PLAIN)))

    annotations = read_annotations(written(tmp_path, text.getvalue(), "clips.tsv"))

    assert by_clip(annotations) == EXPECTED
    assert annotations.delimiter == delimiter


@pytest.mark.parametrize(
    ("last_byte", "encoding", "keyword"),
    [(b"\xe9", "cp1252", "caf\u00e9"), (b"\x81", "latin-1", "caf\x81")],
)
def test_text_that_is_not_utf8_is_read_byte_by_byte_and_says_so(
    tmp_path: Path, last_byte: bytes, encoding: str, keyword: str
) -> None:
    path = written(tmp_path, b"slice_id,keywords\nc1,caf" + last_byte + b"\n")

    annotations = read_annotations(path)

    assert annotations.groups[0].of(0) == (keyword,)
    assert annotations.encoding == encoding


def test_a_late_byte_that_is_not_utf8_is_still_found(tmp_path: Path) -> None:
    rows = b"".join(b"c%d,street\n" % row for row in range(200_000))
    path = written(tmp_path, b"slice_id,keywords\n" + rows + b"last,caf\xe9\n")

    annotations = read_annotations(path)

    assert annotations.encoding == "cp1252"
    assert annotations.groups[0].names == ("café", "street")


def test_case_and_stray_spaces_are_cleaned_in_header_and_keywords(tmp_path: Path) -> None:
    path = written(
        tmp_path, ' Slice ID , PV_Object-Type \n  c1 ," Small   Vehicle,BICYCLIST ,, bicyclist"\n'
    )

    annotations = read_annotations(path)

    assert by_clip(annotations) == {"c1": {"object_type": ("bicyclist", "small vehicle")}}


def test_leading_zeros_and_number_like_ids_survive(tmp_path: Path) -> None:
    path = written(tmp_path, "slice_id,keywords\n007,a\n7,a\n1e3,a\ntrue,a\nNULL,a\n")

    assert read_annotations(path).ids == ("007", "7", "1e3", "true", "NULL")


def test_json_lists_may_stand_beside_plain_cells(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        'slice_id,keywords\nc1,"[""Stop sign"", ""a, b"", null]"\nc2,"rain, night"\nc3,[]\n',
    )

    annotations = read_annotations(path)

    assert [annotations.groups[0].of(row) for row in range(3)] == [
        ("a, b", "stop sign"),
        ("night", "rain"),
        (),
    ]


def test_known_groups_need_no_prefix_and_any_prefixed_column_is_a_group(tmp_path: Path) -> None:
    path = written(tmp_path, "slice_id,weather,ego_behavior,pv_weather,keywords\nc1,a,b,c,d\n")

    annotations = read_annotations(path)

    assert by_clip(annotations) == {"c1": {"ego_behavior": ("b",), "weather": ("c",)}}
    assert annotations.ignored == ("weather", "keywords")


def test_named_groups_replace_the_usual_rules(tmp_path: Path) -> None:
    path = written(tmp_path, "slice_id,Weather,ego_behavior,pv_object_type\nc1,a,b,c\n")

    annotations = read_annotations(path, groups=["object_type", "weather"])

    assert by_clip(annotations) == {"c1": {"weather": ("a",), "object_type": ("c",)}}


def test_a_single_keywords_column_is_the_legacy_group(tmp_path: Path) -> None:
    path = written(tmp_path, 'slice_id,keywords\nc1,"a, b"\n')

    assert by_clip(read_annotations(path)) == {"c1": {"keywords": ("a", "b")}}


def test_media_columns_are_kept_and_other_columns_are_out_of_the_way(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "slice_id,video_path,gif_path,span_start,span_end,category,note,note,keywords\n"
        "c1, v/1.mp4,g/1.gif,0.5,2,near miss,x,y,a\nc2,,,,,,x,y,a\n",
    )

    annotations = read_annotations(path)

    assert annotations.video_path == ("v/1.mp4", "")
    assert annotations.gif_path == ("g/1.gif", "")
    assert annotations.span_start == ("0.5", "")
    assert annotations.span_end == ("2", "")
    assert annotations.category == ("near miss", "")
    assert annotations.ignored == ("note", "note")


def test_quoted_cells_may_hold_newlines(tmp_path: Path) -> None:
    path = written(tmp_path, 'slice_id,note,keywords\nc1,"two\nlines","a,\nb"\nc2,"x\n\ny",c\n')

    assert by_clip(read_annotations(path)) == {
        "c1": {"keywords": ("a", "b")},
        "c2": {"keywords": ("c",)},
    }


def test_files_of_several_blocks_keep_order_and_keywords(tmp_path: Path) -> None:
    rows = [(f"c{row}", f"k{row % 70}", "x" * 100) for row in range(60_000)]
    path = tmp_path / "clips.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("slice_id", "pv_a", "note"), *rows])

    annotations = read_annotations(path)

    assert annotations.ids == tuple(row[0] for row in rows)
    assert [annotations.groups[0].of(row) for row in (0, 69, 59_999)] == [
        ("k0",),
        ("k69",),
        ("k9",),
    ]


def test_duplicate_ids_merge_to_the_union_on_request(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "slice_id,video_path,keywords\nc1,,a\nc2,v2,b\nc1,v1,c\nc1,v3,\nc2,,b\nc3,,\n",
    )

    annotations = read_annotations(path, duplicates="merge")

    assert by_clip(annotations) == {
        "c1": {"keywords": ("a", "c")},
        "c2": {"keywords": ("b",)},
        "c3": {"keywords": ()},
    }
    assert annotations.video_path == ("v1", "v2", "")
    assert annotations.merged == 3


def test_the_published_driving_annotations_are_read_as_they_stand(tmp_path: Path) -> None:
    annotations = read_annotations(written(tmp_path, JAAD_LIKE))

    assert [cells.group for cells in annotations.groups] == [
        "object_type",
        "actor_behavior",
        "spatial_relation",
        "ego_behavior",
        "scene_type",
    ]
    assert by_clip(annotations)["video_0001"]["object_type"] == (
        "bystander",
        "pedestrian",
        "senior",
    )
    assert by_clip(annotations)["video_0013"]["object_type"] == ()


TEXTS = ["Bicyclist, bollard", None]
LISTS = [["Bicyclist", " bollard", None], None]


@pytest.mark.parametrize(
    "column",
    [
        pa.array(TEXTS),
        pa.array(TEXTS, pa.large_string()),
        pa.array(TEXTS).dictionary_encode(),
        pa.array(['["bicyclist", "bollard"]', ""]),
        pa.array(LISTS),
        pa.array(LISTS, pa.large_list(pa.large_string())),
        pa.array(LISTS, pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    ],
    ids="text large-text dictionary json lists large-lists lists-of-dictionary".split(),
)
def test_parquet_cells_may_be_text_or_lists(tmp_path: Path, column: pa.Array) -> None:
    path = tmp_path / "clips.parquet"
    pq.write_table(pa.table({"slice_id": ["c1", "c2"], "pv_object_type": column}), path)

    assert by_clip(read_annotations(path)) == {
        "c1": {"object_type": ("bicyclist", "bollard")},
        "c2": {"object_type": ()},
    }


def test_numbers_in_parquet_become_ids_and_media_text(tmp_path: Path) -> None:
    path = tmp_path / "clips.parquet"
    table = pa.table({"slice_id": [7, 12], "span_start": [0.5, None], "keywords": ["a", "b"]})
    pq.write_table(table, path, row_group_size=1)

    annotations = read_annotations(path)

    assert annotations.ids == ("7", "12")
    assert annotations.span_start == ("0.5", "")
    assert annotations.encoding == "parquet"


def test_a_parquet_group_that_is_all_missing_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "clips.parquet"
    pq.write_table(
        pa.table({"slice_id": ["c1"], "pv_a": pa.nulls(1), "pv_b": pa.array([[]])}), path
    )

    assert by_clip(read_annotations(path)) == {"c1": {"a": (), "b": ()}}


LONG = "k1, " * 50_000 + "k2"
"""More characters than the csv module takes in a cell unless it is told."""


@pytest.mark.parametrize(
    "text",
    [
        f'slice_id,pv_a\nc1,k1\nc2,"{LONG}"\n',
        f'slice_id,pv_a\nc1,"{LONG}"\nc2,k1\n',
        f'slice_id,pv_a,note\nc1,k1,"a\nb"\nc2,"{LONG}",\n',
        f'slice_id,pv_a\nc1,k1\nc2,"{", ".join([LONG] * 8)}"\n',
        f"slice_id,pv_a,{'n' * 150_000}\nc1,k1,\nc2,k1,\n",
    ],
    ids=["in the last row", "before it", "after a break", "longer than the tail", "in the header"],
)
def test_a_cell_may_be_as_long_as_it_likes(tmp_path: Path, text: str) -> None:
    annotations = read_annotations(written(tmp_path, text))

    assert annotations.ids == ("c1", "c2")
    assert {word for found in by_clip(annotations).values() for word in found["a"]} <= {"k1", "k2"}


NAMES = st.text("abcxyzé /-", min_size=1, max_size=8).filter(
    lambda name: name == " ".join(name.split()) and name != ""
)


@examples(60)
@given(
    rows=st.lists(st.tuples(st.sets(NAMES, max_size=4), st.sets(NAMES, max_size=4)), min_size=1),
    delimiter=st.sampled_from([",", ";", "\t"]),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    join=st.sampled_from([",", ", ", " , ,"]),
)
def test_what_the_csv_module_writes_is_read_back(  # type: ignore[no-untyped-def]
    tmp_path_factory, rows, delimiter, line_end, encoding, quoting, join
) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=line_end, quoting=quoting)
    writer.writerow(["slice_id", "pv_a", "pv_b"])
    for row, (first, second) in enumerate(rows):
        writer.writerow([f"c{row}", join.join(first), join.join(second)])
    path = written(tmp_path_factory.mktemp("csv"), text.getvalue().encode(encoding))

    annotations = read_annotations(path)

    assert by_clip(annotations) == {
        f"c{row}": {"a": tuple(sorted(first)), "b": tuple(sorted(second))}
        for row, (first, second) in enumerate(rows)
    }
