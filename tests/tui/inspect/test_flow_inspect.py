"""Ask, step, look closer: the home screen by keys alone, held against the engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.widgets import Input, Static

from engine.keywords.inspection import Inspection
from engine.metrics import find_profile
from engine.sessions import SessionStore
from engine.text.encoder import SentenceEncoder
from tests.conftest import CommandLine
from tests.tui.inspector import (
    CLIP,
    CYCLIST,
    PEDESTRIAN,
    Inspector,
    answer,
    inspect,
    sample,
    small_dataset,
)
from tui.inspect.metric_lines import format_metric_value
from tui.look.glyphs import UNICODE
from tui.widgets.lines_view import Paragraphs


def find_wrong_reasons(rows: list[list[str]], found: Inspection) -> list[str]:
    """The rows whose sign or whose lacking keywords are not those of the engine; a name may have
    lost letters at its end."""
    wrong = []
    for place, row in enumerate(rows):
        marks = [mark for group in found.result(place).groups for mark in group.marks]
        lacking = [keyword.name for keyword, has in marks if not has]
        sign = UNICODE.part if lacking else UNICODE.has
        sign = UNICODE.lacks if len(lacking) == len(marks) else sign
        said = [word.strip() for word in row[2].split("−")]
        if not lacking:
            right = row[2] == (sign if place < found.shown else f"{sign} missed")
        else:
            right = said[0] == sign.strip() and len(said) == 1 + len(lacking)
            right &= all(map(str.startswith, lacking, said[1:])) and all(map(len, said[1:]))
        wrong += [] if right else [f"{row[2]!r}: {lacking}"]
    return wrong


def strip_values(found: Inspection) -> list[str]:
    """Recall@1, @3 and @5 as the strip has to show them."""
    assert found.evaluation is not None
    values = found.evaluation.scores.values[0][:3].tolist()
    return [
        f"Recall@{k} {format_metric_value(value)}"
        for k, value in zip((1, 3, 5), values, strict=True)
    ]


def test_before_the_first_query_every_pane_says_what_to_press(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        assert "Nothing is asked yet." in see.screen_text
        assert "/  ask with a text" in see.screen_text
        assert "c  ask with a clip" in see.screen_text
        assert "groups that count: object type, actor behavior" in see.keywords
        assert "284 clips" in see.title
        assert "alfa-0.1 (1/2)" in see.title
        offered = see.footer
        assert {"Search", "Clip", "Groups", "Evaluate", "Help", "Quit"} <= offered.keys()
        without = {"Bias", "Note", "Play", "Next miss", "Missed", "Metrics", "Undo", "Keywords"}
        assert not without & offered.keys()
        await see.press("b", "plus", "a", "d", "M", "u", "w", "y")
        assert see.toasts == []
        assert not see.app.screen.is_modal
        assert see.store.summaries() == []  # an empty session is never kept

    inspect(flow, tmp_path, encoder)


@pytest.mark.slow
def test_a_text_query_shows_its_keywords_its_results_and_its_metrics_as_the_engine_has_them(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    expected = answer(encoder, CYCLIST)

    async def flow(see: Inspector) -> None:
        await see.ask(CYCLIST)
        assert see.focused == "results"
        assert see.home.query_one("#query-mode", Static).content == "Text"
        assert 'bicyclist "cyclist" synonym' in see.keywords
        assert 'entering ego path "entering ego lane"' in see.keywords
        assert "9 relevant of 284" in see.keywords
        rows = see.rows()
        places = range(expected.depth)
        assert [row[0] for row in rows] == [str(place + 1) for place in places]
        assert [row[1] for row in rows] == [f"{score:.3f}" for score in expected.similarities]
        assert find_wrong_reasons(rows, expected) == []
        assert [row[3] for row in rows] == [expected.clip(place) for place in places]
        assert "Results ── 5 of 5 hits, 284 ranked" in see.screen_text
        for value in strip_values(expected):
            assert value in see.metrics
        assert "= hits@K / K" in see.metrics
        assert "4 of 9 relevant below the top 5 (d): rank 6, 8, 14, 87" in see.metrics

    inspect(flow, tmp_path, encoder)


@pytest.mark.slow
def test_stepping_moves_the_detail_to_the_result_under_the_cursor(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    expected = answer(encoder, PEDESTRIAN)

    async def flow(see: Inspector) -> None:
        await see.answered(PEDESTRIAN)

        async def at(place: int) -> None:
            assert see.results.cursor == place
            await see.shows(expected.clip(place))

        await at(0)
        assert "Full match (2/2 keywords)" in see.detail
        assert "✅ pedestrian" in see.detail
        await see.press("j")
        await at(1)
        assert "Partial match (1/2 keywords)" in see.detail
        assert "❌ pedestrian" in see.detail
        assert "✅ straight crossing path" in see.detail
        assert "small vehicle" in see.detail  # what it has instead
        best, worst = expected.similarities[0], expected.similarities[-1]
        assert f"{expected.similarities[1]:.3f} " in see.detail
        assert f"worst {worst:.3f} · best {best:.3f}" in see.detail
        await see.press("k")
        await at(0)
        await see.press("G")
        await at(283)
        await see.press("g")
        await at(0)
        await see.press("ctrl+d")
        half = see.results.cursor
        assert 5 < half < 40
        await at(half)
        await see.press("ctrl+u")
        await at(0)
        misses = [place for place, has in enumerate(expected.matched.tolist()) if has < 2]
        await see.press("n", "n", "n")
        await at(misses[2])
        await see.press("N")
        await at(misses[1])
        assert see.session().view.clip == expected.clip(misses[1])  # type: ignore[union-attr]

    inspect(flow, tmp_path, encoder, query=("text", PEDESTRIAN))


def test_a_clip_query_judges_by_the_clips_own_keywords_and_leaves_the_clip_out(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    expected = answer(encoder, CLIP, "video")

    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        assert see.home.query_one("#query-mode", Static).content == "Clip"
        assert "bicyclist" in see.keywords
        assert "stationary" in see.keywords
        assert "6 relevant of 283" in see.keywords
        rows = see.rows()
        assert [row[3] for row in rows] == [expected.clip(place) for place in range(283)]
        assert CLIP not in [row[3] for row in rows]
        assert find_wrong_reasons(rows, expected) == []
        for value in strip_values(expected):
            assert value in see.metrics

    inspect(flow, tmp_path, encoder)


def test_tab_completes_a_clip_id_and_a_word_of_the_vocabulary(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    first = min(name for name in sample().truth.ids if name.startswith("urban_bic"))

    async def flow(see: Inspector) -> None:
        await see.press("c", *"urban_bic")
        await see.pilot.pause()
        assert first in see.screen_text  # shown before it is taken
        await see.press("tab")
        assert see.field == first
        await see.press("enter")
        await see.answered(first)
        await see.press("slash", *"bollard ent")
        await see.pilot.pause()
        await see.press("tab")
        assert see.field == "bollard entering ego path"

    inspect(flow, tmp_path, encoder)


@pytest.mark.slow
def test_up_and_down_walk_through_the_history_and_keep_what_was_typed(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.ask("bollard")
        await see.ask("motorcyclist")
        await see.press("slash")
        await see.type("bus")
        await see.press("up")
        assert see.field == "motorcyclist"
        await see.press("up")
        assert see.field == "bollard"
        await see.press("up")
        assert see.field == "bollard"
        await see.press("down", "down")
        assert see.field == "bus"
        await see.press("up", "up", "enter")
        await see.answered("bollard")
        assert see.session().history("text") == ("motorcyclist", "bollard")
        await see.press("left_square_bracket")
        await see.answered("motorcyclist")
        assert "motorcyclist" in see.keywords

    inspect(flow, tmp_path, encoder)


def test_ctrl_t_changes_between_a_text_and_a_clip_in_the_field(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.press("slash", "ctrl+t")
        assert see.home.query_one("#query-mode", Static).content == "Clip"
        await see.type(CLIP)
        await see.press("enter")
        await see.answered(CLIP)
        assert see.inspection is not None
        assert see.inspection.mode == "video"

    inspect(flow, tmp_path, encoder)


def test_the_missed_relevant_clips_are_listed_with_their_ranks_and_escape_leads_back(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    expected = answer(encoder, CLIP, "video")
    ranks = (expected.missed(5) + 1).tolist()

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("d")
        below = see.rows()[5:]
        assert [row[0] for row in see.rows()[:5]] == ["1", "2", "3", "4", "5"]
        assert [row[0] for row in below] == [str(rank) for rank in ranks]
        assert {row[2] for row in below} == {"✅ missed"}
        assert "Results ── 0 of 5 hits, 6 missed" in see.screen_text
        assert "── K = 5 · 6 missed below ──" in see.screen_text
        await see.press("g", *("j" for _ in range(6)))
        await see.shows(expected.clip(ranks[1] - 1))
        assert see.session().view.view == "missed"  # type: ignore[union-attr]
        await see.press("escape")
        assert len(see.rows()) == 283
        assert see.results.clip == expected.clip(ranks[1] - 1)  # the cursor stays on its clip

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_where_nothing_was_missed_the_list_says_so(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered("urban_bicyclist_0026")
        assert "The one relevant clip is in the top 5." in see.metrics
        await see.press("d")
        assert len(see.rows()) == 5
        assert "── K = 5 · nothing missed ──" in see.screen_text
        await see.press("d")
        assert len(see.rows()) == 283

    inspect(flow, tmp_path, encoder, query=("video", "urban_bicyclist_0026"))


def test_all_metrics_are_shown_with_their_formulas_and_the_engines_values(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    found = answer(encoder, "urban_pedestrian_0004", "video", "alfa-0.2")
    assert found.evaluation is not None
    scores = found.evaluation.scores

    async def flow(see: Inspector) -> None:
        await see.answered("urban_pedestrian_0004")
        await see.press("M")
        assert "Metrics of this query" in see.screen_text
        lines = str(see.app.screen.query_one(Paragraphs).render()).splitlines()
        for measure, value in zip(scores.measures, scores.values[0].tolist(), strict=True):
            label = find_profile("alfa").label(measure)
            (line,) = (line for line in lines if line.split()[:1] == [label])
            assert format_metric_value(value) in line.split()
            assert measure.formula in line
        assert any("Recall@5" in line and "1.000" in line for line in lines)
        await see.press("escape")
        assert not see.app.screen.is_modal

    inspect(flow, tmp_path, encoder, query=("video", "urban_pedestrian_0004"), model="alfa-0.2")


@pytest.mark.slow
def test_more_like_this_searches_with_the_clip_under_the_cursor(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CYCLIST)
        await see.press("j")
        clip = see.results.clip
        assert clip is not None
        await see.press("v")
        await see.answered(clip)
        expected = answer(encoder, clip, "video")
        assert [row[3] for row in see.rows()[:5]] == [expected.clip(n) for n in range(5)]
        assert see.field == clip
        # Both queries are in the session; each mode has its own history.
        assert see.session().history("text") == (CYCLIST,)
        assert see.session().history("video") == (clip,)

    inspect(flow, tmp_path, encoder, query=("text", CYCLIST))


@pytest.mark.slow
def test_w_writes_what_the_search_command_prints(
    tmp_path: Path,
    encoder: SentenceEncoder,
    tui_eval: CommandLine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("w")
        await see.says("Wrote ")
        await see.press("w")  # never over a file that is there

    inspect(flow, tmp_path, encoder, query=("video", CLIP))

    # The screen knows the ranks in the other model as well.
    printed = tui_eval("search", "--video", CLIP, "--against", "alfa-0.2", "--json")
    assert printed.returncode == 0, printed.stderr
    wanted = json.loads(printed.stdout)
    written = json.loads((tmp_path / f"search-{CLIP}-alfa-0.1.json").read_text())
    assert written.keys() == wanted.keys()
    assert written["results"][0]["rank_in"] == {"alfa-0.2": 9}
    for name in wanted.keys() - {"metrics"}:
        assert written[name] == wanted[name], name
    # The screen computes more metrics; those of the command are among them, with equal values.
    for row in wanted["metrics"]:
        assert row in written["metrics"]
    assert (tmp_path / f"search-{CLIP}-alfa-0.1-2.json").exists()


def test_y_copies_the_clip_and_the_path_of_its_media(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)
        await see.press("y")
        clip, path = see.app.clipboard.split("\t")
        assert clip == see.rows()[0][3]
        assert Path(path).is_file()
        assert Path(path).stem == clip
        assert any("Copied" in toast for toast in see.toasts)

    inspect(flow, tmp_path, encoder, query=("video", CLIP))


def test_every_answer_is_saved_with_its_results_and_metrics(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    expected = answer(encoder, CLIP, "video")
    assert expected.evaluation is not None

    async def flow(see: Inspector) -> None:
        await see.answered(CLIP)

    inspect(flow, tmp_path, encoder, query=("video", CLIP))

    session = SessionStore(tmp_path / "sessions.db").latest()
    assert session is not None
    (saved,) = session.answers()
    assert saved.question == expected.question
    assert saved.clips == tuple(expected.clip(place) for place in range(100))
    assert saved.relevant == 6
    by_id = {metric.id: metric.published for metric in saved.metrics}
    for measure, value in zip(
        expected.evaluation.scores.measures, expected.evaluation.scores.values[0], strict=True
    ):
        assert by_id[str(measure)] == pytest.approx(value)


def test_a_query_that_arrives_in_one_burst_with_its_slash_is_typed(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    """Over a slow line "/" and what follows come together: no letter may act on the list."""

    async def flow(see: Inspector) -> None:
        await see.ask_clip(CLIP)
        await see.type(f"/{CYCLIST}")
        await see.press("enter")
        await see.answered(CYCLIST)

        assert not see.session().all_judgements()

    inspect(flow, tmp_path, encoder)


def test_a_query_longer_than_its_field_is_shown_from_its_beginning(
    tmp_path: Path, encoder: SentenceEncoder
) -> None:
    query = "a truck and then another truck and one more truck behind the first and second truck"

    async def flow(see: Inspector) -> None:
        await see.ask(query)
        assert "Text a truck and then" in see.screen_text
        await see.press("slash")
        await see.type("car")  # what stood there is selected, as before
        await see.until(lambda: see.app.screen.query_one("#query-field", Input).value == "car")

    inspect(flow, tmp_path, encoder, size=(80, 24))


@pytest.mark.parametrize("width", [100, 120, 125])
def test_short_ids_of_ones_own_clips_are_whole_beside_long_keywords(
    tmp_path: Path, encoder: SentenceEncoder, width: int
) -> None:
    kinds = ["pedestrian,straight crossing path", "large vehicle,traveling in same direction"]
    clips = "\n".join(f"clip_{row:03},,,{kinds[row % 2]}" for row in range(30))
    dataset = small_dataset(tmp_path / "own", clips, groups='["object_type", "scene_type"]')

    async def flow(see: Inspector) -> None:
        await see.ask_clip("clip_007")
        header, first, *_ = (see.results.render_line(line).text for line in range(5))
        assert header.split() == ["#", "sim", "lacks", "clip"]
        assert see.results.clip and see.results.clip in first

    inspect(flow, tmp_path, encoder, dataset=dataset, size=(width, 40))
