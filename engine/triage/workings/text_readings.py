"""What the mapper makes of the text queries, and what m would be were that asked instead.

Keywords decide what is relevant and nothing else: a text is searched by its vector. So the results
stay, and m under other keywords is counted from them anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.keyword import Keyword
from engine.base.ranking import NO_ITEM
from engine.dataset.annotations.layout import normalise_group
from engine.dataset.clip_set import BitWords
from engine.dataset.query_files import TextQuery
from engine.text.mapping.mapper import KeywordMapping
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Study

MOST_TEXTS = 400
"""That are mapped: unknown words have to be encoded, a second for each two hundred."""

_AT_ONCE = 50


@dataclass(frozen=True, slots=True, eq=False)
class TextReadings:
    """Texts and how they were read; `rows` are those of the queries of the text mode.

    labelled  (t,) whether a person gave the keywords
    used      (t, words) the keywords that decide in the study: as given, else as the mapper read
    scores    (t, columns) how likely the mapper takes each chosen keyword to be meant
    read      (t, words) those that count by its threshold
    """

    asked: ModeQueries
    rows: Ints
    texts: tuple[str, ...]
    mappings: tuple[KeywordMapping, ...]
    labelled: Bools
    used: BitWords
    scores: Floats
    read: BitWords
    threshold: float

    def __len__(self) -> int:
        return len(self.rows)


def map_queries(study: Study) -> TextReadings | None:
    """Map the texts, or a sample of them; None where no text is asked."""
    asked = next((one for one in study.asked if one.mode == "text"), None)
    if asked is None or study.texts is None or not len(asked):
        return None
    rows = _choose_texts(study, asked)
    texts = tuple(asked.queries.names[row] for row in rows.tolist())
    given = [_find_given(study.texts.given, asked, row) for row in rows.tolist()]
    mappings: list[KeywordMapping] = []
    for piece in study.pieces(len(texts), _AT_ONCE):
        mappings += study.texts.map(texts[piece])
    scores = np.zeros((len(rows), len(study.selection.columns)))
    column_of = {word: place for place, word in enumerate(study.selection.keywords)}
    for place, (mapping, query) in enumerate(zip(mappings, given, strict=True)):
        for keyword, score in _list_scores(mapping, query):
            if keyword in column_of:
                column = column_of[keyword]
                scores[place, column] = max(scores[place, column], score)
    return TextReadings(
        asked=asked,
        rows=rows,
        texts=texts,
        mappings=tuple(mappings),
        labelled=np.array([one is not None and one.keywords is not None for one in given]),
        used=asked.queries.bits[rows],
        scores=scores,
        read=pack_columns(scores >= study.texts.threshold, study.selection.columns, study),
        threshold=study.texts.threshold,
    )


def _choose_texts(study: Study, asked: ModeQueries) -> Ints:
    if len(asked) <= MOST_TEXTS:
        return np.arange(len(asked))
    drawn = study.make_rng("mapper texts").choice(len(asked), MOST_TEXTS, replace=False)
    return np.sort(drawn)


def _find_given(given: tuple[TextQuery, ...], asked: ModeQueries, row: int) -> TextQuery | None:
    """The query as it was written; None if it is not among them."""
    place, name = int(asked.queries.places[row]), asked.queries.names[row]
    if place < len(given) and given[place].text == name:
        return given[place]
    return next((one for one in given if one.text == name), None)


def _list_scores(mapping: KeywordMapping, query: TextQuery | None) -> list[tuple[Keyword, float]]:
    """Keywords of the groups that a query asks about, each with how likely it is meant."""
    found = [(item.keyword, item.score) for item in (*mapping.keywords, *mapping.near)]
    found += mapping.rejected
    if query is None or query.groups is None:
        return found
    wanted = set(map(normalise_group, query.groups))
    return [(word, score) for word, score in found if normalise_group(word.group) in wanted]


def pack_columns(chosen: Bools, columns: Ints, study: Study) -> BitWords:
    """(t, words) single columns as rows of bits."""
    return np.array([study.truth.words.mask(columns[row]) for row in chosen], np.uint64).reshape(
        -1, study.truth.words.words
    )


def count_relevant(study: Study, bits: BitWords) -> Ints:
    """(t,) clips that have all keywords of each set; 0 of none."""
    return study.truth.relevant_counts(bits)


def measure_under(readings: TextReadings, study: Study, rows: Ints, bits: BitWords) -> Floats:
    """(t,) m of some of the queries were these their keywords; NaN where no clip has them all."""
    judged, k = readings.asked.judged, study.settings.k
    indices, retrieved = judged.ranking.indices[rows, :k], judged.retrieved[rows, :k]
    hits = study.truth.has_all(indices, bits) & retrieved & (indices != NO_ITEM)
    values: Floats = hits.sum(axis=1) / k
    return np.where(count_relevant(study, bits) > 0, values, np.nan)
