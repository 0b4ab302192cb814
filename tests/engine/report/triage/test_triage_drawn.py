"""The page of a triage: every picture with its sentence, harmless, and the same every time."""

from __future__ import annotations

import json
import math
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from engine.base.errors import InputError
from engine.report.triage.chapter import build_triage_chapter, build_triage_sections
from engine.report.triage.page import format_triage_page
from tests.engine.report.html_reader import Element, Page
from tests.engine.report.report_by_hand import HOSTILE
from tests.engine.report.triage.drawn_triage import (
    MEAN,
    PARTS,
    make_hostile,
    parse,
    write_document,
    write_finding,
)


@pytest.fixture
def document() -> dict[str, Any]:
    return write_document()


def make_page(document: dict[str, Any], top: int = 10) -> Page:
    return Page.of(format_triage_page(parse(document), top))


def headings(page: Page) -> list[str]:
    return [element.text for element in page.all("h2")]


def pictures(page: Page) -> list[Element]:
    return [e for e in page.all("svg") if e.attributes.get("role") == "img"]


def test_the_sections_are_in_the_order_of_the_questions(document: dict[str, Any]) -> None:
    assert headings(make_page(document)) == [
        "Verdicts", "Where P@5 falls short of 1", "Findings", "Looks against meaning",
        "What comes instead", "Slices",
        "What the similarity relies on", "Since alfa-0.1", "Nothing wrong", "Notes",
    ]  # fmt: skip


def test_of_what_was_not_carried_out_there_is_no_picture(document: dict[str, Any]) -> None:
    document["pictures"] = {"reliance": document["pictures"]["reliance"]}
    document["baseline"] = None
    del document["changes"]

    shown = headings(make_page(document))

    assert "What the similarity relies on" in shown
    for title in ("Looks against meaning", "What comes instead", "Slices", "Since alfa-0.1"):
        assert title not in shown


def test_a_document_from_before_pictures_is_shown_without(document: dict[str, Any]) -> None:
    del document["pictures"]

    assert "Slices" not in headings(make_page(document))


def test_every_picture_has_a_title_a_description_and_a_sentence_below(
    document: dict[str, Any],
) -> None:
    page = make_page(document)
    named = {e.attributes.get("id"): e.text for e in page.all("title") + page.all("desc")}

    drawn = pictures(page)
    # One bar, the finding's effect, three clouds, a matrix, the slices, and the cross table.
    assert len(drawn) == 1 + 1 + 3 + 1 + 1 + 1
    for one in drawn:
        title, description = one.attributes["aria-labelledby"].split()
        assert len(named[title]) > 5 and re.search(r"\d", named[description])
    # The finding says its own; the clouds share one.
    assert [e.text for e in page.all("p") if e.attributes.get("class") == "under"] == [
        "P@5 of 100 video queries is 0.600; it falls short of 1 by 0.400, above all: used but "
        "outvoted (0.200).",
        "Each dot is a pair of clips of different sources (60 of 780). Where looks decide, the "
        "line of medians (▪) rises to the right; where meaning does, it is higher from one picture "
        "to the next. Given the other, similarity has partial ρ 0.100 with looks and 0.500 with "
        "keywords: index −0.600 (−0.800 to −0.400; −1 is meaning alone, +1 looks alone).",
        "For crossing, turning right comes 2.5 times as often as the clips explain. 1 keyword of "
        "fewer wrong results left out.",
        "1 slice proven to be worse than the others: first 'crossing' (−0.200 of P@5, p 0.002).",
        "The similarity owes most to who: erasing it costs 0.310 of its own P@5 of 0.600 beyond "
        "the control of shuffled labels.",
    ]


def test_the_parts_of_the_bar_add_up_to_the_whole(document: dict[str, Any]) -> None:
    assert MEAN + sum(PARTS.values()) == pytest.approx(1.0)
    body = build_triage_sections(parse(document), 10)[1].body
    bar = body[: body.index('<text x="38"')]
    parts = Page.of(bar[: bar.rindex("<rect")] + "</svg></figure></div>").all("rect")

    places = [(float(e.attributes["x"]), float(e.attributes["width"])) for e in parts]
    assert len(places) == 1 + sum(points > 0 for points in PARTS.values())
    for (start, width), (following, _) in pairwise(places):
        assert following == pytest.approx(start + width, abs=0.11)
    length = 386 - 2 * 10
    assert sum(width for _, width in places) == pytest.approx(length, abs=0.3)
    shares = [MEAN, *(points for points in PARTS.values() if points)]
    assert [width / length for _, width in places] == pytest.approx(shares, abs=0.001)


def test_parts_are_told_apart_without_colour(document: dict[str, Any]) -> None:
    page = make_page(document)

    filled = [e.attributes.get("fill", "solid") for e in page.all("rect")
              if "part" in e.attributes.get("class", "").split()]  # fmt: skip
    bar, legend = filled[: len(filled) // 2], filled[len(filled) // 2 :]
    assert len(set(bar)) == len(bar) == 6 and bar == legend
    patterns = {f"url(#{e.attributes['id']})" for e in page.all("pattern")}
    assert set(bar) - {"solid"} == patterns
    lines = [e.attributes["d"] for e in page.all("path") if "lines" in e.attributes["class"]]
    assert len(set(lines)) == len(patterns)


def test_what_is_proven_is_marked_by_a_shape(document: dict[str, Any]) -> None:
    page = make_page(document)

    texts = [element.text for element in page.all("text")]
    assert [t for t in texts if t[0] in "▲◆"] == ["▲ 31 of 40", "▲ crossing", "◆ +0.310"]
    cells = [e for e in page.all("rect") if "cell" in e.attributes["class"]]
    assert sum("marked" in e.attributes["class"] for e in cells) == 2


def test_a_finding_says_what_it_is_how_sure_what_to_do_and_what_shows_it(
    document: dict[str, Any],
) -> None:
    (article,) = make_page(document).all("article")

    for text in (
        "crossing", "slices · video", "severity 0.060", "have 0.200 points of P@5 less",
        "−0.200 P@5 (−0.300 to −0.100)", "0.002", "30 queries",
        "What to do: look at the worst of these queries", "Tested: 11 slices.",
        "clip_1", "P@5 0.200 · 7 relevant clips", "lacks crossing; has turning right",
        "missed: clip_4", "clip_9",
    ):  # fmt: skip
        assert text in article.text, text
    assert "Hubs cost nothing" not in article.text


def test_no_more_than_the_worst_findings_are_shown_and_the_rest_is_counted(
    document: dict[str, Any],
) -> None:
    document["findings"] = [write_finding(id=f"slices/{n}") for n in range(5)]

    page = make_page(document, top=2)

    assert len(page.all("article")) == 2
    assert "3 further findings" in page.text


def test_effects_of_one_unit_are_drawn_on_one_scale(document: dict[str, Any]) -> None:
    other = {"id": "b", "effect": -0.1, "interval": [-0.2, 0.0]}
    document["findings"] = [write_finding(), write_finding(**other)]

    centres = [e for e in make_page(document).all("circle") if e.attributes["class"] == "centre"]

    # From −0.3 at 24 to 0 at 276: 840 units of the page for one of the metric.
    assert [float(e.attributes["cx"]) for e in centres] == pytest.approx([108.0, 192.0])


def test_the_numbers_of_the_pictures_are_those_of_the_document(document: dict[str, Any]) -> None:
    texts = [element.text for element in make_page(document).all("text")]

    for text in ("31 of 40", "3 of 12", "× 2.5", "0.400", "−0.200", "0.500", "−0.020", "+0.040"):
        assert any(text in one for one in texts), text


def test_nothing_refers_outside_the_file_and_nothing_runs(document: dict[str, Any]) -> None:
    for page in (make_page(document), make_page(make_hostile(document))):
        assert all(reference.startswith("#") for reference in page.references)
        assert not page.all("script") and not page.all("link") and not page.all("iframe")
        assert not page.all("img") and not page.all("foreignobject")
        assert not [n for e in page.elements for n in e.attributes if n.startswith("on")]
        (policy,) = [e for e in page.all("meta") if "http-equiv" in e.attributes]
        assert policy.attributes["content"].startswith("default-src 'none'")


def test_texts_that_mean_harm_are_shown_and_do_nothing(document: dict[str, Any]) -> None:
    tame = make_page(document)
    harmful = make_hostile(document)
    harmful["model"]["name"], harmful["findings"][0]["sentence"] = HOSTILE[:2]

    hostile = make_page(harmful)

    assert HOSTILE[0] in hostile.all("h1")[0].text
    assert HOSTILE[1] in hostile.all("article")[0].text
    assert {e.tag for e in hostile.elements} <= {e.tag for e in tame.elements} | {"bdi"}
    assert "\x1b" not in hostile.text and "\u202e" not in hostile.text


@pytest.mark.parametrize("harm", [False, True])
def test_ids_differ_and_everything_that_names_one_finds_it(
    document: dict[str, Any], harm: bool
) -> None:
    page = make_page(make_hostile(document) if harm else document)

    assert len(page.ids) == len(set(page.ids))
    named = [
        name
        for element in page.elements
        for name in element.attributes.get("aria-labelledby", "").split()
    ]
    used = re.findall(r"url\(#(.*?)\)", json.dumps([e.attributes for e in page.elements]))
    anchors = [e.attributes["href"].removeprefix("#") for e in page.all("a")]
    assert named and used and set(named) | set(used) | set(anchors) <= set(page.ids)


def test_the_same_triage_gives_the_same_bytes(document: dict[str, Any]) -> None:
    again = json.loads(json.dumps(document))

    assert format_triage_page(parse(document), 10) == format_triage_page(parse(again), 10)


def test_in_a_report_it_is_one_section_with_a_heading_for_each_part(
    document: dict[str, Any],
) -> None:
    section = build_triage_chapter(parse(document))

    page = Page.of(f"<main>{section.body}</main>")
    assert section.id == "triage" and not page.all("h2")
    assert [e.text for e in page.all("h3")] == headings(make_page(document))
    assert all(name.startswith("triage-") for name in page.ids)


def test_a_triage_that_could_measure_nothing_is_a_page(document: dict[str, Any]) -> None:
    document |= {"verdicts": [], "shortfall": [], "findings": [], "evidence": [], "pictures": {}}

    assert "Nothing could be tested" in make_page(document).text


def broken(document: dict[str, Any], *path: str | int, value: Any) -> dict[str, Any]:
    inner: Any = document["pictures"]
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("looks", "look"), [0.5], "pictures.looks has columns of different lengths"),
        (("looks", "look"), ["x"] * 60, r"pictures.looks.look\[0\] is 'x', not a finite number"),
        (("looks", "similarity"), [0.5] * 10_001, "10,001 items; at most 10,000"),
        (("substitutions", 0, "proven"), [[True]], r"proven is no table of 2 × 2"),
        (("substitutions", 0, "proven", 0, 1), 1, "is 1, not true or false"),
        (("slices", 0, "slices", 0, "support"), -1, "not a whole number from 0 up"),
        (("slices", 0, "slices"), [{}] * 101, "101 items; at most 100"),
        (("reliance", "before"), [0.5], "before has 1 numbers, not 2"),
        (("reliance", "costs", 0, 0, "interval"), [1.0], "has 1 ends, not 2"),
        (("reliance",), [], "pictures.reliance is a list, not an object"),
    ],
)
def test_a_damaged_picture_is_named(
    document: dict[str, Any], path: tuple[str | int, ...], value: Any, said: str
) -> None:
    with pytest.raises(InputError, match=said) as raised:
        format_triage_page(parse(broken(document, *path, value=value)), 10)

    assert raised.value.place is not None and Path("t.json") == Path(str(raised.value.place))


@pytest.mark.parametrize("value", [1e15, -1e15, 5e-324])
def test_numbers_of_any_size_are_drawn(document: dict[str, Any], value: float) -> None:
    """Those that a document may have: of similarities whatever is finite."""
    drawn = document["pictures"]
    drawn["looks"]["similarity"][3] = math.copysign(1e308, value)
    drawn["slices"][0]["slices"][0]["chance"] = value
    drawn["reliance"]["costs"][0][0] = {"value": value, "interval": [-value, value]}
    document["findings"][0] |= {"effect": value, "interval": [-value, value]}
    document["shortfall"][0]["parts"][0]["points"] = value

    page = make_page(document)

    assert "nan" not in " ".join(e.attributes.get("d", "") for e in page.all("path"))
