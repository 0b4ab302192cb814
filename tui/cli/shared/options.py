"""Options that several commands have, each defined once, and how their texts become values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from engine.base.errors import InputError
from engine.files.protection import protect_input
from tui.cli.completion.values import (
    complete_groups,
    complete_keywords,
    complete_models,
    offer,
)
from tui.cli.shared.groups import option

if TYPE_CHECKING:
    from engine.compare import CompareSettings
    from engine.dataset.dataset import Dataset
    from engine.dataset.ground_truth import GroundTruth

policy = partial(option, panel="Edge policies (written into every result)")
statistic = partial(option, panel="Statistics (written into every result)")

# Each makes the option from its default: `k: str = K("1,3,5")`.
ENCODER = partial(
    option,
    "Text encoder: a sentence-transformers folder, or the name of a model on this machine. "
    "Default: the embedded MiniLM.",
    metavar="MODEL",
)
QUERY_VECTORS = partial(
    option, "Precomputed vectors of the query texts, used instead of an encoder."
)
MODEL = partial(
    option,
    "Embedding set to search. Default: the dataset's default_model, or its first.",
    short="-m",
    metavar="NAME",
    autocompletion=complete_models,
)
KEYWORDS = partial(
    option,
    'Use only these keywords of their groups, e.g. "bicyclist,pedestrian".',
    metavar="NAMES",
    autocompletion=complete_keywords,
)
K = partial(option, "Cut-offs K, separated by commas.", short="-k", metavar="LIST")
OWN_K = partial(
    option,
    "Cut-offs K, separated by commas. Default: those of dataset.toml or config.toml, or 1,3,5.",
    short="-k",
    metavar="LIST",
)
MIN_SIMILARITY = partial(
    option, "Results that score below this count as not retrieved; metrics still divide by K."
)
CONFUSION = partial(option, "Also count TP, FP, FN and TN at the largest K, and draw them.")
MAIN = partial(
    option,
    "The primary metric, by label or id: its test gives the verdict, and slices and single queries "
    "are judged by it. Default: the first one, at its largest k.",
    metavar="METRIC",
)
TIES = partial(
    policy,
    "Equal scores: insertion keeps their order, docid_desc orders them as trec_eval does, "
    "expected averages over all orders.",
    metavar="ORDER",
)
NO_RELEVANT = partial(policy, "A query with no relevant item: skip it, score it 0, or stop.")
FEWER_THAN_K = partial(
    policy, "What to divide by if there are fewer than k results: k, or how many there are."
)
RELEVANCE = partial(
    policy,
    "What makes a clip relevant: all keywords of the query, any of them, or graded: any, and nDCG "
    "counts the share of the keywords that it has.",
)
ONE_PER = partial(
    policy,
    "What has one place in a ranking: each clip; or each source (see --source), of which the "
    "best-ranked clip stays, and none of the query clip's own.",
)
_PROFILES = "How metrics are named: alfa, ir, video, label, tvr or qvh."
_profile = partial(
    option, metavar="NAME", autocompletion=offer("alfa", "ir", "video", "label", "tvr", "qvh")
)
PROFILE = partial(_profile, f"{_PROFILES} Formulas are always shown.")
OWN_PROFILE = partial(
    _profile, f"{_PROFILES} Default: that of dataset.toml or config.toml, or alfa."
)
RUN_PROFILE = partial(_profile, f"{_PROFILES} Default: as in the (first) run.")
METRIC = partial(option, metavar="cosine|ip|l2", autocompletion=offer("cosine", "ip", "l2"))
"""`--metric`, the similarity of embeddings."""

EVERY_GROUP = "all"
CONFUSION_COUNTS = ("TP", "FP", "FN", "TN")


def metrics(usual: str) -> Any:
    """`--metrics`; `usual` says what is computed without it."""
    text = 'Metrics by label or id, e.g. "Recall@5,nDCG@10,MedR".'
    return option(f"{text} Default: {usual}", metavar="LIST")


def groups(usual: str) -> Any:
    """`--groups`; `usual` says which are meant without it."""
    text = "Keyword groups to use, e.g. object_type,actor_behavior (with or without pv_), or all."
    return option(
        f"{text} Default: {usual}", short="-g", metavar="NAMES", autocompletion=complete_groups
    )


GROUPS = partial(groups, "the dataset's default groups.")


@dataclass(frozen=True)
class StatisticsOptions:
    """How systems are compared."""

    level: float = statistic("Level of the intervals.", 0.95)
    resamples: int = statistic("Resamples of the bootstrap, and sign flips of the tests.", 10_000)
    seed: int = statistic("Seed of the resampling.", 0)
    clusters: str = statistic(
        "Queries that are not independent: none, keywords (those with the same keywords), "
        "video (clips of one video), or a CSV file with the columns query,cluster.",
        "none",
        metavar="NAME|FILE",
        autocompletion=offer("none", "keywords", "video"),
    )
    least_queries: int = statistic(
        "Smallest number of queries in a slice (a keyword or a group).", 10
    )

    def __post_init__(self) -> None:
        """A file that is named is not written over, though it is read later."""
        if self.file is not None:
            protect_input(self.file)

    @property
    def file(self) -> Path | None:
        """The file that --clusters names, if it names one."""
        return None if self.clusters in ("none", "keywords", "video") else Path(self.clusters)

    def settings(self, method: Literal["bca", "percentile"] = "bca") -> CompareSettings:
        from engine.compare import CompareSettings
        from engine.compare.compare_settings import Clustering, read_clusters

        named = cast("Clustering", self.clusters)
        return CompareSettings(
            level=self.level,
            method=method,
            resamples=self.resamples,
            seed=self.seed,
            clusters=named if self.file is None else read_clusters(self.file),
            least_queries=self.least_queries,
        )


def split_list(text: str | None) -> tuple[str, ...] | None:
    """The parts of a comma-separated option; None if it was not given.

    >>> split_list("a, b,")
    ('a', 'b')
    """
    if text is None:
        return None
    parts = tuple(part.strip() for part in text.split(",") if part.strip())
    if not parts:
        raise InputError(f"an option's list {text!r} is empty", hint="separate names by commas")
    return parts


def split_metrics(text: str | None) -> tuple[str, ...] | None:
    """Metric names; a comma inside parentheses belongs to the name.

    >>> split_metrics("P@5, AP@5(norm=min),RR")
    ('P@5', 'AP@5(norm=min)', 'RR')
    """
    parts = re.findall(r"(?:[^,()]|\([^()]*+\)|[()])+", text or "")
    named = tuple(filter(None, map(str.strip, parts)))
    if text is not None and not named:
        raise InputError(f"--metrics {text!r} names no metric", hint='write --metrics "P@5,AP"')
    return named or None


def list_confusion_ids(k: int) -> tuple[str, ...]:
    """The metrics that a picture at K is made of.

    >>> list_confusion_ids(5)
    ('TP@5', 'FP@5', 'FN@5', 'TN@5')
    """
    return tuple(f"{name}@{k}" for name in CONFUSION_COUNTS)


def add_confusion_metrics(
    metrics: str | None, profile: str, ks: tuple[int, ...]
) -> tuple[str, ...]:
    """The metrics that are asked for, or the profile's, and those of a picture at the largest K.

    >>> add_confusion_metrics("P@5", "ir", (5, 10))[:3]
    ('P@5', 'TP@10', 'FP@10')
    """
    from engine.metrics import find_profile

    names = split_metrics(metrics) or tuple(map(str, find_profile(profile).measures(ks)))
    return (*names, *list_confusion_ids(ks[-1]))


def is_file(text: str) -> bool:
    """Whether an option that takes names or a file names a file that is there."""
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a path, or no path at all
        return False


def resolve_groups(text: str | None, dataset: Dataset) -> tuple[str, ...] | None:
    """The chosen groups; `all` is every group of the annotations."""
    groups = split_list(text)
    return tuple(dataset.truth.words.groups) if groups == (EVERY_GROUP,) else groups


def resolve_keywords(
    dataset: Dataset,
    groups: tuple[str, ...] | None,
    keywords: tuple[str, ...] | None,
    truth: GroundTruth | None = None,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The groups that a command means, and the keywords of them that it leaves out; `truth`: of
    these clips alone."""
    from engine.keywords.run import choose_selection

    truth = dataset.truth if truth is None else truth
    selection = choose_selection(dataset, truth, groups, keywords)
    every = truth.words.of(selection.groups)
    return selection.groups, tuple(str(word) for word in every if word not in selection)
