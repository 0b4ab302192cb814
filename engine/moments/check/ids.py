"""Ids of a submission against those of the ground truth, both ways, and against each other."""

from __future__ import annotations

from collections.abc import Container, Sequence

from engine.moments.check.fault_kinds import Fault
from engine.moments.check.known_truth import KnownTruth
from engine.moments.check.submission_fault import FaultExample, FaultLog
from engine.moments.check.task_list import TaskList
from engine.moments.judged_predictions import QueryId

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
    same = f"the same {words.id} as in {words.entry}"
    notes.note_each(
        Fault.ID_REPEATED,
        entries.task,
        repeats,
        lambda pair: entries.at_entry(pair[0], f"{same} {entries.numbers[pair[1]]}"),
        _WHAT_COUNTS[words.id],
    )


def _absent(entries: TaskList, known: KnownTruth, notes: FaultLog) -> None:
    here = set(entries.ids)
    absent = [id_ for id_ in known.queries if id_ not in here]

    def example(id_: QueryId) -> FaultExample:
        says = f"is missing (line {known.queries[id_].line} of the ground truth)"
        says += _other_spelling(id_, here, "here it is")
        return FaultExample(entries.absent(id_), says)

    notes.note_each(Fault.ID_ABSENT, entries.task, absent, example)


def _extra(entries: TaskList, known: KnownTruth, notes: FaultLog) -> None:
    extra = [
        entry
        for entry, id_ in enumerate(entries.ids)
        if id_ is not None and id_ not in known.queries
    ]

    def example(entry: int) -> FaultExample:
        says = f"this {notes.words.id} is not in the ground truth"
        says += _other_spelling(entries.ids[entry], known.queries, "there it is")
        return entries.at_entry(entry, says)

    notes.note_each(Fault.ID_EXTRA, entries.task, extra, example)


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
    different: list[tuple[int, str]] = []
    for entry, (id_, text) in enumerate(zip(entries.ids, entries.texts, strict=True)):
        query = known.queries.get(id_) if id_ is not None else None
        if query is not None and text is not None and query.text not in (None, text):
            says = f'"{text[:40]}" here, "{str(query.text)[:40]}" in the ground truth'
            different.append((entry, says))
    notes.note_each(
        Fault.TEXT_DIFFERS, entries.task, different, lambda pair: entries.at_entry(*pair)
    )


def _compare_tasks(tasks: Sequence[TaskList], notes: FaultLog) -> None:
    """Without a ground truth: all tasks answer the same queries."""
    everywhere: dict[QueryId, str] = {}
    for entries in tasks:
        for id_ in entries.ids:
            if id_ is not None:
                everywhere.setdefault(id_, entries.task)

    def example(place: tuple[TaskList, QueryId]) -> FaultExample:
        entries, id_ = place
        return FaultExample(entries.absent(id_), f"is missing, {everywhere[id_]} has it")

    for entries in tasks:
        here = set(entries.ids)
        absent = [(entries, id_) for id_ in everywhere if id_ not in here]
        notes.note_each(Fault.IDS_APART, entries.task, absent, example)
