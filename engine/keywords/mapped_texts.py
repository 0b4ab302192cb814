"""A dataset's mapper, made when it is first needed, and the texts that it has mapped lately."""

from __future__ import annotations

from collections.abc import Callable

from engine.base.caches import OnceCache, RecentCache
from engine.dataset.dataset import Dataset
from engine.text.mapping.mapper import KeywordMapping, Mapper

TEXTS_KEPT = 500


class MappedTexts:
    """What texts mean by the phrases of a dataset; other phrases need another of these."""

    def __init__(self, dataset: Dataset, make: Callable[[Dataset], Mapper]) -> None:
        self.dataset = dataset
        self._mapper: OnceCache[None, Mapper] = OnceCache(lambda _: make(dataset))
        self._known: RecentCache[tuple[str, tuple[str, ...]], KeywordMapping]
        self._known = RecentCache(TEXTS_KEPT)

    @property
    def mapper(self) -> Mapper:
        """Compiled once."""
        return self._mapper[None]

    def find(self, text: str, groups: tuple[str, ...]) -> KeywordMapping:
        """What keywords of these groups a text means."""
        known = self._known.get((text, groups))
        if known is None:
            known = self.mapper.map(text, groups)
            self._known.put((text, groups), known)
        return known
