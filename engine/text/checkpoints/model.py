"""A checkpoint as the encoder's process sees it: read without running code, built by an adapter."""

from __future__ import annotations

import traceback
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy.typing as npt

from engine.base.errors import InputError, Place
from engine.files.budget import require_room
from engine.files.reader import reads
from engine.files.reading import guard_reading
from engine.text.checkpoints.adapters import load_adapter
from engine.text.sentence_model import describe_pickle
from engine.text.vector_checks import require_vectors

_CONVERT = (
    "save the weights alone, where you trust the file: "
    'torch.save(model.state_dict(), "text_encoder.pt")'
)


_KEEP_WEIGHTS = "save the weights of the text encoder alone"
_COPIES = 2
"""A tensor, and the bytes that it is read from."""


class CheckpointModel:
    """The encoder that an adapter makes of a checkpoint; whatever it gives back is checked."""

    def __init__(self, path: Path, adapter: str, base: str) -> None:
        self._path = path
        self._adapter = adapter
        self._dimension: int | None = None
        adapt = load_adapter(adapter)
        state = read_state(path)
        with self._blame_adapter():
            self._encoder = adapt(state, base)
        if not callable(getattr(self._encoder, "encode", None)):
            raise InputError(
                f"the adapter {adapter!r} gave a {type(self._encoder).__name__}, which has no "
                "encode(texts)",
                path,
                hint="give back an object that turns a list of texts into vectors",
            )

    def encode(self, texts: list[str]) -> npt.NDArray[Any]:
        with self._blame_adapter():
            vectors = require_vectors(self._encoder.encode(texts), texts, Place(self._path))
        dimension = vectors.shape[1]
        if self._dimension not in (None, dimension):
            raise InputError(
                f"the encoder gave {self._dimension} dimensions first and {dimension} now",
                self._path,
            )
        self._dimension = dimension
        return vectors.astype("<f4")

    @contextmanager
    def _blame_adapter(self) -> Iterator[None]:
        try:
            yield
        except InputError as error:
            if error.place == Place():
                raise error.at(self._path) from error
            raise
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            raise InputError(
                f"the adapter {self._adapter!r} failed: {type(error).__name__}: {error}",
                self._path,
                hint=f"raised in {last.filename}, line {last.lineno}",
            ) from error


@reads("a checkpoint")
def read_state(path: Path) -> Mapping[str, Any]:
    """What a checkpoint holds; one that would need code to be read is refused."""
    with guard_reading(path) as size:
        state = _read_guarded(path, size)
    if not isinstance(state, Mapping):
        raise InputError(
            f"holds a {type(state).__name__}, not weights by name", path, hint=_CONVERT
        )
    return state


def _estimate_memory(path: Path, size: int) -> int:
    """Bytes that reading it takes: of an archive as much as its members say that they hold."""
    if path.suffix.lower() != ".safetensors" and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
    return _COPIES * size


def _read_guarded(path: Path, size: int) -> Any:
    try:
        require_room(_estimate_memory(path, size), path, hint=_KEEP_WEIGHTS)
        return _read(path)
    except (InputError, MemoryError):
        raise
    except UnpicklingError as error:
        raise InputError(describe_pickle(error), path, hint=_CONVERT) from error
    except Exception as error:  # a damaged file can fail anywhere
        if isinstance(error, OSError) and error.strerror is not None:
            raise  # of the system, not of a library
        if "TorchScript" in str(error):
            raise InputError(
                "is a TorchScript program, which is code", path, hint=_CONVERT
            ) from error
        reason = str(error).strip().split("\n")[0][:120]
        raise InputError(
            f"is no whole checkpoint ({type(error).__name__}: {reason})",
            path,
            hint="write or copy it again",
        ) from error


def _read(path: Path) -> Any:
    if path.suffix.lower() == ".safetensors":
        from safetensors.torch import load_file

        return load_file(path, device="cpu")
    import torch

    return torch.load(path, map_location="cpu", weights_only=True)
