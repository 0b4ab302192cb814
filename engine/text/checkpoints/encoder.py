"""A text encoder out of a checkpoint, like any other: started late, in a process of its own.

>>> encoder = CheckpointEncoder(Path("best_model.pt"))      # reads nothing yet
>>> encoder.name, encoder.state
('best_model.pt', 'cold')
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from engine.base.errors import InputError
from engine.files.input_file import hash_file
from engine.files.npy import reading_array
from engine.files.reading import name_kind
from engine.text import EMBEDDED
from engine.text.checkpoints.adapters import BUILT_IN, check_adapter
from engine.text.encoder import LoadingHook
from engine.text.encoder_process import EncoderProcess
from engine.text.model_files import find_model_folder, find_model_path, hash_model
from engine.text.packages import require_packages
from engine.text.vector_cache import VectorCache

CHECKPOINT_SUFFIXES = (".pt", ".pth", ".ckpt", ".bin", ".safetensors")

_VERSION = 1  # of what the built-in adapter does with the same files


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The files and the adapter that make a text encoder; a `TextModel`."""

    path: Path
    adapter: str = BUILT_IN
    base: str = EMBEDDED

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def remedy(self) -> str:
        return f"the adapter is {self.adapter!r}, the base model {self.base!r}"

    def arguments(self) -> list[str]:
        require_packages(self.name, "sentence-transformers", "torch")
        self.check()
        return [self._base_folder(), str(self.path), self.adapter]

    def check(self) -> None:
        """Refuse what no process needs to be started for."""
        check_adapter(self.adapter)
        if self.path.suffix.lower() not in CHECKPOINT_SUFFIXES:
            raise InputError(
                f"cannot read a checkpoint from {name_kind(self.path)}",
                self.path,
                hint=f"accepted are {', '.join(CHECKPOINT_SUFFIXES)}",
            )
        with reading_array(self.path):
            pass

    def digest(self) -> str | None:
        """Checkpoint, adapter and base; None for adapters from outside, whose code may change."""
        self.check()
        if self.adapter != BUILT_IN:
            return None
        parts = (hash_file(self.path), self.adapter, str(_VERSION), hash_model(self.base))
        return hashlib.sha256(";".join(parts).encode()).hexdigest()

    def _base_folder(self) -> str:
        if self.base == EMBEDDED:
            return find_model_path(self.base)
        folder = find_model_folder(self.base)
        if folder is None:
            raise InputError(
                f"the base model {self.base!r} is not on this machine",
                hint="name a sentence-transformers folder; nothing is downloaded at run time",
            )
        return str(folder)


class CheckpointEncoder(EncoderProcess):
    """The text encoder of a checkpoint: `adapter` builds it on the model `base`."""

    def __init__(
        self,
        checkpoint: Path,
        *,
        adapter: str = BUILT_IN,
        base: str = EMBEDDED,
        cache: VectorCache | None = None,
        while_loading: LoadingHook | None = None,
    ) -> None:
        model = Checkpoint(Path(checkpoint), adapter, base)
        super().__init__(model, cache=cache, while_loading=while_loading)
