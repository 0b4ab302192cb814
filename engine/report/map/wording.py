"""Why a keyword was missed or found wrongly, in words."""

from __future__ import annotations

from engine.text.learning.faults import MappingFault


def describe_fault(fault: MappingFault, threshold: float) -> str:
    """One line: the words, how likely the keyword was by them, and what kept or let it in.

    >>> from engine.base.keyword import Keyword
    >>> fault = MappingFault(
    ...     0, "a lorry", Keyword("object", "truck"), True, "below the threshold", 0.42, "lorry",
    ...     "wordnet"
    ... )
    >>> describe_fault(fault, 0.55)
    '"lorry" (wordnet, 0.42) is below the threshold of 0.55'
    """
    rival = "" if fault.rival is None else fault.rival.name
    said = f'"{fault.words}"' if fault.words else "it"
    shown = f"{said} ({fault.why}, {fault.probability:.2f})" if fault.why else said
    return {
        "denied": f"the text denies {said}",
        "never means": f"{said} never means it, says the dataset",
        "another is likelier": f"{shown}: {rival} is likelier",
        "below the threshold": f"{shown} is below the threshold of {threshold:g}",
        "no word is left": "other keywords explain all words",
        "words are unknown": f"unknown words: {fault.words}",
        "no word is near": f"no word is near it{_best(fault)}",
        "in place of another": f"{shown} in place of {rival}",
        "beside the right one": f"{shown} beside {rival}",
        "nothing is meant": f"{shown}, where nothing of its group is meant",
    }[fault.reason]


def _best(fault: MappingFault) -> str:
    if not fault.words:
        return ""
    return f' (at best "{fault.words}", {fault.probability:.2f})'
