"""Minimal pairs as a document, as rows, and as a query set that `run --queries` reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from engine.dataset.ground_truth import GroundTruth
from engine.dataset.vocabulary import Selection
from engine.files.csv_cells import join_cell, to_csv
from engine.files.envelope import enclose
from engine.files.input_file import InputFile
from engine.keywords.minimal_pairs import MinimalPairs

PairWording: TypeAlias = Literal["keywords", "queries"]

_COLUMNS = (
    *("kind", "group", "right_keyword", "wrong_keyword", "anchor", "swapped"),
    *("right_clip", "wrong_clip", "shared"),
)


@dataclass(frozen=True, slots=True, eq=False)
class PairSample:
    """Pairs that were drawn, from which clips, and how.

    wording  what texts are made of: the names of the keywords, or the dataset's queries
    limit    of each kind
    """

    dataset: str
    truth: GroundTruth
    selection: Selection
    wording: PairWording
    limit: int
    seed: int
    pairs: tuple[MinimalPairs, ...]

    def count_by_group(self) -> dict[str, dict[str, int]]:
        """How many pairs of each kind every chosen group has."""
        names = self.truth.words.groups
        return {
            found.kind: {
                group: int((found.group == names.index(group)).sum())
                for group in self.selection.groups
            }
            for found in self.pairs
        }

    @property
    def notes(self) -> list[str]:
        """The groups that no pair can test, however many are drawn."""
        names, counts = self.truth.words.groups, self.count_by_group()
        return [
            f"{found.kind}: no pair differs by one keyword of {group} alone"
            for found in self.pairs
            for group, count in counts[found.kind].items()
            if not count and (len(found) < self.limit or not found.possible[names.index(group)])
        ]


@dataclass(frozen=True, slots=True)
class PairRow:
    """One pair in words. `anchor` is the text or the clip that asks; `swapped` is the text that
    stands against it, None where a clip asks."""

    kind: str
    group: str
    right_keyword: str
    wrong_keyword: str
    anchor: str
    swapped: str | None
    right_clip: str
    wrong_clip: str
    shared: tuple[str, ...]


def list_pair_rows(sample: PairSample) -> Iterator[PairRow]:
    """All pairs in words, kind by kind."""
    truth = sample.truth
    words, ids = truth.words, truth.ids
    for found in sample.pairs:
        shared = found.list_shared(truth, sample.selection)
        for number in range(len(found)):
            right = words.keywords[int(found.right_keyword[number])]
            yield PairRow(
                kind=found.kind,
                group=right.group,
                right_keyword=right.name,
                wrong_keyword=words.keywords[int(found.wrong_keyword[number])].name,
                anchor=found.texts[number]
                if found.kind == "texts"
                else ids[int(found.anchors[number])],
                swapped=found.swapped[number] if found.kind == "texts" else None,
                right_clip=ids[int(found.right[number])],
                wrong_clip=ids[int(found.wrong[number])],
                shared=tuple(map(str, shared[number])),
            )


def build_pairs_document(
    sample: PairSample, inputs: Mapping[str, InputFile] | None = None
) -> dict[str, Any]:
    """All pairs, ready for JSON."""
    fields = {
        "dataset": sample.dataset,
        "clips": len(sample.truth),
        "groups": list(sample.selection.groups),
        "settings": {"limit": sample.limit, "seed": sample.seed, "wording": sample.wording},
        "counts": sample.count_by_group(),
        "pairs": [_dump(row) for row in list_pair_rows(sample)],
    }
    return enclose("pairs", fields, inputs=inputs, notes=sample.notes)


def format_pairs_csv(sample: PairSample) -> str:
    """One row per pair; the shared keywords in one cell."""
    rows = ({**_dump(row), "shared": join_cell(row.shared)} for row in list_pair_rows(sample))
    return to_csv(_COLUMNS, ([row[name] for name in _COLUMNS] for row in rows))


def format_pair_lines(sample: PairSample) -> str:
    """One JSON object per pair and line."""
    return _to_lines([_dump(row) for row in list_pair_rows(sample)])


def format_pair_queries(sample: PairSample) -> str:
    """Every text of the text pairs once, with its keywords, as JSON lines of a query set."""
    keywords: dict[str, list[str]] = {}
    words = sample.truth.words
    for found in sample.pairs:
        for texts, asked in ((found.texts, found.asked), (found.swapped, found.swapped_asked)):
            for text, bits in zip(texts, asked, strict=False):  # where clips ask there are none
                keywords.setdefault(text, [str(word) for word in words.named(bits)])
    return _to_lines([{"q": text, "kw": own} for text, own in keywords.items()])


def _dump(row: PairRow) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in ((name, getattr(row, name)) for name in _COLUMNS)
    }


def _to_lines(objects: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)
