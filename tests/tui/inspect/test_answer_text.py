"""What the Inspect screen says about an answer: in the detail, the strip, the keywords, titles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.base.keyword import Keyword
from engine.dataset.ground_truth import GroundTruth
from engine.keywords.clip_ranks import ClipRanks
from engine.keywords.inspection import Inspection
from engine.keywords.judgement import REASONS, Judgement, Mark, Reason
from engine.keywords.question import Question
from engine.metrics import SYMBOLS, Measure
from engine.metrics.policies import Policies
from engine.text.mapping.mapper import KeywordMapping, MappedKeyword
from tests.engine.keywords.workbench_by_hand import ALFA, asked_of
from tui.inspect.detail_lines import describe_judgement, describe_result
from tui.inspect.keyword_bar import list_chips
from tui.inspect.metric_lines import (
    describe_metrics,
    describe_missed,
    format_metric_value,
    list_answer_metrics,
)
from tui.inspect.result_rows import ResultRows
from tui.inspect.shown_answer import ShownAnswer
from tui.look.glyphs import ASCII, UNICODE, Glyphs
from tui.widgets.lines_view import NO_BREAK, Line
from tui.work.questions import score_answer

TWO_GROUPS = {
    "object_type": [["bicyclist"], ["bicyclist"], ["bicyclist"], ["bollard"], ["bollard"]],
    "scene_type": [["urban"], ["urban", "rainy"], ["highway"], ["urban"], []],
}
"""A query of two keywords; its results have both, the object, the scene, and none."""

HOSTILE = "[bold red]x[/] \x1b[31m\x07 \u202egpj.exe {0} $hit"
HARMLESS = "[bold red]x[/] \\x1b[31m\\x07 \\u202egpj.exe {0} $hit"


def plain(line: Line) -> str:
    return "".join(text for text, _ in line.spans)


def kinds(line: Line) -> set[str]:
    return {kind for _, kind in line.spans}


def shown(
    inspection: Inspection, judgements: dict[str, Judgement] | None = None, **others: Any
) -> ShownAnswer:
    return ShownAnswer(score_answer(inspection, judgements or {}, ALFA), **others)


def detail(
    inspection: Inspection,
    place: int,
    *,
    judgements: dict[str, Judgement] | None = None,
    standing: ClipRanks | None = None,
    glyphs: Glyphs = UNICODE,
) -> list[Line]:
    return describe_result(shown(inspection, judgements, standing=standing), place, glyphs)


def line_that_begins(lines: list[Line], start: str) -> Line:
    (found,) = [line for line in lines if plain(line).startswith(start)]
    return found


def strip(
    inspection: Inspection, judgements: dict[str, Judgement] | None = None, width: int = 200
) -> list[Line]:
    pairs = shown(inspection, judgements).answer.pairs
    return describe_metrics(inspection, pairs, ALFA, 5, UNICODE, width)


# The detail of a result


@pytest.mark.parametrize(
    ("place", "verdict", "kind"),
    [
        (0, "✅ Full match (2/2 keywords)", "hit"),
        (1, "◐  Partial match (1/2 keywords)", "part"),
        (2, "◐  Partial match (1/2 keywords)", "part"),
        (3, "❌ No match (0/2 keywords)", "miss"),
    ],
)
def test_the_verdict_is_a_sign_a_word_and_a_colour(place: int, verdict: str, kind: str) -> None:
    line = detail(asked_of(TWO_GROUPS), place)[1]

    assert plain(line) == verdict
    assert kinds(line) == {kind}


@pytest.mark.parametrize("rule", ["any", "graded"])
def test_a_partial_match_that_is_relevant_is_marked_as_the_hit_that_it_is(rule: Any) -> None:
    found = asked_of(TWO_GROUPS, policies=Policies(relevance=rule))

    said = [detail(found, place)[1] for place in range(4)]

    assert [plain(line) for line in said] == [
        "✅ Full match (2/2 keywords)",
        "✅ Partial match (1/2 keywords): relevant",
        "✅ Partial match (1/2 keywords): relevant",
        "❌ No match (0/2 keywords)",
    ]
    assert [kinds(line) for line in said] == [{"hit"}, {"hit"}, {"hit"}, {"miss"}]


def test_the_verdict_in_ascii() -> None:
    found = asked_of(TWO_GROUPS)

    assert [plain(detail(found, place, glyphs=ASCII)[1])[:3] for place in (0, 1, 3)] == [
        "+  ",
        "~  ",
        "-  ",
    ]


def test_a_result_below_the_least_similarity_says_that_it_was_not_retrieved() -> None:
    found = asked_of(TWO_GROUPS, policies=Policies(min_similarity=0.95))

    assert plain(detail(found, 0)[1]) == (
        "✅ Full match (2/2 keywords), below the least similarity: not retrieved"
    )


def test_a_result_of_a_query_without_keyword_is_not_judged() -> None:
    line = detail(asked_of({"g": [[], ["x"]]}), 0)[1]

    assert plain(line) == "·  Not judged (the query has no keyword)"
    assert kinds(line) == {"dim"}


def test_the_rank_and_the_clip_come_first() -> None:
    assert plain(detail(asked_of(TWO_GROUPS), 2)[0]) == "#3 c3"


def test_every_keyword_of_the_query_has_its_sign_in_its_group() -> None:
    lines = detail(asked_of(TWO_GROUPS), 1)

    has, lacks = line_that_begins(lines, "object type"), line_that_begins(lines, "scene type")
    assert plain(has).replace(NO_BREAK, " ").endswith("  ✅ bicyclist")
    assert plain(lacks).replace(NO_BREAK, " ").endswith("  ❌ urban")
    assert kinds(has) == {"dim", "hit"}
    assert kinds(lacks) == {"dim", "miss"}


def test_the_other_keywords_of_the_result_are_named() -> None:
    found = asked_of(TWO_GROUPS)

    assert plain(line_that_begins(detail(found, 0), "also")).split() == ["also", "rainy"]
    assert not [line for line in detail(found, 2) if plain(line).startswith("also b")]


def test_columns_stand_below_each_other() -> None:
    lines = detail(asked_of(TWO_GROUPS), 0)

    starts = {len(line.spans[0][0]) for line in lines[2:] if len(line.spans) > 1}
    assert len(starts) == 1


@pytest.mark.parametrize(("place", "filled"), [(0, 12), (1, 9), (2, 6), (3, 3), (4, 0)])
def test_a_similarity_stands_between_the_best_and_the_worst(place: int, filled: int) -> None:
    """Similarities 0.9, 0.7, 0.5, 0.3, 0.1."""
    lines = detail(asked_of({"g": [["x"]] * 6}), place)

    number = [plain(line).startswith("similarity") for line in lines].index(True)
    value = 0.9 - 0.2 * place
    assert plain(lines[number]).split() == [
        "similarity",
        f"{value:.3f}",
        "█" * filled + "░" * (12 - filled),
    ]
    assert plain(lines[number + 1]).strip() == "worst 0.100 · best 0.900"


def test_a_cut_ranking_does_not_call_its_last_result_the_worst() -> None:
    lines = detail(asked_of({"g": [["x"]] * 10}, depth=5), 0)

    assert any(plain(line).strip().startswith("at 5 0.500 · best 0.900") for line in lines)


def test_a_single_result_is_the_best_and_the_worst() -> None:
    lines = detail(asked_of({"g": [["x"], ["x"]]}), 0)

    assert plain(line_that_begins(lines, "similarity")).endswith("█" * 12)


@pytest.mark.parametrize(
    ("rank", "said"),
    [
        (2, "#2 too"),
        (1, "#1 ▲ (bad: a miss rose)"),
        (1234, "#1,234 ▼ (good: a miss fell)"),
        (0, "not ranked"),
    ],
)
def test_the_rank_in_the_other_model_is_reported_with_its_change(rank: int, said: str) -> None:
    found = asked_of(TWO_GROUPS)
    truth = found.collection.truth
    ranks = np.zeros(len(truth), np.int64)
    ranks[truth.row_of("c2")] = rank

    lines = detail(found, 1, standing=ClipRanks("other", truth, ranks))

    assert plain(line_that_begins(lines, "in other")).split(maxsplit=2)[2] == said


def test_a_clip_unknown_to_the_other_model_is_not_ranked_there() -> None:
    found = asked_of(TWO_GROUPS)
    elsewhere = GroundTruth.from_columns(["somebody"], {"g": [["x"]]})

    lines = detail(found, 0, standing=ClipRanks("other", elsewhere, np.array([1])))

    assert plain(line_that_begins(lines, "in other")).endswith("not ranked")


@pytest.mark.parametrize(
    ("mark", "reason", "said"),
    [
        ("relevant", None, "✓ relevant after all"),
        ("not relevant", None, "✗ not relevant"),
        ("bias", None, "⚑ bias case"),
        *(("bias", reason, f"⚑ bias case ({reason})") for reason in REASONS),
    ],
)
def test_a_mark_is_a_sign_a_word_and_a_reason(mark: Mark, reason: Reason | None, said: str) -> None:
    (line,) = describe_judgement(Judgement(mark, reason), 10, UNICODE)

    assert plain(line) == f"marked      {said}"


def test_a_mark_and_a_note_end_the_detail_of_their_clip_alone() -> None:
    found = asked_of(TWO_GROUPS)
    said = {"c1": Judgement("relevant", note="seen by eye")}

    first, second = (detail(found, place, judgements=said) for place in (0, 1))

    assert [plain(line).split()[0] for line in first[-2:]] == ["marked", "note"]
    assert plain(first[-1]).endswith("seen by eye")
    assert not any(plain(line).startswith(("marked", "note")) for line in second)


def test_hostile_names_come_out_harmless_everywhere() -> None:
    found = asked_of(
        {HOSTILE: [[HOSTILE], [HOSTILE, f"also {HOSTILE}"]], "g": [["x"], [f"out {HOSTILE}"]]},
        clips=[HOSTILE],
    )
    only = replace(found, selection=found.collection.truth.words.select([found.keywords[0].group]))
    standing = ClipRanks(HOSTILE, found.collection.truth, np.array([0, 7]))
    said = {HOSTILE: Judgement("bias", "other", note=HOSTILE)}

    for inspection in (found, only):
        lines = detail(inspection, 0, judgements=said, standing=standing)
        lines += strip(inspection, said)
        text = "".join(map(plain, lines))
        assert not {"\x1b", "\x07", "\u202e", "\n"} & set(text)
        assert plain(lines[0]) == f"#1 {HARMLESS}"
        assert text.count("[bold red]x[/] \\x1b[31m\\x07") >= 5


# The strip of metrics


def test_the_strip_shows_the_three_recalls_and_their_formula() -> None:
    recalls, _ = strip(asked_of({"g": [["x"], ["x"], ["y"], ["x"], ["y"], ["y"], ["x"]]}))

    assert plain(recalls).startswith("Recall@1 1.000   Recall@3 0.667   Recall@5 0.400   ")
    assert "= hits@K / K" in plain(recalls)
    assert "adjudicated" not in plain(recalls)


def test_an_adjudicated_number_stands_beside_the_published_one() -> None:
    found = asked_of({"g": [["x"], ["x"], ["y"], ["x"]]})

    recalls, _ = strip(found, {"c2": Judgement("relevant")})

    assert "Recall@1 1.000   " in plain(recalls)
    assert "Recall@3 0.667 adjudicated 1.000   " in plain(recalls)


def test_on_a_narrow_line_the_metrics_are_named_once() -> None:
    found = asked_of({"g": [["x"], ["x"], ["y"], ["x"], ["y"], ["y"], ["x"]]})

    recalls, _ = strip(found, width=58)
    assert plain(recalls) == "Recall@1 1.000 @3 0.667 @5 0.400 = hits@K / K"

    recalls, _ = strip(found, {"c2": Judgement("relevant")}, width=78)
    assert plain(recalls) == (
        "Recall@1 1.000 @3 0.667→1.000 @5 0.400→0.600 adj. = hits@K / K · chance 0.500"
    )


def test_without_keyword_no_metric_is_claimed() -> None:
    (line,) = strip(asked_of({"g": [[], ["x"]]}))

    assert plain(line) == "No keyword, so nothing is judged and no metric is defined."


def test_without_relevant_clip_the_strip_says_what_to_press() -> None:
    (line,) = strip(asked_of({"g": [["x"], ["y"]]}))

    assert plain(line).startswith("No clip has all these keywords: no metric is defined.")
    assert "e drops a keyword, p chooses other groups" in plain(line)


def test_all_found_is_said() -> None:
    found = asked_of({"g": [["x"], *[["x"]] * 4, ["y"], ["y"]]})

    assert plain(describe_missed(found, 5, UNICODE)) == "All 4 relevant clips are in the top 5."


def test_missed_clips_are_counted_with_their_ranks() -> None:
    found = asked_of({"g": [["x"], ["x"], *[["y"]] * 5, ["x"], ["y"], ["x"]]})

    line = describe_missed(found, 5, UNICODE)

    assert plain(line).startswith("2 of 3 relevant below the top 5 (d): rank 7, 9")


def test_many_ranks_are_cut_and_the_last_is_reported() -> None:
    found = asked_of({"g": [["x"]] * 31})

    line = describe_missed(found, 5, UNICODE)

    ranks = ", ".join(map(str, range(6, 18)))
    assert plain(line).startswith(f"25 of 30 relevant below the top 5 (d): rank {ranks} … 30")


def test_what_lies_below_the_cut_is_counted_too() -> None:
    found = asked_of({"g": [["x"]] * 31}, depth=8)

    line = describe_missed(found, 5, UNICODE)

    assert plain(line).startswith(
        "25 of 30 relevant below the top 5 (d): rank 6, 7, 8; 22 deeper than 8"
    )


def test_a_sentence_without_ranks_has_no_hole() -> None:
    found = asked_of({"g": [["x"], ["x"], *[["y"]] * 5, ["x"], ["x"]]}, depth=5)

    assert "rank ;" not in plain(describe_missed(found, 5, UNICODE))


def test_if_only_a_mark_made_a_clip_relevant_it_is_not_said_that_all_of_none_were_found() -> None:
    found = asked_of({"g": [["x"], ["y"], ["y"]]})

    lines = strip(found, {"c2": Judgement("relevant")})

    assert "Recall@1 n/a adjudicated 0.000" in plain(lines[0])
    assert not any("All 0" in plain(line) for line in lines)


def test_a_mark_that_leaves_no_relevant_clip_shows_that_nothing_is_defined() -> None:
    found = asked_of({"g": [["x"], ["x"], ["y"]]})

    recalls = strip(found, {"c1": Judgement("not relevant")})[0]

    assert "Recall@1 1.000 adjudicated n/a" in plain(recalls)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.000"), (1.0, "1.000"), (2 / 3, "0.667"), (7.0, "7"), (float("nan"), "n/a")],
)
def test_a_value_in_few_characters(value: float, text: str) -> None:
    assert format_metric_value(value) == text


def test_the_table_names_every_metric_with_id_and_formula() -> None:
    found = asked_of({"g": [["x"], ["x"], ["y"], ["x"]]})
    plain_pairs = shown(found).answer.pairs
    pairs = shown(found, {"c2": Judgement("relevant")}).answer.pairs

    same = [plain(line) for line in list_answer_metrics(plain_pairs, ALFA, SYMBOLS)]
    both = [plain(line) for line in list_answer_metrics(pairs, ALFA, SYMBOLS)]

    assert same[0].split() == ["metric", "id", "published", "formula"]
    assert both[0].split() == ["metric", "id", "published", "adjudicated", "formula"]
    assert same[2].split() == ["Recall@3", "P@3", "0.667", "hits@3", "/", "3"]
    assert both[2].split() == ["Recall@3", "P@3", "0.667", "1.000", "hits@3", "/", "3"]
    assert len(same) == len(both) == 1 + len(pairs) + 1 + len(SYMBOLS)


# Chance


def test_the_strip_says_what_chance_would_give_and_whether_it_is_more() -> None:
    """One relevant clip of 9 stands first: by chance in 5 of 9 orders among the first five."""
    found = asked_of({"g": [["x"], ["x"], *[["y"]] * 8]})

    assert plain(strip(found)[0]).endswith("= hits@K / K · chance 0.111: not above chance at any K")
    assert kinds(strip(found)[0]) >= {"part"}


def test_five_hits_of_five_are_above_chance() -> None:
    """5 of 49 relevant, all found at once: by chance in one of 1,906,884 cases."""
    found = asked_of({"g": [["x"]] * 6 + [["y"]] * 44})

    assert plain(strip(found)[0]).endswith("· chance 0.102: above chance at K = 3, 5")
    assert found.find_chance_p(Measure.parse("P@5")) == pytest.approx(1 / 1_906_884)


def test_each_cutoff_has_its_verdict_in_as_many_words_as_there_is_room_for() -> None:
    """The two relevant ones of 40 come first: by chance, the first alone in one of 20 cases."""
    found = asked_of({"g": [["x"]] * 3 + [["y"]] * 38})
    ends = {
        200: "   = hits@K / K · chance 0.050: above chance at every K",
        78: " = hits@K / K · chance 0.050: above at every K",
        65: " = hits@K / K · chance 0.050",
        50: " @5 0.400 = hits@K / K",
    }

    for width, end in ends.items():
        (recalls, _) = strip(found, width=width)
        assert plain(recalls).endswith(end) and len(plain(recalls)) <= width


def test_judged_numbers_give_up_words_before_chance() -> None:
    found = asked_of({"g": [["x"], ["y"], ["x"], ["x"], *[["y"]] * 40]})
    marks = {"c1": Judgement("relevant")}

    numbers = "Recall@1 0.000→1.000 @3 0.667→1.000 @5 0.400→0.600"
    formula = "= hits@K / K · chance 0.047"
    for width, said in {
        118: f"{numbers} adjudicated {formula}: above chance at K = 3, 5",
        111: f"{numbers} adj. {formula}: above chance at K = 3, 5",
        100: f"{numbers} adj. {formula}: above at 3, 5",
        96: f"{numbers} adjudicated {formula}",
        84: f"{numbers} adj. {formula}",
        78: f"{numbers} {formula}",
    }.items():
        assert plain(strip(found, marks, width)[0]) == said


def test_levels_that_differ_by_cutoff_are_all_named() -> None:
    found = asked_of({"g": [["x"], ["x"], ["y"]]})  # two clips can be found

    assert "chance 0.500, 0.333, 0.200" in plain(strip(found)[0])


def test_the_table_of_metrics_has_a_column_of_chance() -> None:
    found = asked_of({"g": [["x"], ["x"], ["y"], ["x"], ["y"]]})
    pairs = shown(found).answer.pairs
    chances = [found.find_chance_level(pair.measure) for pair in pairs]

    lines = [plain(line) for line in list_answer_metrics(pairs, ALFA, SYMBOLS, UNICODE, chances)]

    assert lines[0].split() == ["metric", "id", "published", "chance", "formula"]
    assert lines[1].split()[:4] == ["Recall@1", "P@1", "1.000", "0.500"]


def test_the_table_of_metrics_says_of_each_whether_it_is_above_chance() -> None:
    found = asked_of({"g": [["x"]] * 6 + [["y"]] * 44})
    pairs = shown(found).answer.pairs
    levels = [found.find_chance_level(pair.measure) for pair in pairs]
    chance_p = [found.find_chance_p(pair.measure) for pair in pairs]

    lines = list_answer_metrics(pairs, ALFA, SYMBOLS, UNICODE, levels, chance_p)

    said = {plain(line).split()[0]: plain(line) for line in lines if plain(line)}
    assert "1.000   0.102: not above  hits@1 / 1" in said["Recall@1"]
    assert "1.000   0.102: above      hits@3 / 3" in said["Recall@3"]
    assert ":" not in said["NDCG@5"], "which does not follow from the number of hits"
    assert "part" in kinds(line_that_begins(lines, "Recall@1"))


# The keywords of the query


def mapped(name: str, ngram: str, why: str, score: float) -> MappedKeyword:
    return MappedKeyword(Keyword("g", name), score, ngram, (0, len(ngram)), why)


def asked_in_words(keywords: tuple[str, ...] | None) -> Inspection:
    """A text that was mapped to x and y."""
    found = asked_of({"g": [["x", "y"], ["x", "y", "z"]]}, keywords=keywords)
    mapping = KeywordMapping(
        "ex why", (mapped("x", "ex", "exact", 1.0), mapped("y", "why", "similar", 0.712)), ()
    )
    question = Question("text", "ex why", "m", ("g",), (), keywords)
    return replace(found, question=question, mapping=mapping)


def chips(inspection: Inspection) -> list[tuple[str, str, bool]]:
    return [(chip.keyword, chip.why, chip.dropped) for chip in list_chips(inspection)]


def test_mapped_keywords_say_what_words_they_come_from() -> None:
    assert chips(asked_in_words(None)) == [
        ("g:x", '"ex" exact 1.00', False),
        ("g:y", '"why" similar 0.71', False),
    ]


def test_a_dropped_keyword_stays_in_sight_and_an_added_one_says_so() -> None:
    assert chips(asked_in_words(("g:x", "g:z"))) == [
        ("g:x", '"ex" exact 1.00', False),
        ("g:z", "added by you", False),
        ("g:y", "dropped", True),
    ]


def test_a_clips_own_keywords_need_no_reason() -> None:
    assert chips(asked_of({"g": [["x", "y"], ["z"]]})) == [("g:x", "", False), ("g:y", "", False)]


def test_a_clip_with_a_keyword_dropped_and_its_own_kept() -> None:
    found = asked_of({"g": [["x", "y"], ["z"]]}, keywords=("g:y",))

    assert chips(found) == [("g:y", "", False), ("g:x", "dropped", True)]


def test_a_keyword_added_to_a_clip_says_so() -> None:
    found = asked_of({"g": [["x", "y"], ["z"]]}, keywords=("g:x", "g:y", "g:z"))

    assert chips(found) == [("g:x", "", False), ("g:y", "", False), ("g:z", "added by you", False)]


def test_a_keyword_outside_the_selection_is_not_called_dropped() -> None:
    found = asked_in_words(("g:x",))
    truth = found.collection.truth

    narrowed = replace(found, selection=truth.words.select(["g"], ["x", "z"]))

    assert [chip for chip in chips(narrowed) if chip[2]] == []


# What is listed


def test_the_title_counts_what_is_ranked_and_what_there_is() -> None:
    whole = shown(asked_of({"g": [["x"]] * 9}))
    cut = shown(asked_of({"g": [["x"]] * 1205}, depth=5))

    assert whole.title == "Results ── 5 of 5 hits, 8 ranked"
    assert cut.title == "Results ── 5 of 5 hits, 5 ranked, cut at 5 of 1,204"


def test_the_missed_clips_are_listed_with_their_own_ranks() -> None:
    found = asked_of({"g": [["x"], ["x"], *[["y"]] * 5, ["x"], ["y"], ["x"]]})
    missed = shown(found, missed=True)

    rows = ResultRows(missed, UNICODE)

    assert [rows.clip(row) for row in range(len(rows))] == [
        "c1",
        "c2",
        "c3",
        "c4",
        "c5",
        "c7",
        "c9",
    ]
    assert [rows.cells(row)[0][0] for row in (5, 6)] == ["7", "9"]
    assert rows.rule == (5, "K = 5 · 2 missed below")
    assert missed.title == "Results ── 1 of 5 hits, 2 missed"


def test_missed_clips_below_the_cut_are_reported() -> None:
    missed = shown(asked_of({"g": [["x"]] * 31}, depth=8), missed=True)

    assert missed.title == "Results ── 5 of 5 hits, 3 missed, cut at 8 of 30"
    assert missed.rule() == (5, "K = 5 · 3 missed below, 22 deeper than 8")


def test_judging_changes_the_numbers_and_nothing_else() -> None:
    found = asked_of({"g": [["x"], ["x"], ["y"]]})
    before = score_answer(found, {}, ALFA)

    after = score_answer(found, {"c2": Judgement("relevant")}, ALFA)

    assert after.inspection is before.inspection
    assert ShownAnswer(after).judgement(1) == Judgement("relevant")
    assert ShownAnswer(after).judgement(0) == Judgement()
    assert ShownAnswer(before).judgement(1) == Judgement()
    assert after.pairs != before.pairs
    assert [value.adjudicated for value in after.saved.metrics] != [
        value.adjudicated for value in before.saved.metrics
    ]
    assert score_answer(found, {}, ALFA) == before
