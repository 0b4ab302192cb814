"""What a clip is cut from: a column, a pattern over the slice_id, or its video_path."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from engine.base.errors import InputError, Place
from engine.dataset.annotations.source_rule import SourceKind, SourceRule, extract_sources
from engine.dataset.dataset import Dataset
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.settings_file import open_dataset

LINES = (
    "slice_id,video_path,Drive,pv_object_type",
    "mon_1_a,x.mp4,d1,car",
    "mon_1_b,x.mp4,d1,",
    "tue_2_a,,d1,car",
    "odd,y.mp4,,car",
)


def open_with(folder: Path, settings: str) -> Dataset:
    (folder / "clips.csv").write_text("\n".join(LINES))
    file = folder / "dataset.toml"
    file.write_text(f'annotations = "clips.csv"\n{settings}')
    return open_dataset(file)


def test_by_themselves_clips_of_one_video_are_of_one_source_whatever_their_spans(
    tmp_path: Path,
) -> None:
    truth = open_with(tmp_path, "").truth

    assert truth.sources == ("x.mp4", "x.mp4", "", "y.mp4")
    assert truth.source_numbers.tolist() == [0, 0, 2, 3]


@pytest.mark.parametrize(
    ("settings", "sources"),
    [
        ('[source]\ncolumn = "drive"', ("d1", "d1", "d1", "")),
        ('[source]\ncolumn = "slice_id"', ("mon_1_a", "mon_1_b", "tue_2_a", "odd")),
        ('[source]\ncolumn = "video_path"', ("x.mp4", "x.mp4", "", "y.mp4")),
        (r"[source]" + "\npattern = '^[a-z]+_\\d'", ("mon_1", "mon_1", "tue_2", "")),
        (r"[source]" + "\npattern = '(?P<day>mon|tue)_.*'", ("mon", "mon", "tue", "")),
        (r"[source]" + "\npattern = '(?:mon|tue)_(\\d)'", ("1", "1", "2", "")),
    ],
)
def test_the_settings_name_a_column_or_a_pattern(
    tmp_path: Path, settings: str, sources: tuple[str, ...]
) -> None:
    assert open_with(tmp_path, settings).truth.sources == sources


@pytest.mark.parametrize(
    ("text", "kind", "sources"),
    [
        ("DRIVE", "column", ("d1", "d1", "d1", "")),
        ("(...)_", "pattern", ("mon", "mon", "tue", "")),
    ],
)
def test_the_option_names_a_column_if_there_is_one_or_else_a_pattern(
    tmp_path: Path, text: str, kind: SourceKind, sources: tuple[str, ...]
) -> None:
    dataset = open_with(tmp_path, "")
    rule = SourceRule("column or pattern", text)
    read = module_read(dataset, rule)

    assert read.sources == sources and read.source_rule.kind == kind
    assert GroundTruth.from_annotations(read).sources == sources


def module_read(dataset: Dataset, rule: SourceRule):  # type: ignore[no-untyped-def]
    from engine.dataset.annotations.read import read_annotations

    return read_annotations(dataset.annotations_file, source=rule)


def test_rows_that_are_merged_take_the_first_source_that_is_named(tmp_path: Path) -> None:
    from engine.dataset.annotations.read import read_annotations

    file = tmp_path / "clips.csv"
    file.write_text("slice_id,drive,pv_object_type\na,,car\na,d7,bus\nb,d7,car\n")

    read = read_annotations(file, duplicates="merge", source=SourceRule("column", "drive"))

    assert read.sources == ("d7", "d7")


def test_parquet_has_sources_too(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from engine.dataset.annotations.read import read_annotations

    file = tmp_path / "clips.parquet"
    columns = {"slice_id": ["a", "b"], "trip": [7, None], "pv_object_type": [["car"], []]}
    pq.write_table(pa.table(columns), file)

    read = read_annotations(file, source=SourceRule("column", "trip"))

    assert read.sources == ("7", "")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("source = 3", ["setting source", "must be a table", "column ="]),
        ('[source]\ncolum = "x"', ["setting source.colum", "column"]),
        ('[source]\ncolumn = "x"\npattern = "y"', ["setting source", "keep one"]),
        ("[source]\ncolumn = 7", ["column must be a text"]),
        ('[source]\ncolumn = " "', ["dataset.toml", "setting source.column", "is empty"]),
        ('[source]\ncolumn = "drives"', ["setting source.column", "'drives'", "Drive"]),
        ('[source]\ncolumn = "pv_object_type"', ["clips.csv", "holds keywords"]),
        ('[source]\npattern = "zebra"', ["setting source.pattern", "no slice_id", "mon_1_a"]),
        ('[source]\npattern = "["', ["setting source.pattern", "missing ]", "RE2"]),
        ('[source]\npattern = "(?=mon)"', ["setting source.pattern", "(?=", "look-ahead"]),
        ('[source]\npattern = "(a)(b)"', ["setting source.pattern", "2 groups", "(?:"]),
        (f'[source]\npattern = "{"a" * 201}"', ["setting source.pattern", "201 characters"]),
        ('[source]\npattern = "(?:(?:.?){90}){9}"', ["setting source.pattern", "spells out 810"]),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    tmp_path: Path, settings: str, said: list[str]
) -> None:
    with pytest.raises(InputError) as caught:
        _ = open_with(tmp_path, settings).truth

    assert [part for part in said if part not in str(caught.value)] == []


def test_a_misspelt_column_of_the_option_is_told_from_a_pattern_that_finds_nothing(
    tmp_path: Path,
) -> None:
    with pytest.raises(
        InputError, match="no column of the annotations, and as a pattern"
    ) as caught:
        module_read(open_with(tmp_path, ""), SourceRule("column or pattern", "Drvie"))

    assert "--source" in str(caught.value) and "Drive" in str(caught.value)


@pytest.mark.parametrize("pattern", ["(a*)*b", "(?:a|a)*$b", "(?:a?){90}a{90}b", "^(?:(?:a+)+)+c"])
def test_no_pattern_takes_long(pattern: str) -> None:
    # Minutes to centuries with an engine that goes back; here a bound, not a measurement.
    started = time.process_time()

    assert extract_sources(["a" * 5_000] * 20, pattern, Place()) == ("",) * 20
    assert time.process_time() - started < 20


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"\((.)\)", "x(7)", "7"),
        (r"[(](.)", "x(7)", "7"),
        (r"[]()](.)", "x(7)", "7"),
        (r"\Q(\E(.)", "x(7)", "7"),
        (r"[[:digit:]]", "x(7)", "7"),
        (r"((?:\d{4}){2})_", "drive20240131_x", "20240131"),
        (r"(x)?7", "7", ""),
        (r"é(.)", "é7", "7"),
    ],
)
def test_brackets_that_are_no_group_are_none(pattern: str, text: str, found: str) -> None:
    assert extract_sources([text], pattern, Place()) == (found,)
