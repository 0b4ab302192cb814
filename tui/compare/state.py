"""What Compare needs of the app, what it remembers, and a comparison that is under way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from engine.base.arrays import Ints
from engine.base.mode import Mode
from engine.compare import Slice
from engine.compare.saved_side import SavedSide
from engine.compare.table import CompareTable
from engine.keywords.evaluated import Evaluated
from engine.keywords.query_filter import Filter
from tui.compare.rows import ChangeSort
from tui.look.glyphs import Glyphs
from tui.work.pace import Pace
from tui.work.scope import Scope
from tui.work.services import ModelReport

if TYPE_CHECKING:
    from tui.work.evaluating import Curves

Scopes: TypeAlias = tuple[Scope, Scope]


class CompareHost(Protocol):
    """What this screen needs of the app."""

    glyphs: Glyphs

    def start_comparison(
        self,
        mode: Mode,
        scopes: Scopes,
        on_progress: ModelReport,
        on_done: Callable[[CompareTable], None],
        on_failed: Callable[[Exception], None],
    ) -> Callable[[], None]:
        """Compare in the background and return what cancels it; callbacks come on the UI's
        thread."""
        ...

    def start_curves(
        self,
        evaluations: Sequence[Evaluated | SavedSide],
        on_done: Callable[[tuple[Curves, ...]], None],
        on_failed: Callable[[Exception], None],
    ) -> None:
        """Compute in the background what is drawn of them."""
        ...

    def open_compared(
        self, models: tuple[str, str], mode: Mode, query: str, keywords: tuple[str, ...]
    ) -> None:
        """Go to Inspect with this query of the second model, held against the first."""
        ...

    def choose_model(self, title: str, now: str, chosen: Callable[[str | None], None]) -> None: ...

    def show_inspect(self) -> None: ...

    @property
    def models(self) -> tuple[str, ...]: ...

    def other_model(self, model: str) -> str | None: ...

    @property
    def encoder_state(self) -> str: ...

    @property
    def evaluation_scope(self) -> Scope: ...

    @property
    def dataset_name(self) -> str: ...


@dataclass(slots=True)
class View:
    """What the screen remembers of one mode.

    kept     the slice whose queries are shown; None: those of all
    current  the row (of the table, not of the screen) that the user was last on
    placed   the row on which a new order or filter put the cursor
    """

    table: CompareTable | None = None
    scopes: Scopes | None = None
    sort: ChangeSort = field(default_factory=ChangeSort)
    filter_text: str = ""
    chosen: Filter = field(default_factory=Filter)
    kept: Slice | None = None
    rows: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    current: int | None = None
    placed: int | None = None
    failure: str = ""


@dataclass(slots=True, eq=False)
class Running:
    """A comparison under way; what an earlier one still reports is not listened to."""

    scopes: Scopes
    started: float
    model: str = ""
    pace: Pace = field(default_factory=Pace)
    cancel: Callable[[], None] = lambda: None
