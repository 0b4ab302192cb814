"""What the title of Inspect says: what is looked at, and which encoder loads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from engine.base.messages import pluralise
from engine.keywords.question import Question
from engine.text import shorten_encoder
from tui.inspect.host import InspectHost
from tui.shell.progress_text import format_duration

if TYPE_CHECKING:
    from engine.dataset.ground_truth import GroundTruth


def describe_what_is_asked(
    host: InspectHost, asked: Question, truth: GroundTruth | None, *, is_unread: bool = False
) -> str:
    """The dataset, the model, and how many clips and groups there are; `is_unread`: they could not
    be read."""
    models = host.models
    clips = "not read" if is_unread else "reading …"
    if truth is not None:
        clips = pluralise(len(truth), host.nouns.spell("clip"))
    which = f" ({models.index(asked.model) + 1}/{len(models)})" if len(models) > 1 else ""
    said = f"{host.services.bench.dataset.name} · {asked.model}{which} · {clips}"
    if truth is None:
        return said
    rule = "" if asked.relevance is None else f" · relevance {asked.relevance}"
    rule += "" if asked.one_per is None else f" · one per {asked.one_per}"
    return f"{said} · {len(asked.groups)} of {pluralise(len(truth.words.groups), 'group')}{rule}"


def describe_encoder(host: InspectHost, model: str, room: int) -> str:
    """What loads, or could not be loaded; an encoder that is there is not worth a word."""
    bench = host.services.bench
    loading = bench.find_loading(model, *host.models)
    if loading is not None:
        since = format_duration(loading.seconds)
        said = f"loading {shorten_encoder(loading.name)} {since}"
        return said if cell_len(said) <= room else f"encoder loading {since}"
    status = bench.encoder_status(model)
    return "encoder failed" if status is not None and status.state == "failed" else ""
