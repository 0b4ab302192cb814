"""An exported session: it comes back as it went, and hostile ones are refused."""

from __future__ import annotations

import copy
import json
import math
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError, Place
from engine.keywords.judgement import REASONS, Judgement, JudgementContext, Mark, Target
from engine.keywords.question import Question
from engine.report.session.document import build_session_document
from engine.sessions import (
    Answer,
    MetricValue,
    NoteDraft,
    QueryDraft,
    Session,
    SessionStore,
    SessionView,
    TableRow,
    TableSort,
    TableView,
)
from engine.sessions.records import RESULT_LISTS
from tests.engine.sessions.sessions_by_hand import CLIP, CYCLIST, HUB, answer, target, ticking
from tests.examples import examples

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
numbers = st.floats(allow_nan=False, allow_infinity=False)
some = st.lists(texts, max_size=3).map(tuple)
modes = st.sampled_from(["text", "video"])
questions = st.builds(Question, modes, texts, texts, some, some, st.none() | some)
counts = st.integers(0, 10**9)
sorts = st.builds(TableSort, texts, st.sampled_from(["ascending", "descending"]))
tables = st.builds(
    TableView,
    st.sampled_from(["evaluate", "compare"]),
    modes,
    st.lists(modes, max_size=2).map(tuple),
    texts,
    st.none() | sorts,
    st.none() | st.builds(TableRow, texts, counts),
    st.none() | some,
)
targets = st.builds(Target, modes, texts, texts)
views = st.builds(
    SessionView,
    st.none() | questions,
    st.none() | texts,
    st.sampled_from(RESULT_LISTS),
    st.none() | tables,
    st.none() | st.builds(NoteDraft, targets, texts),
    st.none() | st.builds(QueryDraft, modes, texts),
)
metrics = st.builds(MetricValue, texts, texts, texts, st.none() | numbers, st.none() | numbers)


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    ranking = draw(st.dictionaries(texts, numbers, max_size=4))
    return Answer(
        question=draw(questions),
        keywords=draw(some),
        clips=tuple(ranking),
        scores=tuple(ranking.values()),
        relevant=draw(counts),
        collection=draw(counts),
        metrics=tuple(draw(st.lists(metrics, max_size=2))),
    )


@st.composite
def judgements(draw: st.DrawFn) -> Judgement:
    mark = draw(st.none() | st.sampled_from(get_args(Mark)))
    reason = draw(st.none() | st.sampled_from(REASONS)) if mark == "bias" else None
    seen = st.builds(JudgementContext, texts, some, some, counts, numbers, st.none() | some)
    return Judgement(mark, reason, draw(texts), draw(st.none() | seen))


@examples(60)
@given(
    st.none() | views,
    st.lists(answers(), max_size=4),
    st.lists(st.tuples(targets, judgements()), max_size=4),
)
def test_importing_an_export_and_exporting_it_again_gives_the_same(
    view: SessionView | None, asked: list[Answer], judged: list[tuple[Target, Judgement]]
) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        SessionStore(Path(folder) / "one.db", ticking()) as store,
        SessionStore(Path(folder) / "two.db") as other,
    ):
        session = store.create("sample", "sample", "a name")
        for given_answer in asked:
            session.record(given_answer)
        for about, judgement in judged:
            session.judge(about, judgement)
        if view is not None:
            session.remember(view)

        document = build_session_document(session)
        made = other.import_document(json.loads(json.dumps(document)), Place("s.json"))

        again = build_session_document(made)
        assert {**again, "updated": None} == {**document, "updated": None}
        assert made.answers() == session.answers()
        assert made.all_judgements() == session.all_judgements()
        assert [made.history(mode) for mode in ("text", "video")] == [
            session.history(mode) for mode in ("text", "video")
        ]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SessionStore]:
    with SessionStore(tmp_path / "sessions.db", ticking()) as opened:
        yield opened


@pytest.fixture
def session(store: SessionStore) -> Session:
    session = store.create("sample", "sample")
    session.record(answer(CYCLIST))
    session.record(answer(CLIP))
    session.judge(target("b"), HUB)
    session.remember(SessionView(CYCLIST, "b"))
    return session


def test_the_document_holds_all_that_was_saved(session: Session) -> None:
    document = build_session_document(session)

    assert document["schema"] == "tui-eval/session@2"
    assert document["dataset"] == {"name": "sample", "source": "sample"}
    assert document["view"]["question"]["query"] == "a cyclist"
    assert [row["question"]["mode"] for row in document["answers"]] == ["text", "video"]
    assert document["answers"][0]["clips"] == ["a", "b", "c"]
    (judged,) = document["judgements"]
    assert (judged["clip"], judged["mark"], judged["reason"]) == ("b", "bias", "hub")
    assert judged["seen"] == {
        "model": "alfa",
        "groups": ["object_type"],
        "keywords": ["object_type:bicyclist"],
        "rank": 2,
        "score": 0.75,
        "lacking": ["object_type:bicyclist"],
    }


@pytest.mark.parametrize("screen", ["inspect", "evaluate", "a screen of another version", 7])
def test_a_view_that_names_its_screen_as_it_once_did_is_read(
    store: SessionStore, session: Session, screen: object
) -> None:
    document = build_session_document(session)
    assert "screen" not in document["view"]
    document["view"]["screen"] = screen
    with store._database.writing() as connection:
        old = json.dumps(document["view"])
        connection.execute("UPDATE sessions SET view = ? WHERE id = ?", (old, session.id))

    made = store.import_document(document, Place("s.json"))

    assert made.view == session.view == SessionView(CYCLIST, "b")


def test_a_table_of_before_its_order_was_saved_is_read(
    store: SessionStore, session: Session
) -> None:
    document = build_session_document(session)
    table = {"screen": "evaluate", "mode": "text", "run": ["text"], "filter": "kw:car"}
    document["view"]["table"] = table

    made = store.import_document(document, Place("s.json"))

    left = TableView("evaluate", "text", ("text",), "kw:car")
    assert made.view == SessionView(CYCLIST, "b", table=left)
    assert build_session_document(made)["view"]["table"] == table


LEFT = {
    "table": {
        "screen": "evaluate",
        "mode": "text",
        "run": ["text"],
        "filter": "",
        "sort": {"column": "query", "direction": "ascending"},
        "row": {"query": "a car", "place": 3},
    },
    "note_draft": {"target": {"mode": "text", "query": "a", "clip": "b"}, "text": "half"},
    "query_draft": {"mode": "text", "text": "half"},
}


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("table.sort", "query", r"view\.table\.sort is 'query', not an object"),
        ("table.sort.column", None, r"view\.table\.sort\.column is null, not a text"),
        ("table.sort.direction", "up", "direction is 'up', not one of ascending, descending"),
        ("table.row.place", -1, r"view\.table\.row\.place is -1, not a whole number"),
        ("table.row.query", 7, r"view\.table\.row\.query is 7, not a text"),
        ("table.models", "both", r"view\.table\.models is 'both', not a list"),
        ("note_draft", [], r"view\.note_draft is a list, not an object"),
        ("note_draft.text", "x" * 100_001, r"note_draft\.text has 100,001 characters"),
        ("note_draft.target", None, r"view\.note_draft\.target is null"),
        ("query_draft.mode", "smell", r"view\.query_draft\.mode is 'smell', not one of"),
        ("query_draft.text", "\ud800", r"query_draft\.text is not valid Unicode"),
    ],
)
def test_an_order_or_a_draft_that_is_wrong_is_refused_by_its_path(
    store: SessionStore, session: Session, path: str, value: Any, words: str
) -> None:
    document = build_session_document(session)
    document["view"] |= copy.deepcopy(LEFT)
    store.import_document(document, Place("good.json"))

    with pytest.raises(InputError, match=words):
        bad = changed(document, ["view", *path.split(".")], value)
        store.import_document(bad, Place("bad.json"))


def test_a_judgement_of_before_the_lacking_keywords_were_saved_is_read(
    store: SessionStore, session: Session
) -> None:
    document = build_session_document(session)
    del document["judgements"][0]["seen"]["lacking"]

    made = store.import_document(document, Place("s.json"))

    ((_, said, _),) = made.all_judgements()
    assert said.seen is not None and said.seen.lacking is None


def test_an_imported_session_is_a_new_one_and_undoes_nothing(
    store: SessionStore, session: Session
) -> None:
    made = store.import_document(build_session_document(session), Place("s.json"))

    assert made.id != session.id and made.name == session.name
    assert not made.can_undo
    latest = store.latest()
    assert latest is not None and latest.id == made.id


GONE = object()


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("schema", GONE, "not an exported session"),
        ("schema", "tui-eval/run@1", '"tui-eval/run@1", not an exported session'),
        ("schema", "tui-eval/session@3", "this version reads tui-eval/session@2 and earlier"),
        ("schema", 1, "schema is 1, not a text"),
        ("name", " ", "name is empty"),
        ("name", "x" * 201, "name .* 201 characters"),
        ("name", "\ud800", "name is not valid Unicode"),
        ("dataset", [], "dataset is a list, not an object"),
        ("dataset.source", GONE, 'dataset has no "source"'),
        ("created", "yesterday", "created is 'yesterday', not a time"),
        ("created", "2026-01-01T00:00:00", "not a time with its offset"),
        ("created", "0001-01-01T00:00:00+23:00", "not a time"),
        ("view.view", "kitchen", "view.view is 'kitchen', not one of ranking"),
        ("view.question.mode", "smell", r"view\.question\.mode is 'smell', not one of text, video"),
        ("view.clip", 7, r"view\.clip is 7, not a text"),
        ("answers", {}, "answers is an object, not a list"),
        ("answers.1", "x", r"answers\[1\] is 'x', not an object"),
        ("answers.0.question.groups", "all", r"groups is 'all', not a list"),
        ("answers.0.question.groups.0", None, r"answers\[0\]\.question\.groups\[0\] is null"),
        ("answers.0.question.query", "x" * 300_000, r"query has 300,000 characters"),
        ("answers.0.scores.0", "0.9", r"answers\[0\]\.scores\[0\] is '0.9', not a finite number"),
        ("answers.0.scores.0", math.nan, r"scores\[0\] is nan, not a finite number"),
        ("answers.0.scores.0", True, r"scores\[0\] is True, not a finite number"),
        ("answers.0.scores.0", 10**400, r"scores\[0\] is a huge number, not a finite number"),
        ("answers.0.scores", [1.0], "scores has 1 items for 3 clips"),
        ("answers.0.clips.0", "b", r"answers\[0\]\.clips names a clip twice"),
        ("answers.0.relevant", -1, "relevant is -1, not a whole number"),
        ("answers.0.relevant", 2.0, "relevant is 2.0, not a whole number"),
        ("answers.0.collection", 10**300, "collection is a huge number"),
        ("answers.0.used", 0, "used is 0, not a whole number from 1 up"),
        ("answers.0.metrics.0.published", "high", r"metrics\[0\]\.published is 'high'"),
        ("judgements.0.mark", "good", r"judgements\[0\]\.mark is 'good', not one of bias"),
        ("judgements.0.mark", "relevant", r"reason is given, but the mark is not"),
        ("judgements.0.note", "x" * 200_000, r"note has 200,000 characters"),
        ("judgements.0.seen.rank", "2", r"seen\.rank is '2'"),
        ("judgements.0.seen.lacking", "all", r"seen\.lacking is 'all', not a list"),
        ("judgements.0.time", 5, r"judgements\[0\]\.time is 5, not a text"),
    ],
)
def test_a_document_that_is_wrong_is_refused_by_its_path(
    store: SessionStore, session: Session, path: str, value: Any, words: str
) -> None:
    document = changed(build_session_document(session), path.split("."), value)

    with pytest.raises(InputError, match=words) as caught:
        store.import_document(document, Place("bad.json"))

    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300
    assert len(store.summaries()) == 1


@pytest.mark.parametrize("document", [None, 7, "text", [], [[]], {}])
def test_anything_else_is_not_a_session(store: SessionStore, document: Any) -> None:
    with pytest.raises(InputError, match=r"bad\.json: "):
        store.import_document(document, Place("bad.json"))

    assert store.summaries() == []


@pytest.mark.parametrize("part", ["answers", "judgements"])
def test_the_same_twice_is_refused(store: SessionStore, session: Session, part: str) -> None:
    document = build_session_document(session)
    document[part].append(document[part][0])

    with pytest.raises(InputError, match=rf"{part} has the same at \[0\]"):
        store.import_document(document, Place("bad.json"))


def changed(document: Any, path: list[str], value: Any) -> Any:
    document = copy.deepcopy(document)
    inner = document
    for name in path[:-1]:
        inner = inner[int(name) if name.isdecimal() else name]
    last = int(path[-1]) if path[-1].isdecimal() else path[-1]
    if value is GONE:
        del inner[last]
    else:
        inner[last] = value
    return document
