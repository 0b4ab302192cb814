"""The answer that is shown: in the list, the detail and the metrics, and in the session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content

from engine.base.errors import InputError
from tui.inspect.results import ResultTable
from tui.keys.keymap import find_keymap
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
    from tui.inspect.shown_answer import SelectedResult, ShownAnswer
    from tui.work.bench import OpenModel
    from tui.work.questions import QueryAnswer

EXAMPLE = "{example}"
NO_OTHER = "The dataset has no other clip to find."
NOTHING_MATCHES = (
    "None of {count} results matches the filter “{filter}”.\n\n"
    "{results.filter}  type another\n"
    "{inspect.back}  show all again"
)


class Detail(LinesView):
    """The pane of the selected result."""

    jump_key = "d"
    pane = "detail"

    def show_result(self, shown: ShownAnswer | None, place: int | None) -> None:
        if shown is None or place is None:
            self.show_lines([Line.of(("No result is selected.", "dim"))])
        else:
            from tui.inspect.detail_lines import describe_result

            self.show_lines(describe_result(shown, place, self._glyphs))


_TALL = 30
"""From this height on the strip has a line about what was retrieved instead."""


class MetricStrip(LinesView, can_focus=False):
    """The line of metrics, the line of what was missed, and on a tall screen what is there
    instead."""

    heights = (2, 4)

    def show_answer(self, shown: ShownAnswer, language: Profile) -> None:
        self.draw(lambda *_: self._lines_about(shown, language))

    def _lines_about(self, shown: ShownAnswer, language: Profile) -> list[Line]:
        from tui.inspect.metric_lines import describe_instead, describe_metrics

        found, pairs, width = shown.inspection, shown.answer.pairs, self.content_size.width
        lines = describe_metrics(
            found, pairs, language, shown.k, self._glyphs, width, self._nouns, self._keymap
        )
        if shown.missed and not shown.filtered:  # also where the list has no frame that says so
            lines[-1] = Line((("Listed now: ", "mark"), *lines[-1].spans), lines[-1].hang)
        if self.screen.size.height >= _TALL:
            lines += describe_instead(found, self._glyphs, width)
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
        self.listed: Callable[[ShownAnswer | None], None] = lambda _: None
        """Is called when other rows are listed."""
        self.described: Callable[[], None] = lambda: None
        """Is called when the detail is of another result, or says something else."""
        self._example = ""
        self._takes_texts = True
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
        from tui.inspect.shown_answer import SelectedResult

        return SelectedResult(shown.inspection, place, shown.judgement(place))

    def find(self, target: Target) -> SelectedResult | None:
        """A result of the answer that is shown; None: it is of another, or was not found."""
        shown, found = self.shown, self.inspection
        if shown is None or found is None:
            return None
        place = found.place_of(target.clip)
        if place is None or (found.mode, found.query) != (target.mode, target.query):
            return None
        from tui.inspect.shown_answer import SelectedResult

        return SelectedResult(found, place, shown.judgement(place))

    # Showing

    def show(self, answer: QueryAnswer, clip: str | None) -> None:
        """Show another answer; the cursor goes to the clip, if it is listed."""
        from tui.inspect.shown_answer import ShownAnswer

        questions, found = self._host.services.questions, answer.inspection
        questions.settle()  # what is judged about the answer before is saved with its numbers
        other = self._host.other_model(found.question.model)
        standing = self.shown.standing_in(other, found) if self.shown else None
        missed = self.list_missed and bool(found.keywords)
        filtered = self.shown.filter_for(found) if self.shown else ""
        model = found.question.model
        earlier = other is not None and self._host.is_earlier_model(other, model)
        whole = ShownAnswer(answer, standing, missed, self._host.nouns, from_standing=earlier)
        self.shown = self._keep_filter(whole, filtered)
        self._fill(clip)
        self._save()
        self.find_standing()

    def _keep_filter(self, whole: ShownAnswer, filtered: str) -> ShownAnswer:
        """With the filter of the answer before, if it can be read of this one too."""
        try:
            return whole.keep(filtered)
        except InputError as error:  # a name may be of several keywords by now
            said = f"The filter {filtered} is dropped, all results are listed: {error}"
            self._host.warn(escape(said))
            return whole

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
            still = f", still {self.shown.tell_from(asked)}" if asked is not None else ""
            self.results.border_title = Content(escape(f"{self.shown.title}{still}"))

    def clear(self) -> None:
        """Nothing is asked."""
        self.shown, self.list_missed = None, False
        self.results.empty = self.nothing_asked
        self.results.clear()
        self.results.border_title = "Results"
        self._strip.show_lines([])
        self.listed(None)

    @property
    def nothing_asked(self) -> str:
        """What can be done before anything is asked."""
        keymap, several = find_keymap(self._host), len(self._host.models) > 1
        if not self._host.nouns.has_labels:
            start = keymap.spell(describe_clip_start(several=several, texts=self._takes_texts))
            return start.replace(EXAMPLE, f": {escape(self._example)}" if self._example else "")
        first = self._host.services.bench.dataset.first_mode
        return keymap.spell(describe_label_start(first, several=several))

    def show_examples(self, model: OpenModel) -> None:
        """Say what could be asked, in the dataset's own words."""
        self._example, self._takes_texts = model.examples.text, model.takes_texts
        if self.shown is None:
            self.results.empty = self.nothing_asked

    def _fill(self, clip: str | None) -> None:
        if self.shown is None:
            return
        from tui.inspect.result_rows import ResultRows

        self.results.empty = self._explain_no_rows(self.shown)
        rows = ResultRows(self.shown, self._host.glyphs, lambda: self.results.line_width)
        self.results.show(rows, rows.find_row(clip))
        self.entitle(self._asked)
        self.listed(self.shown)
        self._strip.show_answer(self.shown, self._host.services.bench.language)

    def _explain_no_rows(self, shown: ShownAnswer) -> str:
        if not shown.filtered:
            return self._host.nouns.spell(NO_OTHER)
        text = find_keymap(self._host).spell(NOTHING_MATCHES)  # before anything that was typed
        text = text.replace("{count}", f"{shown.listable:,}")
        return text.replace("{filter}", escape(shown.filtered))

    def filter(self, text: str, clip: str | None) -> None:
        """List what holds a filter, which can be read, with the cursor on a clip or near to it."""
        if self.shown is not None:
            self.shown = self.shown.keep(text)
            self._fill(clip)

    def toggle_missed(self) -> None:
        if self.shown is not None:
            self.list_missed = not self.shown.missed
            self.shown = replace(self.shown, missed=self.list_missed)
            self._fill(self.results.clip)

    def show_all_metrics(self) -> None:
        from engine.metrics import SYMBOLS
        from tui.dialogs.basic_dialogs import TextDialog
        from tui.inspect.metric_lines import list_answer_metrics, list_instead

        self._host.services.questions.settle()
        if self.shown is not None:
            language = self._host.services.bench.language
            pairs, found = self.shown.answer.pairs, self.shown.inspection
            measures = [pair.measure for pair in pairs]
            levels = list(map(found.find_chance_level, measures))
            chance_p = list(map(found.find_chance_p, measures))
            glyphs = self._host.glyphs
            lines = list_answer_metrics(pairs, language, SYMBOLS, glyphs, levels, chance_p)
            width = self.results.app.size.width - 10
            lines += list_instead(found, self._host.glyphs, width)
            self.results.app.push_screen(TextDialog("Metrics of this query", lines))

    def go_to(self, clip: str) -> None:
        """Put the cursor on a clip, if it is ranked; what hides it gives way."""
        rows, shown = self.results.rows, self.shown
        place = None if shown is None else shown.inspection.place_of(clip)
        if rows is None or shown is None or place is None:
            return
        if rows.lists(place):
            self.results.cursor = rows.find_row(clip)
        else:
            self.list_missed = False
            self.shown = replace(shown.keep(""), missed=False)
            self._fill(clip)

    def moved(self) -> None:
        """The cursor is on another result."""
        self._remember()
        self._paint_detail()

    def _show_detail(self) -> None:
        self._detail.show_result(self.shown, self.results.place)
        self._detail.refresh_bindings()
        self.described()

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
        answer = self.shown.answer._replace(judgements=judgements)
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
            from engine.sessions import SessionView

            view = "missed" if self.shown.missed else "ranking"
            question = self.shown.inspection.question
            self._host.recorder.place.remember(SessionView(question, self.results.clip, view))


def describe_clip_start(*, several: bool, texts: bool) -> str:
    """What can be done with clips, with a place for an example; `several`: there are models to
    compare; `texts`: they can be asked."""
    compare = "{app.show_compare}  compare two models, worst first ({compare.run} runs it)"
    text = f"{{inspect.ask_text}}  ask with a text{EXAMPLE}"
    no_text = "{inspect.ask_text}  texts need an encoder: start with --encoder FOLDER"
    clip = "{inspect.ask_clip}  ask with a clip"
    lines = [
        "Nothing is asked yet.\n",
        *([text, clip] if texts else [clip, no_text]),
        "{app.show_evaluate}  evaluate all queries, worst first ({evaluate.run} runs it)",
        "{app.show_sessions}  go on with saved work",
        *([compare] if several else []),
        "{app.help}  help",
    ]
    return "\n".join(lines)


def describe_label_start(first: Mode, *, several: bool) -> str:
    """What can be done with label files; `several`: there are directions to compare."""
    evaluate = "{app.show_evaluate}  evaluate"
    items = f"{evaluate} all items, the worst first ({{evaluate.confusion}}: confusion)"
    texts = (
        f"{evaluate} the texts that stand for labels, the worst first "
        "({evaluate.toggle_mode}: all items)"
    )
    compare = "{app.show_compare}  compare two directions, the worst regressions first"
    lines = [
        "Nothing is asked yet.\n",
        items if first == "video" else texts,
        "{inspect.ask_clip}  ask with an item: type its id, or the number of its row",
        "{inspect.ask_text}  ask with a text",
        "{app.show_sessions}  go on with saved work",
        *([compare] if several else []),
        "{app.help}  help",
    ]
    return "\n".join(lines)
