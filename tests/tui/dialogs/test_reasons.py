"""Reasons: the same digits for a clip and for a query, each in words about what is judged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.keywords.judgement import OF_QUERY, REASONS, Target
from tests.tui.dialogs.test_dialogs import painted
from tui.dialogs.reasons import ReasonDialog, list_reasons
from tui.look.nouns import OF_CLIPS, OF_ITEMS, Nouns

CLIP = Target("text", "a bus", "clip_7")
QUERY = replace(CLIP, clip=OF_QUERY)


def test_a_clip_and_a_query_have_the_same_reasons_with_the_same_digits() -> None:
    of_clip, of_query = list_reasons(CLIP), list_reasons(QUERY)

    assert [one[:2] for one in of_clip] == [one[:2] for one in of_query]
    assert [reason for _, reason, _ in of_clip] == [*REASONS]


def test_what_is_said_of_a_query_is_about_its_results() -> None:
    said = {reason: meaning for _, reason, meaning in list_reasons(QUERY)}

    assert said["hub"] == "results are close to every query"
    assert not any("this clip" in meaning for meaning in said.values())


@pytest.mark.parametrize("target", [CLIP, QUERY])
@pytest.mark.parametrize("nouns", [OF_CLIPS, OF_ITEMS])
def test_every_reason_has_a_meaning_that_fits_80_columns(target: Target, nouns: Nouns) -> None:
    for digit, reason, meaning in list_reasons(target, nouns):
        assert meaning
        assert len(f" {digit}  {reason:18}  {meaning}") <= 75 - 7  # inside the box


def test_a_label_is_never_lacking_and_only_a_text_is_mapped() -> None:
    of_text = [reason for _, reason, _ in list_reasons(CLIP, OF_ITEMS)]
    of_item = [reason for _, reason, _ in list_reasons(replace(CLIP, mode="video"), OF_ITEMS)]

    assert of_text == [reason for reason in REASONS if reason != "missing keyword"]
    assert of_item == [reason for reason in of_text if reason != "mapper error"]


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40), (200, 50)])
def test_the_reasons_are_wrapped_and_never_cut(size: tuple[int, int]) -> None:
    dialog = ReasonDialog(list_reasons(QUERY), "hub", lambda *_: None)
    lines = painted(dialog, size).splitlines()

    inside = [line.partition("│")[2].partition("│")[0] for line in lines]
    read = " ".join(" ".join(inside).split())
    for digit, reason, meaning in list_reasons(QUERY):
        assert f"{digit} {reason} {meaning}" in read
    assert "…" not in "".join(lines)
    (chosen,) = [line for line in inside if "▌" in line]
    assert "▌5  hub " in chosen
    assert any("a digit or Enter chooses · Tab chooses with a note" in line for line in lines)
