"""Ids of a submission against those of the ground truth, both ways, and against each other."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from engine.moments.check import fault_kinds
from engine.moments.check.known_truth import KnownTruth
from engine.moments.check.submission_fault import FaultExample, FaultLog
from engine.moments.check.task_list import TaskList
from engine.moments.truth import QueryId

_WHAT_COUNTS = {
    "desc_id": "desc_id: the last entry counts",
    "qid": "qid: R1 takes the last, mAP the windows of all of them",
}


def check_ids(tasks: Sequence[TaskList], known: KnownTruth | None, notes: FaultLog) -> None:
    """Repeated ids; missing and extra ones, if it is known which there should be."""
    for entries in tasks:
        _repeated(entries, notes)
        if known is not None:
            _absent(entries, known, notes)
            _extra(entries, known, notes)
            _texts(entries, known, notes)
    if known is None:
        _compare_tasks(tasks, notes)


def _repeated(entries: TaskList, notes: FaultLog) -> None:
    words = notes.words
    first: dict[QueryId, int] = {}
    repeats: list[tuple[int, int]] = []
    for entry, id_ in enumerate(entries.ids):
        if id_ is None:
            continue
        earlier = first.setdefault(id_, entry)
        if earlier != entry:
            repeats.append((entry, earlier))
    examples = (
        entries.at_entry(
            entry, f"the same {words.id} as in {words.entry} {entries.numbers[earlier]}"
        )
        for entry, earlier in repeats
    )
    notes.note_each(
        fault_kinds.ID_REPEATED, entries.task, len(repeats), examples, _WHAT_COUNTS[words.id]
    )


def _absent(entries: TaskList, known: KnownTruth, notes: FaultLog) -> None:
    here = set(entries.ids)
    absent = [id_ for id_ in known.queries if id_ not in here]
    examples = (
        FaultExample(
            entries.absent(id_),
            f"is missing (line {known.queries[id_].line} of the ground truth)"
            + _other_spelling(id_, here, "here it is"),
        )
        for id_ in absent
    )
    notes.note_each(fault_kinds.ID_ABSENT, entries.task, len(absent), examples)


def _extra(entries: TaskList, known: KnownTruth, notes: FaultLog) -> None:
    extra = [
        entry
        for entry, id_ in enumerate(entries.ids)
        if id_ is not None and id_ not in known.queries
    ]
    examples = (
        entries.at_entry(
            entry,
            f"this {notes.words.id} is not in the ground truth"
            + _other_spelling(entries.ids[entry], known.queries, "there it is"),
        )
        for entry in extra
    )
    notes.note_each(fault_kinds.ID_EXTRA, entries.task, len(extra), examples)


def _other_spelling(id_: QueryId | None, others: Container[QueryId | None], says: str) -> str:
    """A remark if an id is a text in one file and a number in the other.

    >>> _other_spelling(7, {"7"}, "here it is"), _other_spelling("x", {1}, "here it is")
    ('; here it is the text "7"', '')
    """
    if isinstance(id_, int) and str(id_) in others:
        return f'; {says} the text "{id_}"'
    if isinstance(id_, str) and id_.isdecimal() and len(id_) < 19 and int(id_) in others:
        return f"; {says} the number {int(id_)}"
    return ""


def _texts(entries: TaskList, known: KnownTruth, notes: FaultLog) -> None:
    different = list(_different(entries, known))
    examples = (
        entries.at_entry(entry, f'"{here[:40]}" here, "{there[:40]}" in the ground truth')
        for entry, here, there in different
    )
    notes.note_each(
        fault_kinds.TEXT_DIFFERS, entries.task, len(different), examples, notes.words.text
    )


def _different(entries: TaskList, known: KnownTruth) -> Iterator[tuple[int, str, str]]:
    for entry, (id_, text) in enumerate(zip(entries.ids, entries.texts, strict=True)):
        query = known.queries.get(id_) if id_ is not None else None
        if query is not None and text is not None and query.text not in (None, text):
            yield entry, text, str(query.text)


def _compare_tasks(tasks: Sequence[TaskList], notes: FaultLog) -> None:
    """Without a ground truth: all tasks answer the same queries."""
    everywhere: dict[QueryId, str] = {}
    for entries in tasks:
        for id_ in entries.ids:
            if id_ is not None:
                everywhere.setdefault(id_, entries.task)
    for entries in tasks:
        here = set(entries.ids)
        absent = [id_ for id_ in everywhere if id_ not in here]
        examples = (
            FaultExample(entries.absent(id_), f"is missing, {everywhere[id_]} has it")
            for id_ in absent
        )
        notes.note_each(fault_kinds.IDS_APART, entries.task, len(absent), examples)
