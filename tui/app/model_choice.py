"""The models of a dataset: which is the next, and which is held against which."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset

Chosen: TypeAlias = Callable[[str | None], None]
"""Hears which model was chosen; None: none was."""


class ModelChoice:
    """What can be chosen from; `push` opens a dialog."""

    def __init__(self, dataset: Dataset, push: Callable[..., Any]) -> None:
        self.names = tuple(dataset.models)
        self._options = [
            (str(n) if n < 10 else "", name, spec.description)
            for n, (name, spec) in enumerate(dataset.models.items(), start=1)
        ]
        self._push = push
        self._compared: tuple[str, ...] = ()
        """Two models that were compared, the one before first: each is held against the other."""

    def hold_against(self, before: str, after: str) -> None:
        self._compared = before, after

    def other(self, model: str) -> str | None:
        """The model that the ranking is held against: the one it was compared with, or the next."""
        if model in self._compared:
            return next((one for one in self._compared if one != model), None)
        names = self.names
        return names[(names.index(model) + 1) % len(names)] if len(names) > 1 else None

    def is_earlier(self, one: str, other: str) -> bool:
        """Whether one model comes before the other: in the comparison of both, else in the
        dataset."""
        order = self._compared if {one, other} == {*self._compared} else self.names
        return order.index(one) < order.index(other)

    def choose(self, title: str, now: str, chosen: Chosen) -> None:
        """Ask which of the models."""
        from tui.dialogs.basic_dialogs import ChoiceDialog

        self._push(ChoiceDialog(title, self._options, now), chosen)

    def choose_next(self, title: str, now: str, chosen: Chosen) -> None:
        """The other one of two; of more, ask."""
        if len(self.names) == 2:
            chosen(self.other(now))
        else:
            self.choose(title, now, chosen)
