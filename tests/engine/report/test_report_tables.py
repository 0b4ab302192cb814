"""The numbers of a report: those of the run's document, and what a direct calculation gives."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.compare import compare
from engine.metrics import Measure
from engine.report.run.keyword_tables import build_keywords_table
from engine.report.run.markdown_and_latex import format_report_latex, format_report_markdown
from engine.report.run.run_report import RunReport, find
from engine.report.run.tables import (
    build_difference_table,
    build_levels_table,
    build_slices_table,
    build_summary_table,
)
from engine.report.tables.numbers import (
    format_interval,
    format_number,
    format_signed,
    format_with_std,
)
from engine.report.tables.report_table import ReportTable
from engine.results.keywords_at_k import FoundKeyword
from engine.results.saved_run import SavedRun, read_saved_run
from engine.stats import bootstrap_interval, holm
from tests.engine.report.latex_by_hand import assert_whole
from tests.engine.report.report_by_hand import QUICK, hostile_document, sample_document, saved


@pytest.fixture(scope="module")
def documents() -> tuple[dict[str, Any], dict[str, Any]]:
    return sample_document("alfa-0.1"), sample_document("alfa-0.2")


@pytest.fixture(scope="module")
def runs(
    documents: tuple[dict[str, Any], dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> tuple[SavedRun, SavedRun]:
    folder = tmp_path_factory.mktemp("runs")
    old, new = (
        read_saved_run(saved(document, folder / f"{number}.json"))
        for number, document in enumerate(documents)
    )
    return old, new


@pytest.fixture(scope="module")
def alone(runs: tuple[SavedRun, SavedRun]) -> RunReport:
    return find(runs[0], settings=QUICK)


@pytest.fixture(scope="module")
def against(runs: tuple[SavedRun, SavedRun]) -> RunReport:
    return find(runs[1], [runs[0]], settings=QUICK)


def column(table: ReportTable, head: str) -> list[str]:
    at = [column.head for column in table.columns].index(head)
    return [row[at].text for row in table.rows]


def test_the_summary_shows_every_number_of_the_document(
    documents: tuple[dict[str, Any], dict[str, Any]], alone: RunReport
) -> None:
    table = build_summary_table(alone, alone.modes[0])

    rows = documents[0]["metrics"]
    assert column(table, "metric") == [row["label"] for row in rows]
    assert column(table, "id") == [row["id"] for row in rows]
    assert column(table, "formula") == [row["formula"] for row in rows]
    shown = [f"{row['mean']:.3f} ± {row['std']:.3f}" for row in rows]
    assert column(table, "mean ± std") == shown
    assert column(table, "n") == [str(row["n"]) for row in rows]


def test_intervals_are_those_of_the_bootstrap_over_the_saved_values(
    documents: tuple[dict[str, Any], dict[str, Any]], alone: RunReport
) -> None:
    table = build_summary_table(alone, alone.modes[0])

    for row, shown in zip(documents[0]["metrics"], column(table, "95 % CI"), strict=True):
        values = [entry["values"][row["id"]] for entry in documents[0]["per_query"]]
        own = bootstrap_interval([v for v in values if v is not None], resamples=1_000)
        assert shown == format_interval(own)


def test_a_slice_is_the_mean_over_the_queries_that_have_its_keyword(
    documents: tuple[dict[str, Any], dict[str, Any]], alone: RunReport
) -> None:
    mode = alone.modes[0]

    for row in mode.slices:
        name = row.slice.name
        own = [
            entry["values"]["P@5"]
            for entry in documents[0]["per_query"]
            if entry["values"]["P@5"] is not None
            and any(w == name or w.split(":")[0] == name for w in entry["keywords"])
        ]
        assert (row.level.n, row.level.value) == (len(own), pytest.approx(np.mean(own)))
        assert row.few == (len(own) < 10)
    assert {row.slice.name for row in mode.slices} == {
        name
        for entry in documents[0]["per_query"]
        if entry["values"]["P@5"] is not None
        for word in entry["keywords"]
        for name in (word, word.split(":")[0])
    }


def test_slices_come_worst_first_and_few_queries_are_marked_in_words(alone: RunReport) -> None:
    table = build_slices_table(alone, alone.modes[0], "keyword")

    means = [float(text.split(" ")[0]) for text in column(table, "mean ± std")]
    assert means == sorted(means) and len(means) > 10
    for n, remark in zip(column(table, "n"), column(table, "remark"), strict=True):
        assert ("few queries" in remark) == (int(n) < 10)


def test_differences_are_the_run_minus_its_baseline(
    documents: tuple[dict[str, Any], dict[str, Any]], against: RunReport
) -> None:
    table = build_difference_table(against, against.modes[0], "alfa-0.1", with_levels=True)

    old, new = ({row["id"]: row["mean"] for row in d["metrics"]} for d in documents)
    for place, name in enumerate(column(table, "id")):
        assert column(table, "difference")[place] == format_signed(new[name] - old[name])
        assert column(table, "alfa-0.1")[place].startswith(format_number(old[name]))
        assert column(table, "alfa-0.2")[place].startswith(format_number(new[name]))
    assert table.rows[0][2].best and not table.rows[0][1].best


def test_a_difference_beyond_chance_is_said_in_words_and_marked(against: RunReport) -> None:
    assert against.comparison is not None
    words = column(build_difference_table(against, against.modes[0], "alfa-0.1"), "verdict")
    systems = build_levels_table(against, against.modes[0])

    for place, one in enumerate(against.comparison.modes[0].differences):
        sure = one.holm < 0.05
        assert words[place] == ("better" if sure else "no difference found")
        assert systems.rows[place][2].mark == ("*" if sure else "")
    assert set(words) == {"better", "no difference found"}, "the sample has both"


def test_with_several_baselines_only_pairs_with_the_run_are_tested_and_corrected(
    runs: tuple[SavedRun, SavedRun],
) -> None:
    old, new = runs

    found = find(new, [old, new], settings=QUICK)

    assert found.comparison is not None
    assert found.comparison.names == ("alfa-0.1", "alfa-0.2", "alfa-0.2 (2)")
    (mode,) = found.comparison.modes
    assert {(d.baseline, d.system) for d in mode.differences} == {
        ("alfa-0.1", "alfa-0.2 (2)"),
        ("alfa-0.2", "alfa-0.2 (2)"),
    }
    main = found.comparison.main
    for family in (
        [d for d in mode.differences if d.measure == main],
        [d for d in mode.differences if d.measure != main],
    ):
        p = [d.permutation.p for d in family]
        assert [d.holm for d in family] == pytest.approx(holm(p).tolist())
    same = mode.of_pair("alfa-0.2", "alfa-0.2 (2)")
    assert {(d.value, d.holm, d.counts.ties) for d in same} == {(0.0, 1.0, same[0].n)}


def test_with_one_baseline_it_is_the_comparison_itself(
    runs: tuple[SavedRun, SavedRun], against: RunReport
) -> None:
    plain = compare([run.results for run in runs], settings=QUICK)

    assert against.comparison is not None
    assert against.comparison.modes[0].differences == plain.modes[0].differences


def test_numbers_over_fewer_queries_stand_beside_those_of_the_run(
    documents: tuple[dict[str, Any], dict[str, Any]],
    runs: tuple[SavedRun, SavedRun],
    tmp_path: Path,
) -> None:
    fewer = {**documents[0], "per_query": documents[0]["per_query"][:100]}
    found = find(runs[1], [read_saved_run(saved(fewer, tmp_path / "f.json"))], settings=QUICK)

    text = format_report_markdown(found)

    for row in documents[1]["metrics"]:
        assert format_with_std(row["mean"], row["std"]) in text
    assert "more video queries that the others do not all have" in text


def test_a_per_query_file_has_its_means_computed(
    documents: tuple[dict[str, Any], dict[str, Any]], tmp_path: Path
) -> None:
    lines = []
    for entry in documents[0]["per_query"]:
        values = entry["values"]
        lines.append(json.dumps({**{k: v for k, v in entry.items() if k != "values"}, **values}))
    path = tmp_path / "queries.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")

    table = build_summary_table(found := find(read_saved_run(path), settings=QUICK), found.modes[0])

    shown = [format_with_std(row["mean"], row["std"]) for row in documents[0]["metrics"]]
    assert column(table, "mean ± std") == shown


def test_a_median_has_no_deviation_and_a_pooled_one_no_interval(tmp_path: Path) -> None:
    document = hostile_document()
    for entry, rank in zip(document["per_query"], range(1, 13), strict=True):
        entry["values"] = {"MedR": float(rank), "MedR(all)": None}
    document["metrics"] = [
        {
            "mode": "text",
            "id": name,
            "label": name,
            "formula": "f",
            "mean": 6.5,
            "std": 3.6,
            "n": 12,
        }
        for name in ("MedR", "MedR(all)")
    ]
    run = read_saved_run(saved(document, tmp_path / "r.json"))

    found = find(run, settings=QUICK)

    table = build_summary_table(found, found.modes[0])
    assert column(table, "mean ± std") == ["6.500", "6.500"]
    assert column(table, "95 % CI")[1] == "–" != column(table, "95 % CI")[0]
    with pytest.raises(InputError, match="no value per query"):
        find(run, main=Measure.parse("MedR(all)"), settings=QUICK)


def test_slices_of_a_median_are_ordered_by_it(tmp_path: Path) -> None:
    document = hostile_document()
    ranks = {"g:often": (1, 9, 9), "g:once": (1, 1, 100)}  # medians 9 and 1, means 6.3 and 34
    document["per_query"] = [
        {**document["per_query"][0], "keywords": [word], "values": {"MedR": float(rank)}}
        for word, own in ranks.items()
        for rank in own
    ]
    document["metrics"] = []

    found = find(read_saved_run(saved(document, tmp_path / "r.json")), settings=QUICK)

    slices = [row for row in found.modes[0].slices if row.slice.kind == "keyword"]
    assert [(row.slice.name, row.level.value) for row in slices] == [("g:often", 9), ("g:once", 1)]


def test_markdown_holds_hostile_texts_as_texts(tmp_path: Path) -> None:
    run = read_saved_run(saved(hostile_document(), tmp_path / "r.json"))

    text = format_report_markdown(find(run, settings=QUICK))

    assert not re.search(r"(?<!\\)<(?!br>)", text), "no HTML"
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    tables = [line for line in text.splitlines() if line.startswith("| ")]
    assert tables
    for line in tables:
        assert line.endswith(" |")


def unescaped(text: str) -> str:
    """LaTeX without comments and without escaped characters."""
    lines = (re.sub(r"(?<!\\)%.*", "", line) for line in text.splitlines())
    return re.sub(r"\\[\\{}$&#%_]", "", "\n".join(lines))


def rows_of_latex(text: str) -> int:
    """How many rows the tables of a LaTeX text have; the text must be whole, and compile where
    there is a compiler."""
    assert_whole(text)
    return len(re.findall(r"\\\\$", text.split("\\begin{tabular}", 1)[1], re.MULTILINE))


def test_latex_is_well_formed_with_a_row_for_every_number(
    alone: RunReport, against: RunReport
) -> None:
    heads, between_notes = 4, 1
    by_itself = len(alone.run.keywords)
    rows = rows_of_latex(format_report_latex(alone))
    assert rows == heads + 13 + len(alone.modes[0].slices) + by_itself + between_notes
    assert rows_of_latex(format_report_latex(against)) > rows
    assert r"\label{tab:summary-video}" in format_report_latex(alone)


def test_each_keyword_by_itself_is_a_row_the_worst_first(alone: RunReport) -> None:
    table = build_keywords_table(alone, alone.modes[0])

    assert table is not None and len(table.rows) == len(alone.run.keywords) > 5
    heads = [column.head for column in table.columns]
    assert heads == ["keyword", "queries", "clips", "Recall@1", "Recall@3", "Recall@5", "chance"]
    lines = [[cell.text for cell in row] for row in table.rows]
    assert [line[5] for line in lines] == sorted(line[5] for line in lines)
    worst = min(alone.run.keywords, key=lambda one: one.values[-1][1])
    assert lines[0][0] == "{1} ({0})".format(*worst.keyword.split(":"))
    assert lines[0][6] == f"{worst.values[-1][2]:.3f}"


def test_a_run_of_before_or_of_many_cut_offs_has_what_fits_on_a_page(alone: RunReport) -> None:
    every = tuple((Measure.parse(f"P@{k}"), k / 50, 0.1) for k in range(1, 51))
    wide = replace(alone.run, keywords=(FoundKeyword("video", "g:x", 3, 4, every),))
    table = build_keywords_table(replace(alone, run=wide), alone.modes[0])

    assert table is not None and len(table.columns) == 3 + 8 + 1
    assert [table.columns[place].head for place in (3, 10)] == ["Recall@1", "Recall@50"]
    none = replace(alone, run=replace(alone.run, keywords=()))
    assert build_keywords_table(none, alone.modes[0]) is None


def test_latex_holds_hostile_texts_as_texts(tmp_path: Path) -> None:
    run = read_saved_run(saved(hostile_document(), tmp_path / "r.json"))

    text = format_report_latex(find(run, [run], settings=QUICK))

    assert rows_of_latex(text) > 10
    assert r"\textbackslash{}end\{table\}" in text
    assert text.isprintable() or set(filter(lambda c: not c.isprintable(), text)) == {"\n"}
