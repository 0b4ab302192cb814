"""Profiles: the labels that a community gives to measures, and the measures it reports.

A label is never shown without its formula: "Recall@5" is hits@5 / 5 in one profile and
hits@5 / R in another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.base.errors import InputError
from engine.metrics.definition import split_id
from engine.metrics.measure import Measure, choose_main_measure
from engine.metrics.registry import list_patterns, unknown_metric_error


@dataclass(frozen=True, slots=True)
class Profile:
    """A community's language.

    reports  id patterns in the order in which they are printed; a pattern with @k stands for
             every k, one with @max for the largest only
    labels   (label, id pattern) of what it names differently; labels win over ids in `parse`
    aliases  (alias, id pattern) that are understood, but not printed
    leads_at which of several cutoffs speaks for a measure; None: as the measure's definition says
    """

    name: str
    about: str
    reports: tuple[str, ...]
    labels: tuple[tuple[str, str], ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    leads_at: Literal["largest", "smallest"] | None = None

    def main(self, measures: Sequence[Measure]) -> Measure:
        """The first measure's family at the cutoff that speaks for it in this community.

        >>> asked = [Measure.parse(id_) for id_ in ("Success@1", "Success@10")]
        >>> str(find_profile("tvr").main(asked)), str(find_profile("video").main(asked))
        ('Success@1', 'Success@10')
        """
        return choose_main_measure(measures, self.leads_at)

    def measures(self, ks: Iterable[int] = (1, 3, 5)) -> tuple[Measure, ...]:
        """The default measures.

        >>> [str(measure) for measure in find_profile("ir").measures(ks=(5, 10))]
        ['P@5', 'P@10', 'R@5', 'R@10', 'AP', 'RR', 'nDCG@5', 'nDCG@10']
        """
        ks = sorted(set(ks))
        if not ks:
            raise ValueError("a profile needs at least one k")
        ids: list[str] = []
        for pattern in self.reports:
            if "@max" in pattern:
                ids.append(pattern.replace("@max", f"@{ks[-1]}"))
            elif "@k" in pattern:
                ids.extend(pattern.replace("@k", f"@{k}") for k in ks)
            else:
                ids.append(pattern)
        return tuple(Measure.parse(text) for text in ids)

    def label(self, measure: Measure) -> str:
        """What this community calls the measure; its id if it has no name of its own.

        >>> find_profile("alfa").label(Measure.parse("P@5"))
        'Recall@5'
        """
        pattern = measure.definition.pattern
        for label, named in self.labels:
            if named == pattern:
                return label.replace("@k", f"@{measure.cutoff}")
        return str(measure)

    def parse(self, text: str) -> Measure:
        """The measure that a label, an alias or an id names in this language.

        >>> str(find_profile("alfa").parse("Recall@5")), str(find_profile("ir").parse("Recall@5"))
        ('P@5', 'R@5')
        """
        parts = split_id(text)
        if parts is not None and not parts.params:
            asked = (parts.name.lower(), parts.cutoff is not None)
            for name, pattern in (*self.labels, *self.aliases):
                bare, has_cutoff, _ = name.partition("@k")
                if (bare.lower(), bool(has_cutoff)) == asked:
                    return self._measure(pattern.replace("@k", f"@{parts.cutoff}"), text)
        return self._measure(text, text)

    def _measure(self, measure_id: str, written: str) -> Measure:
        try:
            return Measure.parse(measure_id)
        except InputError:
            names = (name for name, _ in (*self.labels, *self.aliases))
            raise unknown_metric_error(written, dict.fromkeys((*names, *list_patterns()))) from None


_IR_NAMES = (
    ("Precision@k", "P@k"),
    ("Recall@k", "R@k"),
    ("MAP", "AP"),
    ("MAP@k", "AP@k"),
    ("MRR", "RR"),
    ("MRR@k", "RR@k"),
)

PROFILES = (
    Profile(
        name="alfa",
        about="keyword retrieval: Recall@k is hits / k, Precision@k is hits / R",
        reports=("P@k", "R@k", "AP@k", "RR@max", "nDCG@k"),
        labels=(
            ("Recall@k", "P@k"),
            ("Precision@k", "R@k"),
            ("MAP@k", "AP@k"),
            ("MRR@k", "RR@k"),
            ("NDCG@k", "nDCG@k"),
            ("MAP", "AP"),
            ("MRR", "RR"),
            ("NDCG", "nDCG"),
        ),
    ),
    Profile(
        name="ir",
        about="information retrieval: the ids as they are",
        reports=("P@k", "R@k", "AP", "RR", "nDCG@k"),
        aliases=_IR_NAMES,
    ),
    Profile(
        name="video",
        about="text-to-video papers: R@k is the share of queries with a hit in the top k",
        reports=("Success@k", "MedR", "MnR"),
        # The id R@k would read like the label R@k, so it gets a name of its own.
        labels=(("R@k", "Success@k"), ("Recall@k", "R@k")),
        aliases=tuple(pair for pair in _IR_NAMES if pair[0] != "Recall@k"),
    ),
    Profile(
        name="label",
        about="labelled embeddings: the share of the first k that has the query's label",
        reports=("LabelScore@k",),
        aliases=(("Label-Score@k", "LabelScore@k"), ("Label-Recall@k", "LabelScore@k"), *_IR_NAMES),
    ),
    *(
        Profile(
            name=name,
            about=f"{benchmark}: R@k is the share of queries with a hit among the first k",
            reports=("Success@k",),
            labels=(("R@k", "Success@k"), ("Recall@k", "R@k")),
            leads_at="smallest",  # lists end at 100: R@100 hardly sees how they are ordered
        )
        for name, benchmark in (("tvr", "TVR's moments"), ("qvh", "moments of QVHighlights"))
    ),
)


def find_profile(name: str) -> Profile:
    """The profile of that name.

    >>> find_profile("video").about
    'text-to-video papers: R@k is the share of queries with a hit in the top k'
    """
    for candidate in PROFILES:
        if candidate.name == name.strip().lower():
            return candidate
    valid = ", ".join(candidate.name for candidate in PROFILES)
    raise InputError(f"unknown profile {name!r}", hint=f"choose one of {valid}")


def parse_measures(texts: Sequence[str], language: Profile) -> tuple[Measure, ...]:
    """The measures that labels or ids name, in order, each once.

    >>> [str(measure) for measure in parse_measures(["MRR@5", "rr@5"], find_profile("alfa"))]
    ['RR@5']
    """
    return tuple(dict.fromkeys(language.parse(text) for text in texts))
