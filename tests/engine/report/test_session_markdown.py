"""A session to paste into a ticket: short, in the order of interest, and harmless."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.keywords.judgement import Judgement
from engine.keywords.question import Question
from engine.report.session.markdown import describe_settings, format_session_markdown
from engine.report.tables.report_table import escape_markdown
from engine.sessions import MetricValue, Session, SessionStore
from tests.engine.sessions.sessions_by_hand import (
    CLIP,
    CYCLIST,
    HOSTILE,
    HUB,
    VARIANTS,
    answer,
    target,
    ticking,
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SessionStore]:
    with SessionStore(tmp_path / "sessions.db", ticking()) as opened:
        yield opened


@pytest.fixture
def session(store: SessionStore) -> Session:
    session = store.create("sample", "sample", "night drive")
    session.record(answer(CYCLIST))
    session.record(answer(CLIP))
    session.judge(target("b"), HUB)
    return session


def metric(k: int, published: float | None, adjudicated: float | None) -> MetricValue:
    return MetricValue(f"P@{k}", f"Recall@{k}", f"hits@{k} / {k}", published, adjudicated)


def test_it_begins_with_a_table_of_the_queries_and_their_numbers(session: Session) -> None:
    numbers = (
        metric(1, 1.0, 1.0),
        metric(3, 1 / 3, 2 / 3),
        metric(5, 0.2, None),
        MetricValue("AP", "MAP", "…", 0.5, 0.5),
    )
    session.record(answer(CYCLIST, metrics=numbers))

    text = format_session_markdown(session)

    assert text.startswith("# Session: night drive\n\n- Dataset: sample\n- Models: alfa\n")
    head = "| Query | Settings | Keywords | Relevant | Recall@1 | Recall@3 | Recall@5 | Marks |"
    row = "| a cyclist | – | object\\_type:bicyclist | 2 of 10 | 1 | 0.3333 → 0.6667 | 0.2 → ? |"
    row += " 1 bias case, 1 note |"
    assert text.index("## Queries (2)") < text.index(head) < text.index(row)
    row = "| clip clip\\_1 | without object\\_type:car; keywords edited: none |"
    row += " object\\_type:bicyclist | 2 of 10 | – | – | 0.4 → 0.6 | – |"
    assert row in text
    assert "Recall@3 = hits@3 / 3; Recall@5 = hits@5 / 5. published → adjudicated" in text
    assert "MAP" not in text


def test_a_query_that_was_answered_several_times_has_its_marks_once(session: Session) -> None:
    session.record(answer(replace(CYCLIST, keywords=())))
    session.judge(target("a"), HUB)

    text = format_session_markdown(session)

    assert [line.split(" | ")[-1] for line in text.splitlines() if " of 10 | " in line] == [
        "below |",
        "– |",
        "2 bias cases, 2 notes |",
    ]
    assert "- Marks: 2 bias cases, 2 notes" in text  # two clips, however often they were found


def test_then_come_the_bias_cases_by_reason_with_what_each_lacks(session: Session) -> None:
    session.judge(target("a"), Judgement("bias", "look-alike", "two wheels", HUB.seen))
    session.judge(target("c"), Judgement("not relevant"))
    session.judge(target("d"), Judgement(note="who knows"))
    assert HUB.seen is not None
    session.judge(target("e"), Judgement("relevant", seen=replace(HUB.seen, lacking=())))

    text = format_session_markdown(session)

    found = [text.index(part) for part in ("## Queries", "## Bias cases (2)", "## Adjudicated")]
    assert found == sorted(found)
    assert text.index("### Look-alike (1)") < text.index("### Hub (1)")
    assert "| Query | Clip | Rank | Score | Lacks | Model | Note |" in text
    assert "| a cyclist | b | 2 | 0.7500 | object\\_type:bicyclist | alfa | near to" in text
    assert "| not relevant | a cyclist | c | – |" in text
    assert "| relevant after all | a cyclist | e | 2 | 0.7500 | nothing | alfa | – |" in text
    assert "| – | a cyclist | d | – | – | – | – | who knows |" in text
    assert "- Marks: 2 bias cases, 1 relevant after all, 1 not relevant, 3 notes" in text


def test_a_column_tells_the_models_apart_if_there_are_several(session: Session) -> None:
    session.record(answer(replace(CYCLIST, model="beta")))

    text = format_session_markdown(session)

    assert "- Models: alfa, beta" in text
    assert "| Query | Model | Settings |" in text and "| a cyclist | beta | " in text


def test_the_same_query_with_other_settings_is_told_apart(store: SessionStore) -> None:
    session = store.create("sample", "sample")
    for question in VARIANTS:
        session.record(answer(question))

    rows = [
        line for line in format_session_markdown(session).splitlines() if "| a cyclist |" in line
    ]

    assert len(set(rows)) == len(VARIANTS)
    assert "| groups: object\\_type; similarity ≥ 0.25 |" in rows[-1]


def test_questions_with_nothing_set_have_no_column_of_settings(store: SessionStore) -> None:
    session = store.create("sample", "sample")
    session.record(answer(CYCLIST))
    session.record(answer(replace(CYCLIST, query="a car")))

    assert "| Query | Keywords | Relevant |" in format_session_markdown(session)


def test_long_lists_of_left_out_keywords_are_cut_after_what_tells_them_apart() -> None:
    many = tuple(f"g:{number:02}" for number in range(20))
    one, other = (replace(CYCLIST, left_out=(*many, name)) for name in ("g:y", "g:z"))

    assert describe_settings([one, other]) == [
        "without g:y, g:00, g:01, g:02, g:03 and 16 more",
        "without g:z, g:00, g:01, g:02, g:03 and 16 more",
    ]


def test_it_is_as_long_as_what_was_found_not_as_what_was_ranked(store: SessionStore) -> None:
    session = store.create("sample", "sample")
    numbers = tuple(metric(k, 0.5, 0.5) for k in (1, 3, 5, 10, 20))
    for number in range(10):
        question = Question("text", f"query {number}", "alfa", ("object_type",))
        clips = " ".join(f"clip{place}" for place in range(100))
        session.record(answer(question, clips, metrics=numbers))
        session.judge(target("clip0", question.query), HUB)

    text = format_session_markdown(session)

    assert len(text.splitlines()) < 45
    assert "clip1" not in text and text.count("clip0") == 10


def test_other_metrics_are_shown_where_there_is_no_recall(store: SessionStore) -> None:
    session = store.create("sample", "sample")
    session.record(answer(metrics=(MetricValue("RR", "MRR", "1 / rank", 0.25, 0.25),)))

    assert "| Relevant | MRR | Marks |" in format_session_markdown(session)


def test_a_number_that_only_the_marks_define_is_shown(store: SessionStore) -> None:
    session = store.create("sample", "sample")
    session.record(answer(relevant=0, metrics=(metric(1, None, None), metric(5, None, 0.2))))

    assert "| 0 of 10 | – | – → 0.2 | – |" in format_session_markdown(session)


def test_an_empty_session_says_so(store: SessionStore) -> None:
    text = format_session_markdown(store.create("sample", "sample"))

    assert "None was marked." in text and "None was asked." in text


def test_no_text_of_a_user_is_markup(store: SessionStore) -> None:
    session = store.create(HOSTILE, HOSTILE, f"# {HOSTILE}")
    hostile = MetricValue("P@5", HOSTILE, HOSTILE, 0.5, 0.25)
    question = replace(CYCLIST, query=HOSTILE, model=HOSTILE, groups=(HOSTILE,))
    question = replace(question, left_out=(HOSTILE,), keywords=(HOSTILE,))
    session.record(answer(question, keywords=(HOSTILE,), metrics=(hostile,)))
    session.record(answer(replace(CLIP, query=HOSTILE)))
    assert HUB.seen is not None
    seen = replace(HUB.seen, model=HOSTILE, lacking=(HOSTILE,))
    session.judge(target(HOSTILE, HOSTILE), replace(HUB, note=HOSTILE, seen=seen))
    session.judge(target("a", HOSTILE), Judgement("relevant", note=HOSTILE))

    text = format_session_markdown(session)

    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert not re.search(r"(?<!\\)<(?!br>)", text)
    for block in text.split("\n\n"):
        lines = [line for line in block.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) <= 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**a**", r"\*\*a\*\*"),
        ("[x](http://e.vil)", r"\[x\](http:\//e.vil)"),
        ("www.e.vil me@e.vil @me Recall@5", r"www\.e.vil me\@e.vil \@me Recall@5"),
        ("&lt;", r"\&lt;"),
        ("back\\slash", r"back\\slash"),
        ("a\r\nb", "a<br>b"),
        ("👩‍🚀 é 日本", r"👩\\u200d🚀 é 日本"),
    ],
)
def test_markup_links_and_controls_are_escaped(text: str, shown: str) -> None:
    assert escape_markdown(text) == shown
