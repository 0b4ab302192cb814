"""`tui-eval pairs`: clips and texts that differ by one keyword, to test one keyword at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from engine.base.errors import InputError, Place
from engine.base.json_text import as_json
from tui.cli.shared import options as o
from tui.cli.shared.console import open_workbench, show_spinner
from tui.cli.shared.dataset_options import DatasetChoice, SingleFiles
from tui.cli.shared.groups import option, takes_groups
from tui.cli.shared.output import FORMAT_SUFFIXES, Output, written

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset
    from engine.dataset.query_set import QuerySet
    from engine.dataset.vocabulary import Selection
    from engine.files.input_file import FileSet, InputFile
    from engine.keywords.minimal_pairs import MinimalPairs

_QUERY_ENDINGS = (".jsonl", ".ndjson", ".json")


@dataclass(frozen=True)
class PairOutput(Output):
    """Also as lines, and as a query set."""

    format: Literal["table", "json", "jsonl", "csv", "queries"] | None = written(
        "table, json, jsonl, csv, or queries: the texts with their keywords, for run --queries. "
        "Default: table, or as the name of --out says.",
        short="-f",
        metavar="FORMAT",
    )

    suffixes: ClassVar[Mapping[str, str]] = {**FORMAT_SUFFIXES, ".jsonl": "jsonl"}

    def check(self) -> None:
        super().check()
        is_odd = self.out is not None and self.out.suffix.lower() not in _QUERY_ENDINGS
        if self.shape == "queries" and is_odd:
            raise InputError(
                "a query set is written as JSON lines, which its name must say",
                Place(self.out),
                hint="name a file that ends in .jsonl",
            )


@takes_groups
def pairs(
    *,
    dataset: DatasetChoice,
    kind: Literal["clips", "texts", "both"] = option(
        "Pairs of clips with a third clip that asks, of texts with clips, or both.", "both"
    ),
    wording: Literal["keywords", "queries"] = option(
        "Texts: the names of all keywords of a clip, or the dataset's queries in which a keyword "
        "stands word for word.",
        "keywords",
    ),
    groups: str | None = o.GROUPS(),
    keywords: str | None = o.KEYWORDS(),
    limit: int = option("Most pairs of each kind; groups and keywords get equal shares.", 500),
    seed: int = option("Seed of the sample.", 0),
    output: PairOutput,
    files: SingleFiles,
) -> None:
    """List minimal pairs: clips and texts that are equal but for one keyword.

    Examples:
    tui-eval pairs
    tui-eval pairs DATASET --groups object_type,actor_behavior --out pairs.csv
    tui-eval pairs --kind texts --wording queries --limit 100 --json
    tui-eval pairs --kind texts --format queries --out swapped.jsonl
    tui-eval run --queries swapped.jsonl --mode text
    """
    from engine.files.input_file import reading_inputs
    from engine.keywords.run import choose_selection
    from engine.report.pairs.document import (
        PairSample,
        build_pairs_document,
        format_pair_lines,
        format_pair_queries,
        format_pairs_csv,
    )
    from tui.cli.pairs.view import build_pairs_view

    opened = files.open(dataset.named)
    output.check()
    if output.shape == "queries" and kind == "clips":
        raise InputError("clips make no query set of texts", hint="leave --kind clips out")
    asks = wording == "queries" and kind != "clips"
    with reading_inputs(opened.texts_file if asks else None) as read:
        with show_spinner("reading the dataset"):
            truth = opened.truth
        chosen = o.resolve_groups(groups, opened)
        selection = choose_selection(opened, truth, chosen, o.split_list(keywords))
        queries = _read_queries(opened, selection) if asks else None
        with show_spinner("looking for pairs"):
            found = _find(opened, selection, kind, limit, seed, queries)
    sample = PairSample(opened.name, truth, selection, wording, limit, seed, tuple(found))
    output.write(
        {
            "table": lambda: build_pairs_view(sample, is_written=output.out is not None),
            "json": lambda: as_json(build_pairs_document(sample, _name_inputs(opened, asks, read))),
            "jsonl": lambda: format_pair_lines(sample),
            "csv": lambda: format_pairs_csv(sample),
            "queries": lambda: format_pair_queries(sample),
        },
        notes=sample.notes,
        bare=("csv", "jsonl", "queries"),
    )


def _find(
    opened: Dataset,
    selection: Selection,
    kind: str,
    limit: int,
    seed: int,
    queries: QuerySet | None,
) -> list[MinimalPairs]:
    from engine.keywords.minimal_pairs import find_clip_pairs, find_text_pairs

    found = []
    if kind != "texts":
        found.append(find_clip_pairs(opened.truth, selection, limit=limit, seed=seed))
    if kind != "clips":
        texts = find_text_pairs(opened.truth, selection, limit=limit, seed=seed, queries=queries)
        found.append(texts)
    return found


def _read_queries(opened: Dataset, selection: Selection) -> QuerySet:
    """The dataset's own texts, with the keywords that they are given or mapped to."""
    from engine.dataset.query_set import build_text_queries

    texts = opened.texts()
    if texts is None:
        raise InputError(
            f"the dataset {opened.name} has no queries of its own",
            hint="leave --wording queries out",
        )
    with open_workbench(opened) as bench:
        return build_text_queries(texts, opened.truth, selection, lambda: bench.mapper)


def _name_inputs(opened: Dataset, asks: bool, read: FileSet) -> Mapping[str, InputFile]:
    """The annotations, and the queries if they were read."""
    files = opened.annotations.files | read
    roles = opened.inputs()
    if asks and opened.texts_file is not None:
        roles["queries"] = opened.texts_file
    return files.named(roles)
