"""Number lists out of large JSON texts: values and errors of the standard library."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.moments.deferred_json import DeferredJson, read_deferred_json
from engine.moments.number_rows import read_rows
from engine.moments.ragged_lists import RaggedLists
from engine.moments.tvr.submission import Submission, TvrEntries, read_submission
from tests.engine.files_by_hand import write_json
from tests.engine.moments.tvr_by_hand import entry, submission
from tests.examples import examples

FILE = Path("x.json")
HOW = "a prediction is [video, start, end, score], times in seconds"
TASKS = "each is a list of {desc_id, desc, predictions}"
VIDEOS = "write {video name: whole number}"


def apart(text: str | bytes) -> DeferredJson:
    return read_deferred_json(text if isinstance(text, bytes) else text.encode(), "p", FILE)


def rows(text: str | bytes, columns: int = 3) -> RaggedLists:
    """The lists of a document [{"p": …}, …]."""
    found = apart(text)
    lists = [own["p"] for own in found.document]
    entries = TvrEntries(FILE, "VCMR", list(range(len(lists))), lists)
    return Submission(FILE, {}, ("VCMR",), found).rows(entries, columns)


def listed(*lists: str) -> str:
    return "[" + ", ".join(f'{{"p": {own}}}' for own in lists) + "]"


def error(text: str | bytes) -> str:
    with pytest.raises(InputError) as caught:
        rows(text)
    return str(caught.value)


# The same values

NUMBERS = (
    st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0, -0.0, 0.5, 1e-05, 1e16, -1e-05, 5e-324, 1.7976931348623157e308])
)


@given(
    st.lists(
        st.lists(st.lists(NUMBERS, min_size=3, max_size=5), max_size=4)
        | st.integers(3, 5).flatmap(
            lambda width: st.lists(st.lists(NUMBERS, min_size=width, max_size=width), max_size=6)
        ),
        max_size=6,
    ),
    st.sampled_from([None, 0, 1, 4, "\t"]),
    st.sampled_from([(", ", ": "), (",", ":"), (" , ", " : ")]),
)
@examples(150)
def test_all_layouts_give_the_values_of_the_standard_library(
    lists: Any, indent: Any, separators: Any
) -> None:
    document = [{"p": own, "text": '"p": [[1, 2, 3]]'} for own in lists]
    text = json.dumps(document, indent=indent, separators=separators)

    found = rows(text)

    wanted = [row[:3] for own in json.loads(text) for row in own["p"]]
    assert found.offsets.tolist() == np.cumsum([0, *map(len, lists)]).tolist()
    np.testing.assert_array_equal(found.values, np.array(wanted, float).reshape(-1, 3))


def test_a_fourth_number_is_read_where_there_is_one() -> None:
    found = rows(listed("[[1, 2, 3, 4]]", "[[5, 6, 7]]"), columns=4)

    np.testing.assert_array_equal(found.values, [[1, 2, 3, 4], [5, 6, 7, np.nan]])


def test_lists_are_told_from_texts_that_look_like_them() -> None:
    text = (
        r"""[{"desc": "\"p\": [[9, 9, 9]]", "p": [[1, 2, 3]]}, {"desc": "p", "p": [[4, 5, 6]]}]"""
    )

    assert rows(text).values.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_a_text_of_the_document_is_never_taken_for_a_list() -> None:
    for text in ("rows:0", "rows 0", r"\u0072ows:zz"):
        reported = error(f'[{{"p": [[1, 2, 3]]}}, {{"p": "{text}"}}]')

        assert "entry 2 (desc_id 1): predictions is" in reported and "not a list" in reported


def test_many_lists_are_read_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.moments.number_rows._TOGETHER", 100)
    lists = [[[i, j, j + 1] for j in range(i % 5)] for i in range(60)]

    found = rows(json.dumps([{"p": own} for own in lists]))

    assert found.values.tolist() == [row for own in lists for row in own]


# Rows that cannot be used


@pytest.mark.parametrize(
    ("own", "row", "message"),
    [
        ("[[1, 2, 3], [1, 2]]", 2, "has 2 values, needs video, start, end"),
        ("[[7]]", 1, "has 1 value, needs video, start, end"),
        ("[[1, 2, 3], []]", 2, "has 0 values, needs video, start, end"),
        ("[[1, 2, NaN]]", 1, "the end is NaN"),
        ("[[1, -Infinity, 2]]", 1, "the start is -Infinity"),
        ("[[1, 1e999, 2]]", 1, "the start is Infinity"),
        ('[[1, "2", 3]]', 1, 'the start is "2", not a number'),
        ("[[true, 2, 3]]", 1, "the video is true, not a number"),
        ("[[1, 2, null]]", 1, "the end is null, not a number"),
        ("[[1, [2], 3]]", 1, "the start is [2], not a number"),
        ("[[]]", 1, "has 0 values, needs video, start, end"),
        ("[1, 2, 3]", 1, "is 1, not a list"),
        ("[5]", 1, "is 5, not a list"),
        ("{}", 0, "predictions is {}, not a list"),
        ("5", 0, "predictions is 5, not a list"),
    ],
)
def test_every_unusable_row_is_refused_with_its_place(own: str, row: int, message: str) -> None:
    where = f", prediction {row}" if row else ""

    assert error(listed("[[1, 2, 3]]", own)) == (
        f"x.json: VCMR, entry 2 (desc_id 1){where}: {message}; {HOW}"
    )


def test_odd_lists_are_handed_over_in_order_and_as_json_has_them() -> None:
    lists = "[[1, 2]]", "[[1, NaN, 3], [4, 5, 6]]", "[[7, 8, 9]]", '["x"]', "[[1, 2, 1e999]]", "5"
    found = apart(listed(*lists))
    odd: list[tuple[int, str]] = []

    def loose(place: int, value: Any) -> list[list[float]]:
        odd.append((place, json.dumps(value)))
        return [[0.0, 0.0, place]] * len(value) if isinstance(value, list) else []

    values = [own["p"] for own in found.document]
    read = read_rows(found, values, 3, widths=(3,), needed=3, loose=loose)

    assert odd == [(place, lists[place].replace("1e999", "Infinity")) for place in (0, 1, 3, 4, 5)]
    assert read.values.tolist() == [
        [0, 0, 0],
        [0, 0, 1],
        [0, 0, 1],
        [7, 8, 9],
        [0, 0, 3],
        [0, 0, 4],
    ]
    assert read.counts.tolist() == [1, 2, 1, 1, 1, 0]


def test_a_score_that_is_no_number_does_not_matter_unless_it_is_asked_for() -> None:
    assert rows(listed("[[1, 2, 3, NaN]]")).values.tolist() == [[1, 2, 3]]
    np.testing.assert_array_equal(  # it is not needed
        rows(listed("[[1, 2, 3, NaN]]"), columns=4).values, [[1, 2, 3, np.nan]]
    )
    assert rows(listed('[[1, 2, 3, "x"]]')).values.tolist() == [[1, 2, 3]]
    with pytest.raises(InputError, match='prediction 1: the score is "x", not a number'):
        rows(listed('[[1, 2, 3, "x"]]'), columns=4)


# Texts that are no JSON


@pytest.mark.parametrize(
    "numbers",
    ["1 2, 3, 4, 5", "0, 0, +1, 1", "1, 2e5, +3", "1, 1e+5, +3", "1, 2., 3",
      "1, .5, 3", "01, 2, 3", "1, -05, 3", "1, +5, 3", "1, 2 3, 4",
     "1, , 3", "1, 2, 3,", "1, --2, 3", "1, 2e, 3", "1, 0x2, 3", "-, 2, 3", "1, 2, 3, 4 5"],
)  # fmt: skip
def test_numbers_that_json_does_not_know_are_refused(numbers: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(f"[{numbers}]")

    assert "is not valid JSON" in error(listed("[[1, 2, 3]]", f"[[1, 2, 3], [{numbers}]]"))


@pytest.mark.parametrize("between", ["] 7, [", "], 7 [", "] [", "],, ["])
def test_what_stands_between_rows_is_looked_at(between: str) -> None:
    assert "is not valid JSON" in error(listed(f"[[1, 2, 3{between}1, 2, 3]]"))


@pytest.mark.parametrize("own", ["7[[1, 2, 3]]", "[7[1, 2, 3]]", "[[1, 2, 3]7]", "[[1, 2, 3]"])
def test_what_stands_around_rows_is_looked_at(own: str) -> None:
    assert "is not valid JSON" in error(listed(own))


def test_the_line_of_an_error_is_that_of_the_file() -> None:
    lists = json.dumps([{"p": [[1, 2, 3]] * 3}] * 4, indent=1)
    twice = lists.replace('"p"', '"q" "p"', 1)
    assert error(twice).startswith("x.json, line 3: is not valid JSON")
    broken = lists[: lists.rindex("]")]
    assert error(broken).startswith(f"x.json, line {broken.count(chr(10)) + 1}: is not valid JSON")


def test_a_broken_number_is_reported_with_its_line() -> None:
    text = '[\n{"p":\n[[1, 2, 3],\n[1, 2., 3]]}]'

    assert error(text) == "x.json, line 4: is not valid JSON (Expecting ',' delimiter)"


def test_a_text_that_is_not_utf8_is_reported_with_its_line() -> None:
    text = b'[{"p": [[1, 2, 3]]},\n{"t": "\xe9", "p": []}]'

    assert error(text) == "x.json, line 2: is not UTF-8; save it as UTF-8 text"


def test_absurd_numbers_are_refused_with_their_line() -> None:
    absurd = "9" * 5000

    assert error(listed(f"[[1, 2, {absurd}]]")) == (
        "x.json, line 1: is not valid JSON (a number is too long)"
    )
    assert error(listed("[[1, 2, 3]]", f"[[1, 2,\n{absurd}]]")) == (
        "x.json, line 1: is not valid JSON (a number is too long)"
    )


def test_absurd_nesting_is_refused() -> None:
    assert "nested too deeply" in error("[" * 100_000)


# Submissions


def test_a_packed_submission_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    text = json.dumps(submission(VR=[entry(1, (0, 0, 0))]), indent=2).encode("utf-8-sig")
    file = tmp_path / "s.json.gz"
    file.write_bytes(gzip.compress(text, mtime=0))

    found = read_submission(file)

    assert found.tasks == ("VR",)
    assert found.rows(found.entries("VR"), 4).values.tolist() == [[0, 0, 0, 0.5]]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "is not one JSON object; write video2idx, VCMR, SVMR and VR into one"),
        ({}, f"has none of VCMR, SVMR, VR, but nothing; {TASKS}"),
        ({"vcmr": []}, f"has none of VCMR, SVMR, VR, but 'vcmr'; {TASKS}"),
        ({"VR": []}, f"video2idx is missing; {VIDEOS}"),
        ({"VR": [], "video2idx": {}}, f"video2idx is empty or no object; {VIDEOS}"),
        (
            {"VR": [], "video2idx": {"a": 1.5}},
            "video2idx of 'a' is 1.5, not a whole number below 2**53",
        ),
        (
            {"VR": [], "video2idx": {"a": "1"}},
            "video2idx of 'a' is \"1\", not a whole number below 2**53",
        ),
    ],
)
def test_a_submission_of_another_shape_is_refused(
    tmp_path: Path, document: Any, message: str
) -> None:
    file = write_json(tmp_path / "s.json", document)

    with pytest.raises(InputError) as caught:
        read_submission(file)

    assert str(caught.value) == f"{file}: {message}"
