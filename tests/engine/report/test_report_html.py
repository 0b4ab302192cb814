"""The page: well formed, without any reference outward, harmless, and the same every time."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sample_data
from engine.dataset.settings_file import open_dataset
from engine.report.html import format_report_html
from engine.report.html.style import DARK_COLOURS, LIGHT_COLOURS, build_stylesheet
from engine.report.run.clips import RunClips, make_unknown_clips, open_run_clips
from engine.report.run.run_report import RunReport, find
from engine.report.run.worst import find_worst_queries
from engine.results.saved_run import RunFacts, read_saved_run
from tests.engine.report.html_reader import Page
from tests.engine.report.report_by_hand import (
    HOSTILE,
    QUICK,
    hostile_document,
    sample_document,
    saved,
)


@pytest.fixture(scope="module")
def documents() -> tuple[dict[str, Any], dict[str, Any]]:
    return sample_document("alfa-0.1"), sample_document("alfa-0.2")


@pytest.fixture(scope="module")
def against(
    documents: tuple[dict[str, Any], dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> RunReport:
    folder = tmp_path_factory.mktemp("runs")
    old, new = (
        read_saved_run(saved(document, folder / f"{number}.json"))
        for number, document in enumerate(documents)
    )
    return find(new, [old], settings=QUICK)


@pytest.fixture(scope="module")
def alone(against: RunReport) -> RunReport:
    return find(against.baselines[0], settings=QUICK)


@pytest.fixture
def clips(alone: RunReport) -> RunClips:
    return open_run_clips(open_dataset(sample_data.folder()), alone.run.facts, asked=False)


@pytest.fixture(scope="module")
def page(against: RunReport) -> Page:
    clips = open_run_clips(open_dataset(sample_data.folder()), against.run.facts, asked=False)
    return Page.of(format_report_html(against, clips, worst=3))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> RunReport:
    path = saved(hostile_document(), tmp_path_factory.mktemp("hostile") / "run.json")
    run = read_saved_run(path)
    return find(run, [run], settings=QUICK)


def test_the_page_has_landmarks_a_language_and_one_first_heading(page: Page) -> None:
    assert [element.attributes["lang"] for element in page.all("html")] == ["en"]
    for landmark in ("nav", "main", "footer", "h1"):
        assert len(page.all(landmark)) == 1, landmark
    assert page.all("title")[0].text == "alfa-0.2: evaluation report"
    assert all(element.attributes.get("alt") for element in page.all("img"))
    assert all(element.text.strip() for element in page.all("th"))


def test_ids_differ_and_everything_that_names_one_finds_it(page: Page) -> None:
    assert len(page.ids) == len(set(page.ids))
    named = [
        name
        for element in page.elements
        for attribute in ("aria-labelledby", "aria-describedby")
        for name in element.attributes.get(attribute, "").split()
    ]
    anchors = [e.attributes["href"].removeprefix("#") for e in page.all("a")]
    assert named and anchors
    assert set(named) | set(anchors) <= set(page.ids)


def test_every_section_heading_has_an_anchor_to_itself(page: Page) -> None:
    headings = [e for e in page.elements if e.tag in ("h2", "h3")]

    linked = {e.attributes["href"] for e in page.all("a")}
    assert headings
    assert all(f"#{heading.attributes['id']}" in linked for heading in headings)


def test_nothing_refers_outside_the_file(page: Page) -> None:
    assert page.references
    for reference in page.references:
        inside = reference.startswith(("#", "data:image/webp;base64,"))
        assert inside, reference[:80]
    assert not page.all("script") and not page.all("link") and not page.all("iframe")
    assert not [n for e in page.elements for n in e.attributes if n.startswith("on")]
    assert "@import" not in build_stylesheet()


def test_the_policy_forbids_all_but_what_the_page_holds(page: Page) -> None:
    meta = next(e for e in page.all("meta") if "http-equiv" in e.attributes)

    content = meta.attributes["content"]
    assert content.startswith("default-src 'none'; img-src data:; style-src 'unsafe-inline'")
    assert "script" not in content


def test_every_number_of_the_document_is_on_the_page(
    documents: tuple[dict[str, Any], dict[str, Any]], page: Page
) -> None:
    cells = [element.text for element in page.elements if element.tag in ("td", "th")]
    for row in documents[1]["metrics"]:
        assert f"{row['mean']:.3f} ± {row['std']:.3f}" in cells
        assert {row["label"], row["id"], row["formula"], f"{row['n']:,}"} <= set(cells)
    for row in documents[0]["metrics"]:
        assert f"{row['mean']:.3f} ± {row['std']:.3f}" in cells, "the baseline's too"


def test_the_head_says_what_was_evaluated_and_how(
    documents: tuple[dict[str, Any], dict[str, Any]], page: Page
) -> None:
    document = documents[1]
    facts = "\n".join(element.text for element in page.all("dd"))
    for text in (
        document["dataset"]["name"], document["model"]["name"], document["tool"]["version"],
        *document["groups"], "1, 3, 5", document["profile"], "284 (all clips), 271 count",
        "13 without a relevant clip left out", "ties: insertion", "self clip: remove",
        *(entry["sha256"][:12] for entry in document["inputs"].values()),
    ):  # fmt: skip
        assert str(text) in facts, text


def test_the_same_input_gives_the_same_bytes(against: RunReport) -> None:
    def written() -> str:
        clips = open_run_clips(open_dataset(sample_data.folder()), against.run.facts, asked=False)
        return format_report_html(against, clips, worst=1)

    assert written() == written()


def test_hostile_texts_are_shown_and_do_nothing(hostile: RunReport) -> None:
    html = format_report_html(hostile, make_unknown_clips(HOSTILE[0]), worst=20)

    page = Page.of(html)
    assert not page.all("script") and not page.all("img")
    assert not [n for e in page.elements for n in e.attributes if n.startswith("on")]
    assert all(r.startswith("#") for r in page.references)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", html)
    for text in HOSTILE[:6]:
        assert text in page.text, "it reads as it was written"
    assert "\\x1b[31m" in page.text and "\\u202e" in page.text
    assert "x" * 1_000 not in html and "(5,000 characters)" in page.text


def test_a_text_cannot_leave_the_place_it_is_written_to(hostile: RunReport) -> None:
    tame = Page.of(format_report_html(hostile, make_unknown_clips("x"), worst=20))
    known = {
        "html head meta title style body a header p h1 ul li nav main section h2 h3 h4 dl dt dd "
        "figure figcaption div table thead tbody tr th td b sup bdi span strong small ol article "
        "details summary svg defs pattern line text polyline circle polygon path rect desc footer"
    }
    assert {element.tag for element in tame.elements} <= set(" ".join(known).split())


def test_pictures_stay_within_their_bound_and_what_is_left_out_is_counted(
    alone: RunReport, clips: RunClips
) -> None:
    clips.most_bytes = 60_000

    html = format_report_html(alone, clips, worst=3)

    pictures = [e.attributes["src"] for e in Page.of(html).all("img")]
    assert 0 < sum(map(len, pictures)) <= 60_000
    assert clips.left_out == 3 * 6 - len(pictures)
    assert f"{clips.left_out} pictures were left out" in html


def test_pictures_are_small_strips_of_the_clips_frames(alone: RunReport, clips: RunClips) -> None:
    import base64
    import io

    from PIL import Image

    page = Page.of(format_report_html(alone, clips, worst=1))

    strips = page.all("img")
    assert len(strips) == 6, "the query clip and five results"
    for strip in strips:
        data = base64.b64decode(strip.attributes["src"].partition(",")[2])
        with Image.open(io.BytesIO(data)) as picture:
            shape = int(strip.attributes["width"]), int(strip.attributes["height"])
            assert picture.size == shape
            assert picture.size[0] == 3 * 160 + 2 * 3 and picture.size[1] <= 120
        assert "3 frames" in strip.attributes["alt"]
    assert clips.notes == []


def test_marks_of_keywords_agree_with_the_saved_hits(alone: RunReport, clips: RunClips) -> None:
    shown = find_worst_queries(alone, alone.modes[0], 300, replace(clips, frames=False))

    results = [one for query in shown for one in query.results]
    assert len(results) > 1000
    for one in results:
        assert one.breakdown is not None
        assert one.breakdown.hit == (one.gain > 0) == (one.verdict == "hit")
        partial = 0 < one.breakdown.matched < one.breakdown.total
        assert partial == (one.verdict == "partial match")


def test_marks_are_said_in_words(alone: RunReport, clips: RunClips) -> None:
    page = Page.of(format_report_html(alone, replace(clips, frames=False), worst=12))

    marks = [e.text for e in page.all("li") if "lacks" in e.text or "has " in e.text]
    assert any("❌ lacks" in text for text in marks) and any("✅ has" in text for text in marks)
    verdicts = [e.text for e in page.all("span") if "verdict" in e.attributes.get("class", "")]
    assert {text.split(" ")[1] for text in verdicts} <= {"hit", "partial", "miss"}


def test_the_worst_come_first(alone: RunReport, against: RunReport) -> None:
    queries = find_worst_queries(alone, alone.modes[0], 300, make_unknown_clips("x"))
    values = [query.value for query in queries]
    assert values == sorted(values) and len(values) == 271
    lowest = [query.relevant for query in queries if query.value == values[0]]
    assert lowest == sorted(lowest, reverse=True)

    changed = find_worst_queries(against, against.modes[0], 300, make_unknown_clips("x"))
    falls = [query.value - query.before for query in changed if query.before is not None]
    assert falls == sorted(falls) and falls[0] < 0 and len(falls) == 271


def test_a_regression_shows_the_hits_that_were_lost(against: RunReport) -> None:
    worst = find_worst_queries(against, against.modes[0], 1, make_unknown_clips("x"))[0]

    assert worst.before is not None and worst.value < worst.before
    kept = {one.id for one in worst.results}
    assert worst.lost
    for one in worst.lost:
        assert one.gain > 0 and one.rank == 0 and (one.before or 0) > 0 and one.id not in kept


@pytest.mark.parametrize(
    ("facts", "asked", "why"),
    [
        (RunFacts(inputs=(("annotations", "0" * 64),)), True, "not those of the run"),
        (RunFacts(), False, "does not say which annotations"),
    ],
)
def test_a_dataset_that_is_not_the_run_s_shows_no_clips(
    facts: RunFacts, asked: bool, why: str, alone: RunReport
) -> None:
    clips = open_run_clips(open_dataset(sample_data.folder()), facts, asked=asked)

    html = format_report_html(alone, clips, worst=2)

    assert clips.dataset is None
    (note,) = clips.notes
    assert why in note and note[1:] in Page.of(html).text
    assert "<img" not in html and "lacks" not in html


def test_missing_media_are_counted_with_their_reason(alone: RunReport, tmp_path: Path) -> None:
    annotations = tmp_path / "clips.csv"
    annotations.write_bytes((sample_data.folder() / "unified_annotation.csv").read_bytes())
    (tmp_path / "dataset.toml").write_text('annotations = "clips.csv"\n')
    clips = open_run_clips(open_dataset(tmp_path), alone.run.facts, asked=True)

    html = format_report_html(alone, clips, worst=2)

    assert clips.notes == [f"{len(clips._known)} of {len(clips._known)} clips have no frames: "
                           "no such file"]  # fmt: skip
    assert "no such file" in html and "lacks" in html, "marks need no media"


def test_large_images_are_unpacked_within_a_bound_over_all_clips(
    alone: RunReport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of some kilobytes can take as long as a hundred usual ones."""
    from PIL import Image

    monkeypatch.setattr("engine.report.run.clips.MOST_UNPACKED", 10_000_000)
    images = [Image.new("P", (3_000, 3_000), colour) for colour in range(4)]
    images[0].save(tmp_path / "a.gif", save_all=True, append_images=images[1:])
    ids = open_dataset(sample_data.folder()).annotations.ids
    rows = "".join(f"{clip},a.gif,car\n" for clip in ids)
    (tmp_path / "clips.csv").write_text(f"slice_id,gif_path,pv_object_type\n{rows}")
    (tmp_path / "dataset.toml").write_text('annotations = "clips.csv"\n')
    clips = RunClips(open_dataset(tmp_path))

    format_report_html(alone, clips, worst=2)

    shown = [clip for clip, picture in clips._known.items() if picture]
    assert len(shown) == 1 < len(clips._known), "28 megapixels of it are more than usual"
    assert clips.notes == [
        f"{len(clips._known) - 1} of {len(clips._known)} clips have no frames: "
        "those before had large images, of more than 10 megapixels in all"
    ]


def test_without_keywords_or_rankings_the_page_is_still_made(
    documents: tuple[dict[str, Any], dict[str, Any]], tmp_path: Path
) -> None:
    document = json.loads(json.dumps(documents[0]))
    for entry in document["per_query"]:
        entry["keywords"] = []
        for name in ("retrieved", "scores", "hits"):
            del entry[name]
    for name in ("metrics", "inputs", "policies", "queries", "skipped", "notes", "collection"):
        del document[name]
    found = find(read_saved_run(saved(document, tmp_path / "bare.json")), settings=QUICK)

    page = Page.of(format_report_html(found, make_unknown_clips("x"), worst=2))

    assert "No keywords are known." in page.text and "No results were kept." in page.text
    assert "curves" not in page.ids


def luminance(colour: str) -> float:
    channels = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colours", [LIGHT_COLOURS, DARK_COLOURS], ids=["light", "dark"])
def test_every_text_colour_stands_out_from_both_backgrounds(colours: dict[str, str]) -> None:
    for name in set(colours) - {"page", "raised", "line"}:
        for ground in ("page", "raised"):
            pair = sorted((luminance(colours[name]), luminance(colours[ground])))
            assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, (name, ground)
