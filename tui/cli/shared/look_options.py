"""Options of the inspector: how it looks, which keys it has, which session it goes on with; and
`--inspect`, with which a command shows on the screen what it would print."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tui.cli.completion.values import complete_sessions, offer
from tui.cli.shared.groups import option
from tui.cli.shared.options import resolve_keywords
from tui.cli.shared.output import written
from tui.cli.shared.start import open_inspector, suggest_printing
from tui.look.theme_names import THEME_NAMES
from tui.opening.frame_choices import ImageMode
from tui.opening.looks import Looks

if TYPE_CHECKING:
    from engine.base.choices import Mode
    from engine.dataset.dataset import Dataset
    from engine.keywords.question import AskedQuery
    from engine.keywords.run import RunRequest

_session = partial(option, panel="Sessions", where="screen")
_look = partial(option, panel="Looks and keys", where="screen")

RESUME = partial(_session, "Continue the newest session where you left it.")
SESSION = partial(
    _session,
    "Continue this session, by its number or name (see tui-eval sessions list).",
    metavar="SESSION",
    autocompletion=complete_sessions,
)
STORE = partial(
    _session,
    "File with the saved sessions. Default: sessions.db in $TUI_EVAL_DATA or your data folder.",
)
PLAIN_CHARACTERS = partial(_look, "Use plain characters only, also for borders.", where="")
INSPECT = partial(
    written, "Show the result in the inspector instead of printing it.", short="-i", where=""
)


@dataclass(frozen=True)
class LookOptions(Looks):
    """How the inspector looks. What is printed knows `--ascii` as well."""

    images: ImageMode | None = _look(
        "How to draw frames: auto, halfcell, quadrant, sextant, octant, kitty, sixel or off. auto "
        "is the finest cells that the terminal is known to show. Default: as config.toml has it, "
        "or auto.",
        metavar="MODE",
    )
    theme: str | None = _look(
        "Theme: dark, light, high-contrast or colour-blind. Default: $TUI_EVAL_THEME, the one you "
        "chose last with T, or dark.",
        autocompletion=offer(*THEME_NAMES),
    )
    keys: str | None = _look("Keys: default, vim, or a TOML file (see tui-eval keys).")
    ascii: bool = PLAIN_CHARACTERS(False)
    store: Path | None = STORE()

    def __post_init__(self) -> None:
        """A wrong name is one line, with a terminal and without."""
        self.check()


@dataclass(frozen=True)
class PlainLookOptions(LookOptions):
    """For a screen without frames and without sessions."""

    images: ImageMode | None = field(init=False, default=None)
    store: Path | None = field(init=False, default=None)


@dataclass(frozen=True)
class ScreenLookOptions(PlainLookOptions):
    """For a command that prints no characters which could be plainer."""

    ascii: bool = PLAIN_CHARACTERS(False, where="screen")


def show_request(
    command: str,
    request: RunRequest,
    opened: Dataset,
    looks: LookOptions,
    query: tuple[Mode, str] | AskedQuery | None = None,
    against: str | None = None,
    keywords: tuple[str, ...] | None = None,
) -> int:
    """Show on the screen what a command would print; returns the exit code.

    query    asked at once; None: the whole request is evaluated
    against  the model whose ranks stand beside
    keywords  of the query, in place of its own
    """
    opened = replace(opened, ks=request.ks, profile=request.profile)
    relevance, one_per = request.policies.relevance, request.policies.one_per
    groups, left_out = resolve_keywords(opened, request.groups, request.keywords)
    return open_inspector(
        looks,
        opened,
        instead=suggest_printing(command),
        model=request.model,
        groups=groups,
        left_out=left_out,
        query=query,
        keywords=keywords,
        min_similarity=request.policies.min_similarity,
        one_per=None if one_per == "clip" else one_per,
        relevance=None if relevance == "all" else relevance,
        against=against,
        request=request,
    )
