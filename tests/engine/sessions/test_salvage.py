"""Piecing together what is lost takes one look at each row, however many sessions are lost."""

from __future__ import annotations

from collections.abc import ItemsView

from engine.sessions.raw_tables import RawTables
from engine.sessions.salvage import ResultKey, Salvage, _piece_together

BODY = (
    '{"mark":"bias","reason":"hub","note":"","seen":null,"time":"2026-11-16T04:30:26.000000+00:00"}'
)


class Counted(dict[ResultKey, str]):
    """Knows how often all of it was looked at."""

    looks = 0

    def items(self) -> ItemsView[ResultKey, str]:  # type: ignore[override]
        self.looks += 1
        return super().items()


def piece_together(sessions: int) -> tuple[Salvage, Counted]:
    marks = Counted({(one, "text", "a", "clip"): BODY for one in range(1, sessions + 1)})
    kept = Salvage(judgements=marks)
    for session in range(1, sessions + 1):
        kept.changes[session, 1] = ("text", "a", "clip", None, BODY)
        kept.changes[session, 2] = ("text", "a", "other", BODY, None)
    none = dict.fromkeys(("sessions", "answers", "judgements", "changes"), 0)
    raw = RawTables((), (), (), (), (), (), frozenset(), none, 0)
    _piece_together(kept, raw, none)
    return kept, marks


def test_lost_sessions_are_pieced_together_in_one_pass() -> None:
    assert piece_together(50)[1].looks == piece_together(2)[1].looks


def test_a_lost_session_gets_its_times_and_what_was_undone_from_its_marks() -> None:
    kept, _ = piece_together(2)

    time = "2026-11-16T04:30:26.000000+00:00"
    assert kept.sessions[2] == ("recovered session 2", "", "", time, time, None, 2)
    assert kept.counts["session"].rebuilt == 2
