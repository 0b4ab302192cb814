"""What the whole-screen picture says: the query, and the result under the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.frames.picture_screen import ZoomedResult
from tui.inspect.answer_files import AnswerFiles
from tui.inspect.detail_lines import describe_result
from tui.widgets.lines_view import Line

if TYPE_CHECKING:
    from tui.inspect.host import InspectHost
    from tui.inspect.panes import AnswerPanes


class ResultZoom:
    """The results of the answer that is shown, one at a time."""

    def __init__(self, panes: AnswerPanes, host: InspectHost) -> None:
        self._panes = panes
        self._host = host

    def describe(self) -> ZoomedResult | None:
        """The result under the cursor; None: there is none."""
        selected, shown = self._panes.selected, self._panes.shown
        if selected is None or shown is None:
            return None
        found = selected.inspection
        query = Line.of(("query ", "dim"), (found.query, "strong"), hang=6)
        groups: dict[str, list[str]] = {}
        for keyword in found.keywords:
            groups.setdefault(keyword.group.replace("_", " "), []).append(keyword.name)
        keywords = [
            Line.of((f"{group}  ", "dim"), ", ".join(names), hang=2)
            for group, names in groups.items()
        ]
        return ZoomedResult(
            clip=selected.clip,
            lines=tuple(describe_result(shown, selected.place, self._host.glyphs)),
            query_clip=found.question.clip,
            query_lines=(query, *keywords),
        )

    def can_do(self, action: str) -> bool:
        return bool(self._panes.results.check_action(action, ()))

    def do(self, action: str) -> None:
        """One of the list's actions: it moves its cursor, or judges; or one of its screen's."""
        if action == "copy":
            AnswerFiles(self._panes, self._host).copy()
        else:
            getattr(self._panes.results, f"action_{action}")()
