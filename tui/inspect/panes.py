"""The answer that is shown: in the list, the detail and the metrics, and in the session."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content

from engine.sessions import SessionView
from tui.inspect.detail_lines import describe_result
from tui.inspect.metric_lines import describe_metrics, list_answer_metrics
from tui.inspect.results import ResultRows, ResultTable
from tui.inspect.shown_answer import SelectedResult, ShownAnswer
from tui.look.safe import escape
from tui.widgets.lines_view import Line, LinesView
from tui.work.throttle import DETAIL_PAUSE, Throttle

if TYPE_CHECKING:
    from engine.base.choices import Mode
    from engine.keywords.clip_ranks import ClipRanks
    from engine.keywords.inspection import Inspection
    from engine.keywords.judgement import Target
    from engine.keywords.question import Question
    from engine.metrics import Profile
    from tui.inspect.host import InspectHost
    from tui.work.questions import QueryAnswer

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


class Detail(LinesView):
    """The pane of the selected result."""

    jump_key = "d"
    pane = "detail"

    def show_result(self, shown: ShownAnswer | None, place: int | None) -> None:
        if shown is None or place is None:
            self.show_lines([Line.of(("No result is selected.", "dim"))])
        else:
            self.show_lines(describe_result(shown, place, self._glyphs))


class MetricStrip(LinesView, can_focus=False):
    """The line of metrics, and the line of what was missed."""

    heights = (2, 3)

    def show_answer(self, shown: ShownAnswer, language: Profile) -> None:
        self.draw(lambda *_: self._lines_about(shown, language))

    def _lines_about(self, shown: ShownAnswer, language: Profile) -> list[Line]:
        found, pairs, width = shown.inspection, shown.answer.pairs, self.content_size.width
        lines = describe_metrics(found, pairs, language, shown.k, self._glyphs, width, self._nouns)
        if shown.missed:  # also where the list has no frame that says so
            lines[-1] = Line((("Listed now: ", "mark"), *lines[-1].spans), lines[-1].hang)
        return lines


class AnswerPanes:
    """Owns the answer that is shown, and keeps panes and session up to date with it.

    list_missed  what was missed is listed rather than the ranking, where there is ground truth
    """

    def __init__(
        self, results: ResultTable, detail: Detail, strip: MetricStrip, host: InspectHost
    ) -> None:
        self.shown: ShownAnswer | None = None
        self.list_missed = False
        self._asked: Question | None = None
        self.results = results
        self._detail = detail
        self._strip = strip
        self._host = host
        self._paint_detail = Throttle(detail, DETAIL_PAUSE, self._show_detail)

    @property
    def inspection(self) -> Inspection | None:
        return self.shown.inspection if self.shown else None

    @property
    def selected(self) -> SelectedResult | None:
        """The result under the cursor."""
        shown, place = self.shown, self.results.place
        if shown is None or place is None:
            return None
        return SelectedResult(shown.inspection, place, shown.judgement(place))

    def find(self, target: Target) -> SelectedResult | None:
        """A result of the answer that is shown; None: it is of another, or was not found."""
        shown, found = self.shown, self.inspection
        if shown is None or found is None:
            return None
        place = found.place_of(target.clip)
        if place is None or (found.mode, found.query) != (target.mode, target.query):
            return None
        return SelectedResult(found, place, shown.judgement(place))

    # Showing

    def show(self, answer: QueryAnswer, clip: str | None) -> None:
        """Show another answer; the cursor goes to the clip, if it is listed."""
        questions, found = self._host.services.questions, answer.inspection
        questions.settle()  # what is judged about the answer before is saved with its numbers
        other = self._host.other_model(found.question.model)
        standing = self.shown.standing_in(other, found) if self.shown else None
        missed = self.list_missed and bool(found.keywords)
        self.shown = ShownAnswer(answer, standing, missed, self._host.nouns)
        self._fill(clip)
        self._save()
        self.find_standing()

    def find_standing(self) -> None:
        """Ask where the clips stand in the other model, unless that is known."""
        if self.shown is None or self.shown.standing is not None:
            return
        asked = self.shown.inspection.question
        other = self._host.other_model(asked.model)
        if other is not None:
            ask = self._host.services.questions.standing
            ask(asked, other, self._got_standing, self._no_standing)

    def entitle(self, asked: Question | None) -> None:
        """Say above the list what it is; while something else is `asked`, of what it still is."""
        self._asked = asked
        if self.shown is not None:
            title = self.shown.title(len(self.shown.places))
            still = f", still {self.shown.tell_from(asked)}" if asked is not None else ""
            self.results.border_title = Content(escape(f"{title}{still}"))

    def clear(self) -> None:
        """Nothing is asked."""
        self.shown, self.list_missed = None, False
        self.results.empty = self.nothing_asked
        self.results.clear()
        self.results.border_title = "Results"
        self._strip.show_lines([])

    @property
    def nothing_asked(self) -> str:
        """What can be done before anything is asked."""
        if not self._host.nouns.has_labels:
            return NOTHING_ASKED
        several = len(self._host.models) > 1
        return describe_label_start(self._host.services.bench.dataset.first_mode, several=several)

    def _fill(self, clip: str | None) -> None:
        if self.shown is None:
            return
        nothing_missed = NOTHING_MISSED.format(k=self.shown.k)
        empty = nothing_missed if self.shown.missed else NO_OTHER
        self.results.empty = self._host.nouns.spell(empty)
        rows = ResultRows(self.shown, self._host.glyphs, lambda: self.results.line_width)
        place = self.shown.inspection.place_of(clip) if clip is not None else None
        cursor = rows.places.index(place) if place is not None and place in rows.places else 0
        self.results.show(rows, cursor)
        self.entitle(self._asked)
        self._strip.show_answer(self.shown, self._host.services.bench.language)

    def toggle_missed(self) -> None:
        if self.shown is not None:
            self.list_missed = not self.shown.missed
            self.shown = replace(self.shown, missed=self.list_missed)
            self._fill(self.results.clip)

    def show_all_metrics(self) -> None:
        from engine.metrics import SYMBOLS
        from tui.dialogs.basic_dialogs import TextDialog

        self._host.services.questions.settle()
        if self.shown is not None:
            language = self._host.services.bench.language
            lines = list_answer_metrics(
                self.shown.answer.pairs, language, SYMBOLS, self._host.glyphs
            )
            self.results.app.push_screen(TextDialog("Metrics of this query", lines))

    def moved(self) -> None:
        """The cursor is on another result."""
        self._remember()
        self._paint_detail()

    def _show_detail(self) -> None:
        self._detail.show_result(self.shown, self.results.place)
        self._detail.refresh_bindings()

    def _got_standing(self, standing: ClipRanks) -> None:
        if self.shown is not None:
            self.shown = replace(self.shown, standing=standing)
            self._fill(self.results.clip)

    def _no_standing(self, error: Exception) -> None:
        none = self._host.nouns.spell("No ranks in the other model")
        self.results.notify(f"{none}: {error}", severity="warning", markup=False)

    # Judgements and the session

    def judge_again(self, save: bool = True) -> None:
        """Read the judgements again and show what depends on them; the numbers follow."""
        if self.shown is None:
            return
        found = self.shown.inspection
        judgements = self._host.recorder.judgements(found.mode, found.query)
        answer = replace(self.shown.answer, judgements=judgements)
        self.shown = replace(self.shown, answer=answer)
        self.results.judge(judgements)
        self._paint_detail.now()
        scored = partial(self._scored, save=save)
        self._host.services.questions.score(found, judgements, scored, self._host.show_error)

    def _scored(self, answer: QueryAnswer, *, save: bool) -> None:
        if self.shown is None or self.shown.inspection is not answer.inspection:
            return
        self.shown = replace(self.shown, answer=answer)
        if save:
            self._save()
        self._strip.show_answer(self.shown, self._host.services.bench.language)

    def _save(self) -> None:
        if self.shown is not None:
            self._host.recorder.record(self.shown.answer.saved)
            self._remember()

    def _remember(self) -> None:
        """Keep where the user is."""
        if self.shown is not None:
            view = "missed" if self.shown.missed else "ranking"
            question = self.shown.inspection.question
            self._host.recorder.place.remember(SessionView(question, self.results.clip, view))


def describe_label_start(first: Mode, *, several: bool) -> str:
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
