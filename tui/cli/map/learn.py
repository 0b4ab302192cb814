"""`tui-eval map learn`: phrases worth knowing, from queries whose keywords are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from engine.base.errors import ExitCode, InputError
from engine.base.json_text import as_json
from engine.base.messages import pluralise
from tui.cli.map.labelled import open_labelled
from tui.cli.map.options import KeywordOptions, LearningOptions
from tui.cli.shared import options as o
from tui.cli.shared.console import say, show_spinner
from tui.cli.shared.groups import option, takes_groups
from tui.cli.shared.output import ListOutput
from tui.look.safe import escape

if TYPE_CHECKING:
    from rich.console import RenderableType

    from engine.dataset.dataset import Dataset
    from engine.text.learning.learn import LearnedPhrase, LearningOutcome
    from engine.text.learning.proposals import Proposal
    from engine.text.mapping.accuracy import Accuracy


@takes_groups
def learn_from_queries(
    *,
    queries: Path | None = option(
        "Queries with the keywords they mean: CSV (query,keywords) or JSON lines "
        '({"q": …, "groups": \\[…], "kw": \\[…]}). Default: the dataset\'s own.',
        name="--from",
    ),
    groups: str | None = o.groups(
        "those a query names, else the dataset's default groups, or all of a vocabulary."
    ),
    known: LearningOptions,
    support: int = option("Propose only phrases that this many queries support.", 1, min=1),
    folds: int = option("Number of folds in the cross-validation.", 5, min=2),
    write: bool = option(
        "Write what was learned to dataset.toml, or next to the sessions if that cannot be "
        "written. Without this option the lines are printed for you to paste.",
        False,
    ),
    encoder: str | None = o.ENCODER(),
    output: ListOutput,
) -> None:
    """Propose synonyms, and phrases that never mean a keyword, from queries with known keywords.

    A phrase is proposed if it helps with queries that it was not learned from. One that only a
    single query contains is marked "seen once": it could not be tried on others.

    Exit code 1 if --write could not write a phrase, and a line says which; else 0.

    Examples:
    tui-eval map learn --from queries.csv
    tui-eval map learn path/to/dataset --support 2 --write
    tui-eval map learn --from queries.jsonl --vocabulary vocabulary.json --json
    """
    from engine.report.map.document import build_learning_document
    from engine.text.learning.learn import learn_phrases

    if write and known.vocabulary is not None:
        raise InputError(
            "--write and --vocabulary were given",
            hint="a vocabulary keeps no phrases; name the dataset with --dataset",
        )
    queries = queries or _own_queries(known)
    output.check()
    with open_labelled(queries, known, groups, encoder) as given:
        asked, threshold = given.labelled.queries, given.mapper.threshold
        with show_spinner(f"learning from {len(asked):,} queries"):
            learning = learn_phrases(given.mapper, asked, folds=folds, least=support)
    written = _write(known.opened, learning.taken, output.tell) if write else _Written()
    unlabelled = given.labelled.unlabelled
    output.write(
        {
            "table": lambda: _build_view(learning, given.notes, pasted=not write),
            "json": lambda: as_json(
                build_learning_document(
                    learning,
                    unlabelled,
                    threshold,
                    map(str, written.files),
                    written.refused,
                    given.files,
                    given.notes,
                )
            ),
        },
        notes=given.notes,
    )
    if written.refused:
        raise typer.Exit(ExitCode.FAILED)


def _own_queries(known: KeywordOptions) -> Path:
    own = None if known.vocabulary is not None else known.opened.queries_file
    if own is None:
        raise InputError("there are no queries to learn from", hint="name them: --from queries.csv")
    return own


@dataclass(frozen=True, slots=True)
class _Written:
    """The files that phrases were written to, and the phrases that could not be, with reasons."""

    files: Sequence[Path] = ()
    refused: Sequence[tuple[LearnedPhrase, str]] = ()


def _write(
    dataset: Dataset, learned: Sequence[LearnedPhrase], tell: Callable[[str], None]
) -> _Written:
    """Write down what was learned, each phrase if the files as they are then allow it; say so."""
    counts: Counter[Path] = Counter()
    refused: list[tuple[LearnedPhrase, str]] = []
    for one in learned:
        # What is said of two phrases alike is wrong with the file: it is not tried for each.
        reasons = [reason for _, reason in refused[-2:]]
        hopeless = len(reasons) == 2 and reasons[0] == reasons[1]
        found = reasons[0] if hopeless else _write_phrase(dataset, one.proposal)
        if isinstance(found, Path):
            counts[found] += 1
        else:
            refused.append((one, found))
            say(f'not written: "{one.proposal.phrase}": {found}')
    for file, count in counts.items():
        tell(f"wrote {pluralise(count, 'phrase')} to {file}")
    return _Written(list(counts), refused)


def _write_phrase(dataset: Dataset, learned: Proposal) -> Path | str:
    """The file that it was written to, or why it was not."""
    from engine.dataset.learned_file import find_learned_file
    from engine.dataset.remember import remember_phrase

    beside = find_learned_file(dataset)
    try:
        return remember_phrase(
            dataset, learned.keyword, learned.phrase, never=learned.never, beside=beside
        ).file
    except InputError as error:
        return str(error)


def _build_view(
    learning: LearningOutcome, notes: Sequence[str], *, pasted: bool
) -> list[RenderableType]:
    from rich.text import Text

    from engine.report.map.document import format_phrases
    from tui.cli.shared.metric_table import format_notes

    parts: list[RenderableType] = [
        Text(f"{pluralise(len(learning.taken), 'phrase')} to learn", style="bold"),
        Text(
            f"in queries that were not learned from ({learning.folds} folds): "
            f"{_describe(learning.before)} → {_describe(learning.after)}"
        ),
    ]
    if learning.taken:
        parts += [Text(""), _table(learning.taken)]
    if learning.refused:
        phrases = dict.fromkeys(one.proposal.phrase for one in learning.refused)
        names = ", ".join(f'"{phrase}"' for phrase in phrases)
        parts.append(Text(escape(f"proposed, but of no use elsewhere: {names}"), style="dim"))
    parts += format_notes(notes)
    if learning.taken and pasted:
        parts += [
            Text(""),
            Text("for dataset.toml (--write puts it there):", style="bold"),
            Text(escape(format_phrases(learning.taken).strip(), keep="\n")),
        ]
    return parts


def _describe(found: Accuracy) -> str:
    return f"{found.exact} of {found.queries} exact, F1 {found.micro_f1:.3f}"


def _table(learned: Sequence[LearnedPhrase]) -> RenderableType:
    from tui.cli.shared.metric_table import fixed, folded, make_ruled_table, number

    heads = map(number, ("queries", "fixes", "breaks"))
    table = make_ruled_table(folded("phrase"), fixed(""), folded("keyword"), *heads, fixed(""))
    for one in learned:
        proposal = one.proposal
        table.add_row(
            escape(proposal.phrase),
            "never means" if proposal.never else "means",
            escape(proposal.keyword.name),
            f"{one.support:,}",
            f"{one.fixes:,}",
            f"{one.breaks:,}",
            "seen once" if one.once else "",
        )
    return table
