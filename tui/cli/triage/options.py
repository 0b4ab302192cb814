"""What a triage is asked: the same options for the command and for `triage show`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from engine.base.choices import OnePerPolicy
from engine.base.errors import InputError
from tui.cli.completion.values import complete_models, offer
from tui.cli.shared import options as o
from tui.cli.shared.groups import option
from tui.opening.option_text import parse_ks

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset
    from engine.metrics.policies import Policies
    from engine.triage.build_study import TriageRequest
    from engine.triage.settings import TriageSettings
    from tui.cli.shared.query_options import QueryOptions

ANALYSIS_NAMES = (
    "slices,blame,looks,substitutions,hubs,mapper,gap,doubts,readable,used,index,pairs,leakage,"
    "ceiling"
).split(",")
"""Of the registry, for completion: its import would load numpy."""

_panel = partial(option, panel="What is looked at")


@dataclass(frozen=True)
class StudyOptions:
    """Which model, queries and keywords are studied, and how."""

    mode: Literal["text", "video", "both"] = option("Which queries to study.", "both")
    model: str | None = o.MODEL()
    baseline: str | None = option(
        "Another model of the dataset: say which findings are new, gone, better or worse since it.",
        short="-b",
        metavar="NAME",
        autocompletion=complete_models,
    )
    groups: str | None = o.GROUPS()
    keywords: str | None = o.KEYWORDS()
    analyses: str | None = option(
        "Only these analyses, e.g. slices,used; `tui-eval triage list` describes them. "
        "Default: all.",
        metavar="NAMES",
        autocompletion=offer(*ANALYSIS_NAMES),
    )
    visual: str | None = option(
        "What says how alike clips look: a model of the dataset, or frames (our own descriptor of "
        "colours, edges and motion). Default: frames, where there are any.",
        metavar="MODEL",
        autocompletion=complete_models,
    )
    k: str = option("K of P@K, by which queries are judged.", "5", short="-k", metavar="NUMBER")

    def request(
        self, opened: Dataset, asked: QueryOptions, policies: Policies, settings: TriageSettings
    ) -> TriageRequest:
        """What the options mean for a dataset."""
        from engine.keywords.run import RunRequest
        from engine.triage.build_study import TriageRequest
        from engine.triage.registry import find_analyses

        names = o.split_list(self.analyses)
        find_analyses(names)  # a name that there is not is said before any work
        run = RunRequest(
            modes=self.mode,
            groups=o.resolve_groups(self.groups, opened),
            keywords=o.split_list(self.keywords),
            model=self.model,
            **{**vars(asked), "videos": asked.clips},
            policies=policies,
        )
        return TriageRequest(run=run, visual=self.visual, analyses=names, settings=settings)

    @property
    def cutoff(self) -> int:
        """The one K."""
        hint = "one number, say --k 5"
        try:
            ks = parse_ks(self.k)
        except InputError as error:
            raise InputError(error.message, hint=hint) from error
        if len(ks) > 1:
            raise InputError(f"--k {self.k} names several cut-offs", hint=hint)
        return ks[0]


@dataclass(frozen=True)
class TriageStatistics:
    """How sure findings have to be."""

    alpha: float = o.statistic(
        "The chance of even one false finding among all that are shown.", 0.05
    )
    level: float = o.statistic("Level of the intervals.", 0.95)
    resamples: int = o.statistic("Resamples of the bootstrap, and permutations of tests.", 2_000)

    def settings(self, k: int, seed: int) -> TriageSettings:
        from engine.triage.settings import TriageSettings

        return TriageSettings(k=k, seed=seed, **vars(self))


@dataclass(frozen=True)
class PolicyOptions:
    """What is done where definitions differ, as far as a triage has a choice."""

    one_per: OnePerPolicy = o.ONE_PER("clip")

    def policies(self) -> Policies:
        from engine.metrics.policies import Policies

        return Policies(**vars(self))
