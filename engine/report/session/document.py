"""A session as a document that can be imported and replayed.

Schema tui-eval/session@1; `engine.sessions.document` reads it.
"""

from __future__ import annotations

from typing import Any

from engine.base.version import tool_version
from engine.sessions import Session
from engine.sessions.document import SCHEMA
from engine.sessions.plain import asked_plain, judged_plain, moment_text, view_plain
from engine.sessions.values import Judged


def session_document(session: Session) -> dict[str, Any]:
    """The whole session as plain values, ready for JSON."""
    view = session.view
    return {
        "schema": SCHEMA,
        "tool": {"name": "tui-eval", "version": tool_version()},
        "name": session.name,
        "dataset": {"name": session.dataset_name, "source": session.dataset_source},
        "created": moment_text(session.created),
        "updated": moment_text(session.updated),
        "view": None if view is None else view_plain(view),
        "answers": [asked_plain(asked) for asked in session.asked()],
        "judgements": [judged_plain(Judged(*row)) for row in session.all_judgements()],
    }
