"""The files behind answers: annotations, embeddings, and what encoded the texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.dataset.collection import Collection
from engine.files.input_file import InputFile
from engine.keywords.workbench import Workbench
from engine.text.encoder import PrecomputedEncoder
from engine.text.model_files import hash_model


def collect_inputs(
    bench: Workbench, collections: Sequence[Collection], *, texts: bool
) -> Mapping[str, InputFile]:
    """Every file that answers of these collections depend on, by role; those of several models
    also say whose they are.

    texts  whether texts were asked
    """
    files, known = bench.dataset.annotations.files, {}
    for collection in collections:
        model = collection.model
        files |= collection.files
        encoder = bench.text_encoder(model.name) if texts else None
        if isinstance(encoder, PrecomputedEncoder):
            files |= encoder.files
        elif encoder is not None:
            role = "encoder" if len(collections) == 1 else f"encoder of {model.name}"
            known[role] = InputFile(model.encoder, hash_model(model.encoder))
    return files.named(bench.dataset.inputs(*(one.model for one in collections)), known)
