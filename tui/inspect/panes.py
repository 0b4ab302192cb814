"""The panes of Inspect, and what each shows of the query that is inspected."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from engine.base.mode import Mode
from engine.sessions import View
from tui.frames.frames_row import FramesRow
from tui.inspect.inquiry import Inquiry
from tui.inspect.inspected import Inspected
from tui.inspect.keyword_bar import KeywordBar
from tui.inspect.picker import Choice, Picker
from tui.inspect.query_bar import QueryBar
from tui.inspect.results import Results
from tui.keys.footer import KeyFooter
from tui.widgets.line_table import LineTable
from tui.widgets.lines_view import Line, LinesView, Span
from tui.widgets.title_bar import TitleBar
from tui.work.throttle import DETAIL_PAUSE, Rest, Throttle

if TYPE_CHECKING:
    from engine.keywords.inspection import Inspection
    from tui.inspect.host import InspectHost

FRAMES_ROWS = 34
"""Rows from which on there is room for frames; below, f shows them."""

FRAMES_REST = 0.2
"""Seconds that the cursor rests on a result before its frames are fetched."""

NOTHING_ASKED = (
    "Nothing is asked yet.\n\n"
    "/  ask with a text: cyclist entering ego lane\n"
    "c  ask with a clip\n"
    "2  evaluate all queries, the worst first\n"
    "3  go on with saved work\n"
    "4  compare two models, the worst regressions first\n"
    "?  help"
)
NOTHING_MISSED = "Every relevant clip is in the top {k}.\n\nt shows the ranking again"
NO_OTHER = "The dataset has no other clip to find."


def nothing_asked_of_labels(first: Mode, *, several: bool) -> str:
    """What can be done with label files; `several`: there are directions to compare."""
    items = "2  evaluate all items, the worst first (C: confusion)"
    texts = "2  evaluate the texts that stand for labels, the worst first (t: all items)"
    compare = "4  compare two directions, the worst regressions first"
    lines = [
        "Nothing is asked yet.\n",
        items if first == "video" else texts,
        "c  ask with an item: type its id, or the number of its row",
        "/  ask with a text",
        "3  go on with saved work",
        *([compare] if several else []),
        "?  help",
    ]
    return "\n".join(lines)


class Detail(LinesView):
    """The pane of the selected result."""

    jump_key = "d"
    pane = "detail"


class MetricStrip(LinesView, can_focus=False):
    """The line of metrics, and the line of what was missed."""

    heights = (2, 3)


class InspectPanes(Screen[None]):
    """The home screen as it is seen; what its keys do is `InspectScreen`'s."""

    AUTO_FOCUS = "#results"

    def __init__(self, inquiry: Inquiry) -> None:
        super().__init__()
        self.inquiry = inquiry
        self.inspected: Inspected | None = None
        self._paint_detail = Throttle(self, DETAIL_PAUSE, self._show_detail)
        self._fetch_frames = Rest(self, FRAMES_REST, self._show_result_frames)

    @property
    def host(self) -> InspectHost:
        return cast("InspectHost", self.app)

    @property
    def nothing_asked(self) -> str:
        """What can be done before anything is asked."""
        if not self.host.nouns.has_labels:
            return NOTHING_ASKED
        return nothing_asked_of_labels(
            self.host.services.dataset.first_mode, several=len(self.host.models) > 1
        )

    @property
    def results(self) -> Results:
        return self.query_one(Results)

    @property
    def inspection(self) -> Inspection | None:
        return self.inspected.inspection if self.inspected else None

    def compose(self) -> ComposeResult:
        yield TitleBar()
        yield QueryBar(self.host.nouns, id="query")
        yield KeywordBar(id="keywords")
        with Horizontal(id="body"):
            yield Results(self.nothing_asked, id="results")
            # The frame is the pane's, so that a changed line is sent without it.
            with Vertical(id="detail-pane"):
                yield Detail(id="detail")
            yield Picker(id="picker")
        yield FramesRow(self.host.services, self.host.images, id="frames")
        yield MetricStrip(id="metrics")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.query_one(Picker).border_title = "Groups"
        self.results.border_title = "Results"
        self.query_one("#detail-pane").border_title = "Detail"
        self._say_what_counts()

    def _say_what_counts(self) -> None:
        """Before anything is asked: by which groups it will be judged."""
        groups = ", ".join(group.replace("_", " ") for group in self.inquiry.groups)
        said = f"groups that count: {groups}" if groups else "reading the annotations …"
        self.query_one(KeywordBar).say(
            (said, "dim"), (f" {self.host.glyphs.dot} p chooses others" if groups else "", "dim")
        )

    def _choice(self) -> Choice:
        return Choice(self.inquiry.groups, self.inquiry.left_out, self.keywords_now or ())

    @property
    def keywords_now(self) -> tuple[str, ...] | None:
        """The keywords of what is asked, answered or not; None while they are not known."""
        answer = self.inspection
        if answer is not None and Inquiry.of(answer.question) == self.inquiry:
            return tuple(map(str, answer.keywords))
        return self.inquiry.keywords

    def _show_keywords(self, inspection: Inspection) -> None:
        relevant, tail = "", tuple[Span, ...]()
        if inspection.keywords:
            relevant = f"{inspection.relevant:,} relevant of {inspection.reachable:,}"
            tail = ((relevant, "hit" if inspection.relevant else "part"),)
        self.query_one(KeywordBar).show(inspection, (*tail, *self._reach(inspection)))
        self.query_one(Picker).border_subtitle = relevant

    def _reach(self, inspection: Inspection) -> tuple[Span, ...]:
        """How many results reach the least similarity, if there is one."""
        least = inspection.policies.min_similarity
        if least is None:
            return ()
        reach = int(inspection.retrieved.sum())
        dot = f" {self.host.glyphs.dot} " if inspection.keywords else ""
        said = self.host.glyphs.spell(f"{reach:,} reach similarity {least:g}")
        return ((f"{dot}{said}", "" if reach else "part"),)

    def _show_list(self, clip: str | None) -> None:
        """Fill the list; the cursor goes to the clip, if it is listed."""
        if self.inspected is None:
            return
        rows = self.inspected.rows(self.host.glyphs, lambda: self.results.line_width)
        nothing_missed = NOTHING_MISSED.format(k=self.inspected.k)
        empty = nothing_missed if self.inspected.missed else NO_OTHER
        self.results.empty = self.host.nouns.spell(empty)
        place = self.inspection.place_of(clip) if self.inspection and clip is not None else None
        cursor = rows.places.index(place) if place is not None and place in rows.places else 0
        self.results.show(rows, cursor)
        self.results.border_title = self.inspected.title(len(rows))
        self._show_metrics()

    def _show_metrics(self) -> None:
        from tui.inspect.metric_lines import strip_lines

        if self.inspected is not None:
            strip = self.query_one(MetricStrip)
            lines = strip_lines(
                self.inspected.inspection,
                self.inspected.pairs,
                self.host.services.language,
                self.inspected.k,
                self.host.glyphs,
                strip.content_size.width,
                self.host.nouns,
            )
            if self.inspected.missed:  # also where the list has no frame that says so
                lines[-1] = Line((("Listed now: ", "mark"), *lines[-1].spans), lines[-1].hang)
            strip.show_lines(lines)

    @on(LineTable.Moved, "#results")
    def _moved(self) -> None:
        self._remember()
        self._paint_detail()
        self._fetch_frames()

    def _remember(self) -> None:
        if self.inspected is not None:
            view = "missed" if self.inspected.missed else "ranking"
            question = self.inspected.inspection.question
            self.host.recorder.remember(View(question, self.results.clip, view))

    def _show_detail(self) -> None:
        from tui.inspect.detail_lines import detail_lines

        pane, place = self.query_one(Detail), self.results.place
        if self.inspected is None or place is None:
            pane.show_lines([Line.of(("No result is selected.", "dim"))])
        else:
            pane.show_lines(detail_lines(self.inspected, place, self.host.glyphs))
        self.refresh_bindings()

    def on_resize(self) -> None:
        """Frames come and go with the room for them, unless the user has chosen."""
        if self.inspected is not None:
            self._show_frames_at_first()
            self.call_after_refresh(self._show_metrics)  # its words depend on the width

    def _show_result_frames(self) -> None:
        self.query_one(FramesRow).show_clip("result", self.results.clip)

    def _show_frames_at_first(self) -> None:
        """With the first answer, as the user has chosen, else if there is room."""
        wanted = self.host.frames_wanted
        if self.host.images.drawing != "off" and self.host.services.has_media:
            self._show_frames(self.size.height >= FRAMES_ROWS if wanted is None else wanted)

    def _show_frames(self, shown: bool) -> None:
        row = self.query_one(FramesRow)
        if row.display != shown:
            row.display = shown
            self.call_after_refresh(row.refresh_clips)
