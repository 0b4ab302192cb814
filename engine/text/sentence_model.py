"""Open a sentence-transformers folder without running anything that it holds.

A folder is data from strangers. Its settings may ask to unpickle its weights, or to import modules
that lie in it; either would run their code.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pickle import UnpicklingError
from typing import Any

from engine.base.errors import InputError
from engine.files.reader import reads

_WANTED_CLASS = re.compile(r"GLOBAL ([\w.]+)")
_FORCED, _FORBIDDEN = "TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"
_CONVERT = (
    "save the model as safetensors, where you trust it: "
    "SentenceTransformer(folder).save_pretrained(other_folder)"
)


@reads("a text model")
def open_sentence_model(folder: str) -> Any:
    """The SentenceTransformer of a folder; one that would need code to be read is refused."""
    from sentence_transformers import SentenceTransformer

    try:
        with _loading_weights_only():
            return SentenceTransformer(
                folder,
                trust_remote_code=False,
                local_files_only=True,
                model_kwargs={"weights_only": True},
            )
    except UnpicklingError as error:
        raise InputError(describe_pickle(error), folder, hint=_CONVERT) from error
    except ValueError as error:
        if "trust_remote_code" not in str(error):
            raise
        raise InputError(
            "asks for code of its own to be run, and code in files is never run",
            folder,
            hint=_CONVERT,
        ) from error


def describe_pickle(error: UnpicklingError) -> str:
    """Why torch would not read a file of weights.

    >>> describe_pickle(UnpicklingError("Unsupported global: GLOBAL os.system was not an allowed"))
    'would run code to be read (it wants os.system), and code in files is never run'
    """
    wanted = _WANTED_CLASS.search(str(error))
    what = f"it wants {wanted[1]}" if wanted else "it is a pickle of Python objects"
    return f"would run code to be read ({what}), and code in files is never run"


@contextmanager
def _loading_weights_only() -> Iterator[None]:
    """Whatever a library, the folder's settings or the user's shell ask torch for.

    Only meanwhile: an adapter that the user wrote may read the user's own files as it likes.
    """
    before = {name: os.environ.pop(name, None) for name in (_FORCED, _FORBIDDEN)}
    os.environ[_FORCED] = "1"
    try:
        yield
    finally:
        del os.environ[_FORCED]
        os.environ.update({name: value for name, value in before.items() if value is not None})
