"""Text → labels: a text that is a label means that label; others are mapped like keywords."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.base.keyword import Keyword
from engine.dataset.annotations.cells import clean_keyword
from engine.text.mapping.likeness import VectorSource
from engine.text.mapping.mapper import KeywordMapping, MappedKeyword, Mapper


class LabelMapper(Mapper):
    """Labels may be numbers or hold commas, which no reading of words would find."""

    def __init__(
        self, vocabulary: Sequence[Keyword], encoder: VectorSource, *, threshold: float
    ) -> None:
        super().__init__(vocabulary, encoder, threshold=threshold)
        self._spelled: dict[str, list[Keyword]] = {}
        self._cleaned: dict[str, list[Keyword]] = {}
        for keyword in vocabulary:
            self._spelled.setdefault(keyword.name, []).append(keyword)
            self._cleaned.setdefault(clean_keyword(keyword.name), []).append(keyword)

    def map_batch(
        self, queries: Sequence[str], groups: Sequence[Sequence[str] | None] | None = None
    ) -> list[KeywordMapping]:
        chosen = groups if groups is not None else [None] * len(queries)
        pairs = list(zip(queries, chosen, strict=True))
        whole = [self._label(query, group) for query, group in pairs]
        others = [pair for pair, found in zip(pairs, whole, strict=True) if found is None]
        mapped: Iterator[KeywordMapping] = iter(
            super().map_batch([query for query, _ in others], [group for _, group in others])
        )
        return [next(mapped) if found is None else found for found in whole]

    def _label(self, query: str, groups: Sequence[str] | None) -> KeywordMapping | None:
        """The label that the whole text is: as it is spelled, or else in any case."""
        for named in (
            self._spelled.get(query.strip(), []),
            self._cleaned.get(clean_keyword(query), []),
        ):
            found = [word for word in named if groups is None or word.group in groups]
            if found:
                span = (0, len(query))
                exact = (MappedKeyword(word, 1.0, query.strip(), span, "exact") for word in found)
                return KeywordMapping(query, tuple(exact), ())
        return None
