"""From an inflected form to the lemmas it may be, and to their senses, by WordNet's own rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from engine.text.wordnet.table import Synset, load_wordnet

_ENDINGS = {
    "n": "s: ses:s xes:x zes:z ches:ch shes:sh men:man ies:y",
    "v": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "a": "er: est: er:e est:e",
    "r": "",
}
_RULES = {
    part: tuple((ending, new) for ending, _, new in (rule.partition(":") for rule in rules.split()))
    for part, rules in _ENDINGS.items()
}
_SHORTEST_REST = 2


@lru_cache(maxsize=5_000)
def find_lemmas(form: str) -> dict[str, tuple[str, ...]]:
    """The lemmas that a form may be, by part of speech; words of a phrase are joined by "_".

    >>> find_lemmas("wolves")["n"]
    ('wolf',)
    >>> find_lemmas("running")["v"]
    ('run',)
    """
    found: dict[str, list[str]] = {}
    for lemma in dict.fromkeys([form, *filter(None, [load_wordnet().irregular.get(form)])]):
        for part in load_wordnet().senses(lemma):
            found.setdefault(part, []).append(lemma)
    for part in _RULES:
        for lemma in _reduce(form, part):
            if part in load_wordnet().senses(lemma) and lemma not in found.get(part, ()):
                found.setdefault(part, []).append(lemma)
    return {part: tuple(lemmas) for part, lemmas in found.items()}


def _reduce(form: str, part: str) -> Iterator[str]:
    for ending, new in _RULES[part]:
        rest = form.removesuffix(ending)
        if rest == form or len(rest) < _SHORTEST_REST:
            continue
        yield rest + new
        if not new and ending in ("ed", "ing") and rest[-1] == rest[-2]:
            yield rest[:-1]  # "digging": dig


def find_phrase_lemmas(forms: Sequence[str]) -> list[str]:
    """A phrase as WordNet may list it: as it is, its last word reduced, or its first, a verb's.

    >>> find_phrase_lemmas(["counting", "on"])
    ['counting_on', 'count_on']
    """
    joined = "_".join(forms)
    verbs = find_lemmas(forms[0]).get("v", ()) if len(forms) > 1 else ()
    return list(dict.fromkeys([joined, *("_".join([verb, *forms[1:]]) for verb in verbs)]))


def find_senses(forms: Sequence[str]) -> dict[Synset, float]:
    """The senses that words may have together, with their rank: 0 is the commonest.

    A lemma that the form is not itself comes half a rank later.
    """
    ranks: dict[Synset, float] = {}
    for phrase in find_phrase_lemmas(forms):
        for part, lemmas in find_lemmas(phrase).items():
            for lemma in lemmas:
                late = 0.5 if lemma != lemmas[0] else 0.0
                for rank, synset in enumerate(load_wordnet().senses(lemma)[part]):
                    ranks[synset] = min(rank + late, ranks.get(synset, rank + late))
    return ranks


def is_listed(forms: Sequence[str]) -> bool:
    """Whether WordNet has the words as one entry: "home run", "count on"."""
    return any(find_lemmas(phrase) for phrase in find_phrase_lemmas(forms))
