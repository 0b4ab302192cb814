"""Plots say what they show to every reader, and draw the numbers that stand below them."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.report.html import format_report_html
from engine.report.html.axes import spread_out
from engine.report.html.plots import draw_curves, draw_histogram, find_highest_share
from engine.report.run.clips import make_unknown_clips
from engine.report.run.run_report import RunReport, find
from engine.results.curves import FAMILIES, compute_metric_by_k, count_similarities
from engine.results.saved_run import read_saved_run
from tests.engine.report.html_reader import Page
from tests.engine.report.report_by_hand import QUICK, sample_document, saved


@pytest.fixture(scope="module")
def documents() -> tuple[dict[str, Any], dict[str, Any]]:
    return sample_document("alfa-0.1"), sample_document("alfa-0.2")


@pytest.fixture(scope="module")
def found(
    documents: tuple[dict[str, Any], dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> RunReport:
    folder = tmp_path_factory.mktemp("runs")
    old, new = (
        read_saved_run(saved(document, folder / f"{number}.json"))
        for number, document in enumerate(documents)
    )
    return find(new, [old], settings=QUICK)


@pytest.fixture(scope="module")
def page(found: RunReport) -> Page:
    return Page.of(format_report_html(found, make_unknown_clips("x"), worst=0))


def test_every_plot_has_a_title_and_a_description(page: Page) -> None:
    plots = [e for e in page.all("svg") if e.attributes.get("role") == "img"]
    texts = {e.attributes.get("id"): e.text for e in page.all("title") + page.all("desc")}

    assert len(plots) == 4 + 2, "four metrics, and the similarities of two systems"
    for plot in plots:
        title, description = plot.attributes["aria-labelledby"].split()
        assert len(texts[title]) > 5 and re.search(r"\d", texts[description])
    others = [e for e in page.all("svg") if e not in plots]
    assert all(e.attributes.get("aria-hidden") == "true" for e in others)


def test_the_numbers_below_the_plots_are_those_of_the_runs(
    documents: tuple[dict[str, Any], dict[str, Any]], page: Page
) -> None:
    (details,) = page.all("details")

    for document in documents:
        means = {row["id"]: row["mean"] for row in document["metrics"]}
        for k in document["k"]:
            for family in ("P", "R", "nDCG"):
                assert f"{means[f'{family}@{k}']:.3f}" in details.text


def test_lines_differ_in_more_than_their_colour(found: RunReport) -> None:
    curves = [
        (run.results.name, compute_metric_by_k(run.results, "video"))
        for run in (found.run, *found.baselines)
    ]

    figure = draw_curves(found, "P@k", curves, "name")

    dashes = re.findall(r'<polyline class="curve s\d"( stroke-dasharray="[^"]+")?', figure)
    assert len(dashes) == 2 and dashes[0] != dashes[1]
    assert "<circle" in figure and "<polygon" in figure
    for name, curve in curves:
        assert f">{name}</text>" in figure and f">{curve.of('P@k')[-1]:.3f}</text>" in figure


def test_a_line_stands_where_its_numbers_are(found: RunReport) -> None:
    curve = compute_metric_by_k(found.run.results, "video")

    for family in FAMILIES:
        figure = draw_curves(found, family, [("a", curve)], "name")
        points = re.search('points="([^"]+)"', figure)
        assert points is not None
        heights = [float(point.split(",")[1]) for point in points[1].split()]
        values = curve.of(family).tolist()
        steps = [
            (float(y), float(value))
            for y, value in re.findall(
                r'y="([\d.]+)" dy=".35em" text-anchor="end">([\d.]+)<', figure
            )
        ]
        (bottom, low), (top, high) = steps[0], steps[-1]
        for height, value in zip(heights, values, strict=True):
            expected = bottom + (value - low) / (high - low) * (top - bottom)
            assert height == pytest.approx(expected, abs=0.06)


def test_hits_are_filled_and_misses_are_hatched(found: RunReport) -> None:
    histogram = count_similarities(found.run.results, "video")

    figure = draw_histogram("a", histogram, find_highest_share(histogram), "name")

    assert 'class="hits"' in figure and 'fill="url(#name-hatch)"' in figure
    assert '<pattern id="name-hatch"' in figure
    assert f"hits (n = {histogram.hits.sum():,})" in figure
    assert f"misses (n = {histogram.misses.sum():,})" in figure


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8), st.floats(1, 12))
def test_labels_are_moved_apart_and_keep_their_order(places: list[float], least: float) -> None:
    moved = spread_out(places, least, 0.0, 100.0)

    ordered = [moved[n] for n in sorted(range(len(places)), key=lambda n: places[n])]
    assert all(b - a >= least - 1e-6 for a, b in pairwise(ordered))
    assert all(-1e-6 <= place <= 100 + 1e-6 for place in moved)


def test_lines_that_lie_on_one_another_are_named_and_both_seen(found: RunReport) -> None:
    curve = compute_metric_by_k(found.run.results, "video")
    other = compute_metric_by_k(found.baselines[0].results, "video")

    figure = draw_curves(found, "P@k", [("one", curve), ("two", other), ("twin", curve)], "name")
    apart = draw_curves(found, "P@k", [("one", curve), ("two", other)], "name")

    assert "<span>one and twin lie on one another</span>" in figure
    assert "lie on one another" not in apart
    # The point below is larger than the one that covers it.
    assert set(re.findall(r'<circle class="dot f0"[^>]* r="([\d.]+)"', figure)) == {"5.4"}
    assert set(re.findall(r'<circle class="dot f0"[^>]* r="([\d.]+)"', apart)) == {"3.6"}


def test_both_axes_of_every_plot_are_named(page: Page) -> None:
    texts = [element.text for element in page.all("text")]

    assert texts.count("mean over queries") == texts.count("k (first results)") == 4
    assert texts.count("share of its kind") == texts.count("similarity") == 2
