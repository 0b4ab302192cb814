"""The panes of Compare: two models in a few lines, their queries, and what became of one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from engine.base.mode import Mode
from engine.compare.table import CompareTable
from tui.compare.rows import ChangeRows, SliceTable
from tui.compare.state import CompareHost, Running, Scopes, View
from tui.compare.text import flip_lines, head_lines
from tui.keys.footer import KeyFooter
from tui.look.glyphs import Glyphs
from tui.look.safe import safe
from tui.shell.filter_screen import FilterScreen
from tui.shell.progress_text import count_text, progress_text, starting_text
from tui.widgets.line_table import LineTable
from tui.widgets.lines_view import Line, LinesView
from tui.widgets.plot_pane import PlotPane
from tui.work.scope import Scope
from tui.work.throttle import Throttle

TICK = 1.0
"""Seconds between two looks at a run that has not said anything yet."""

DETAIL_PAUSE = 0.12
"""Seconds between two paintings of the detail while a key is held down."""

ONE_MODEL = (
    "This dataset has one model, and a comparison needs two.\n\n"
    "Add another to its dataset.toml:\n\n"
    '[models.NAME]\nembeddings = "FILE.npz"'
)


ONE_DIRECTION = (
    "There is one direction, and a comparison needs two.\n\n"
    "Start with the second modality as well: give --text-embeddings FILE."
)


class HeadStrip(LinesView, can_focus=False):
    """The models in a few lines."""

    heights = (1, 8)

    def _wrap(self) -> None:
        if self.scrollable_content_region.width > 0:
            super()._wrap()
        else:  # not laid out yet: the table below must not jump when it is
            self.styles.height = len(self._lines)


class Flips(LinesView):
    """What became of the results of the selected query."""

    jump_key = "d"
    pane = "flips"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._query: tuple[CompareTable, int] | None = None

    def show_query(self, table: CompareTable | None, row: int | None) -> None:
        self._query = None if table is None or row is None else (table, row)
        self._draw()

    def fit(self) -> None:
        self._draw()  # ids are cut to the width

    def _draw(self) -> None:
        width = self.scrollable_content_region.width
        if self._query is None:
            self.show_lines([Line.of(("No query is selected.", "dim"))])
        elif width > 0:
            self.show_lines(flip_lines(*self._query, width, self._glyphs, self._nouns))


class ComparePanes(FilterScreen):
    """The screen as it is seen; what its keys do is `CompareScreen`'s."""

    CSS_PATH = "compare.tcss"
    AUTO_FOCUS = "#queries"

    def __init__(
        self,
        mode: Mode = "text",
        modes: Sequence[Mode] = ("text", "video"),
        *,
        at_once: bool = False,
    ) -> None:
        """`at_once`: what is looked at is compared without being asked."""
        super().__init__()
        self.mode: Mode = mode
        self._modes = modes
        self._at_once = at_once
        self._views: dict[Mode, View] = {one: View() for one in modes}
        self._under_way: Running | None = None
        self._chosen_models: tuple[str, str] | None = None
        self._asked_then = ""
        self._paint_flips = Throttle(self, DETAIL_PAUSE, self._show_flips)

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield HeadStrip(id="head")
        yield Static(id="summary", markup=False)
        with Horizontal(id="body"):
            yield LineTable(id="queries")
            # The frame is the pane's, so that a changed line is sent without it.
            with Vertical(id="flips-pane"):
                yield Flips(id="flips")
            yield SliceTable(id="slices")
            yield PlotPane(id="plots")
        yield from self._compose_filter()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.set_focus(self._queries)
        self._show()
        self.set_interval(TICK, self._tick)

    def _tick(self) -> None:
        """While nothing is heard of a run, its line still says that time goes by."""
        if self._under_way is not None and self._under_way.pace.step is None and self.is_current:
            self._tell_summary()

    def on_screen_resume(self) -> None:
        self.scope_changed()

    def on_resize(self) -> None:
        self.call_after_refresh(self._tell_summary)  # its words depend on the width

    def scope_changed(self) -> None:
        """The app's model or groups are others; the table says what it was made with."""
        if self.is_mounted:
            self._tell()

    # Parts

    @property
    def _host(self) -> CompareHost:
        return cast(CompareHost, self.app)

    @property
    def _view(self) -> View:
        return self._views[self.mode]

    @property
    def _slices(self) -> SliceTable:
        return self.query_one("#slices", SliceTable)

    @property
    def _plots(self) -> PlotPane:
        return self.query_one("#plots", PlotPane)

    @property
    def _slicing(self) -> bool:
        return self.has_class("-slicing")

    @property
    def _plotting(self) -> bool:
        return self.has_class("-plotting")

    @property
    def _models(self) -> tuple[str, str] | None:
        """Before and after: as chosen, else the model that is asked and the one it is held
        against, in the order of the dataset. None: there is one model only."""
        asked, models = self._host.evaluation_scope.model, self._host.models
        other = self._host.other_model(asked)
        if other is None:
            return None
        fresh = asked != self._asked_then
        self._asked_then = asked
        if self._chosen_models is None or (fresh and asked not in self._chosen_models):
            first, second = sorted((asked, other), key=models.index)
            self._chosen_models = first, second
        return self._chosen_models

    @property
    def _scopes(self) -> Scopes | None:
        """What a run would compare now."""
        if self._models is None:
            return None
        scope = self._host.evaluation_scope
        before, after = (replace(scope, model=model) for model in self._models)
        return before, after

    # Rows

    def _show(self) -> None:
        """Show the mode's rows in its order; the cursor stays on its query."""
        view, table = self._view, self._view.table
        if table is None:
            self._queries.clear()
            self._tell()
            return
        order = table.order(view.sort.key, view.sort.descending)
        mask = table.matching(view.chosen)
        if view.kept is not None:
            mask &= table.within(view.kept)
        view.rows = order[mask[order]]
        places = np.flatnonzero(view.rows == view.current)
        place = int(places[0]) if len(places) else 0
        view.placed = int(view.rows[place]) if len(view.rows) else None
        queries = self._queries
        rows = ChangeRows(
            table,
            view.rows,
            view.sort,
            self._host.glyphs,
            lambda: queries.line_width,
            self._nouns,
        )
        queries.show(rows, place)
        self._tell()

    @on(LineTable.Moved, "#queries")
    def _moved(self, event: LineTable.Moved) -> None:
        view = self._view
        if 0 <= event.row < len(view.rows):
            row = int(view.rows[event.row])
            # A filter that hides the query moves the cursor, but not the user's place.
            if row != view.placed:
                view.current, view.placed = row, None
        self._paint_flips()

    def _row(self) -> int | None:
        place = self._queries.cursor
        return int(self._view.rows[place]) if 0 <= place < len(self._view.rows) else None

    def _show_flips(self) -> None:
        self.query_one(Flips).show_query(self._view.table, self._row())

    # Words

    def _tell(self) -> None:
        self._tell_title()
        self._tell_summary()
        self._queries.empty = self._empty_text()
        self.set_class(self._view.table is None, "-empty")
        self.refresh_bindings()

    def _tell_title(self) -> None:
        host, view, dot = self._host, self._view, f" {self._host.glyphs.dot} "
        now = self._scopes
        scopes = view.scopes or now
        if scopes is None:
            about = host.dataset_name
        else:
            told = host.glyphs.spell(_both(scopes, host.glyphs).told(dot))
            about = f"{host.dataset_name}{dot}{told}"
        parts = self._counts(view)
        if now is not None and scopes is not None and scopes != now:
            models = (
                f" ({_both(now, host.glyphs).model})" if _models(now) != _models(scopes) else ""
            )
            parts.insert(1, f"made with other settings: r runs it again{models}")
        self.query_one("#title", Static).update(
            Content.assemble(("Compare", "bold"), f"{dot}{safe(about)}\n", safe(dot.join(parts)))
        )

    def _counts(self, view: View) -> list[str]:
        table, queries = view.table, self._nouns.spell(f"{self.mode} queries")
        if self._under_way is not None and self._under_way.model:
            models = _models(self._under_way.scopes)
            number = models.index(self._under_way.model) + 1
            both = self._nouns.spell(f"{number} of 2 models")
            return [queries, f"{self._under_way.model}, {both}"]
        if table is None:
            return [queries]
        few = table.statistics.few_slices
        if self._slicing:
            least = table.statistics.settings.least_queries
            count = count_text(len(table), len(table), self.mode, self._nouns)
            parts = [f"Slices of {count}", "worst first"]
            return [*parts, f"{few:,} with fewer than {least} not listed"] if few else parts
        parts = [
            count_text(len(view.rows), len(table), self.mode, self._nouns),
            view.sort.told(self._nouns),
        ]
        if view.kept is not None:
            parts.append(f"only {view.kept.name}")
        if view.filter_text:
            parts.append(f"filter {view.filter_text}")
        return parts

    def _tell_summary(self) -> None:
        line, head, view = self.query_one("#summary", Static), self.query_one(HeadStrip), self._view
        running = self._under_way
        failed = bool(view.failure) and running is None and view.table is not None
        line.set_class(failed, "-failed")
        if running is not None:
            line.update(Content(self._progress(running)))
        else:
            line.update(Content(safe(view.failure, keep="\n")))
        line.display = running is not None or failed
        head.display = view.table is not None and running is None
        if view.table is not None:
            width = self.size.width - 2
            shown = "shown" if view.kept is None or view.filter_text else view.kept.name
            head.show_lines(
                head_lines(view.table, view.rows, width, self._host.glyphs, shown, self._nouns)
            )

    def _progress(self, run: Running) -> str:
        glyphs = self._host.glyphs
        if run.pace.step is not None:
            return progress_text(run.pace, glyphs, 20 if self.size.width >= 100 else 8)
        encoder = self._host.encoder_state if self.mode == "text" else "ready"
        return starting_text(time.monotonic() - run.started, encoder, glyphs)

    def _empty_text(self) -> str:
        view, scopes = self._view, self._scopes
        other = "video" if self.mode == "text" else "text"
        if scopes is None:
            return ONE_DIRECTION if self._nouns.has_labels else ONE_MODEL
        if view.table is not None:
            return "No query matches.\n\n/ changes the filter, Escape shows all queries."
        if self._under_way is not None:
            return self._nouns.spell("The table comes when both models have answered every query.")
        if view.failure:
            return f"The comparison stopped.\n\n{view.failure}\n\nr runs it again."
        swap = "m swaps them" if len(self._host.models) == 2 else "m chooses another model"
        before, after = _models(scopes)
        then = (
            f"the whole set of {self.mode} queries and lists what changed from the first to the "
            f"second, the worst first; {swap}, t changes to {other} queries."
        )
        asks = f"r asks {before} and {after}"
        return f"Nothing is compared yet.\n\n{asks} {self._nouns.spell(then)}"


def _models(scopes: Scopes) -> tuple[str, str]:
    return scopes[0].model, scopes[1].model


def _both(scopes: Scopes, glyphs: Glyphs) -> Scope:
    """The scope that both share, with the names of both models."""
    return replace(scopes[0], model=f" {glyphs.arrow} ".join(_models(scopes)))
