"""Which prototypes the options of `tui-eval labels` mean, and which of them make no sense."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError

if TYPE_CHECKING:
    from engine.labels.request import PrototypeRequest


def checked_prototypes(
    given: PrototypeRequest, wanted: bool, of_sample: bool
) -> PrototypeRequest | None:
    """Where prototypes come from; None if there are to be none. Options that would be ignored are
    refused, and those of the sample are filled in where none is given."""
    if not wanted:
        for option in _options_in(given):
            raise InputError(f"{option} needs --use-prototypes", hint="add it, or leave it out")
        return None
    encoded = {"--encoder", "--checkpoint"} & set(_options_in(given))
    if given.embeddings is not None and encoded:
        raise InputError(
            "--prototype-embeddings are encoded already",
            hint="leave --encoder and --checkpoint out, or the embeddings",
        )
    if given.checkpoint is None:
        _refuse(given, ("--adapter",), "--checkpoint")
    if given.embeddings is None:
        lone = ("--prototype-key", "--prototype-labels", "--prototype-labels-key")
        _refuse(given, lone, "--prototype-embeddings")
    if of_sample and given.metadata is None and given.embeddings is None:
        sample = SampleTexts.shipped()
        return replace(
            given,
            metadata=sample.metadata,
            dataset=given.dataset or sample.dataset,
            style=given.style or sample.style,
        )
    if given.metadata is None:
        _refuse(given, ("--dataset-name", "--caption-style"), "--metadata")
    return given


def _refuse(given: PrototypeRequest, options: tuple[str, ...], needed: str) -> None:
    """Whatever of these is given means nothing without the option that is needed."""
    for option in _options_in(given):
        if option in options:
            raise InputError(
                f"{option} needs {needed}", hint=f"give {needed} FILE, or leave {option} out"
            )


@dataclass(frozen=True, slots=True)
class SampleTexts:
    """The texts that stand for labels of the sample."""

    metadata: Path
    dataset: str = "sample"
    style: str = "plain"

    @classmethod
    def shipped(cls) -> SampleTexts:
        from sample_data import folder

        return cls(folder() / "labels" / "metadata.json")


def _options_in(given: PrototypeRequest) -> list[str]:
    """The options that differ from what is there without any."""
    usual = type(given)()
    options = {
        "--metadata": given.metadata,
        "--dataset-name": given.dataset,
        "--caption-style": given.style,
        "--encoder": given.encoder != usual.encoder,
        "--checkpoint": given.checkpoint,
        "--adapter": given.adapter,
        "--prototype-embeddings": given.embeddings,
        "--prototype-key": given.key,
        "--prototype-labels": given.labels,
        "--prototype-labels-key": given.labels_key,
        "--prototype-pooling": given.pooling != usual.pooling,
        "--prototype-level": given.level,
        "--unknown-labels": given.unknown != usual.unknown,
    }
    return [option for option, value in options.items() if value]
