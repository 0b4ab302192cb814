"""The embedded model, ready to encode: its tokenizer, its network, and its threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.base.caches import OnceCache
from engine.files.array_file import ArrayFile
from engine.text.embedded.batches import Batch, split_batches
from engine.text.embedded.network import DIMENSION, Array, Network
from engine.text.model_files import check_weights, find_embedded_folder, read_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TOKEN_LIMIT = 256
"""Tokens of a text that are read, with the two that begin and end it; the rest is cut."""

_MOST_THREADS = 8


class EmbeddedModel:
    """Texts become vectors in the thread that asks, and a few beside it if there are many texts.

    Safe to use from several threads: nobody waits for another.
    """

    def __init__(self, folder: Path) -> None:
        # Where 90 MB must be read to check them, that takes longer than all the rest, which is done
        # meanwhile.
        with ThreadPoolExecutor(1) as beside:
            checked = beside.submit(check_weights, folder)
            self._tokenizer = _open_tokenizer(folder)
            self._blas = SingleThreadBlas()
            checked.result()
        self._network = Network(ArrayFile(folder / "model.safetensors"))
        self._workers = count_workers()

    def encode(self, texts: Sequence[str], before_batch: Callable[[], None]) -> Array:
        """One row per text. `before_batch` is called now and then, and may raise to end it."""
        vectors = np.empty((len(texts), DIMENSION), np.float32)

        def fill(batch: Batch) -> None:
            before_batch()
            vectors[batch.places] = self._network.encode(batch.tokens, batch.lengths)

        batches = split_batches([self._tokenize(text) for text in texts], self._workers)
        with self._blas.limited():
            if len(batches) == 1:
                fill(batches[0])
            else:
                with ThreadPoolExecutor(self._workers) as workers:
                    for _ in workers.map(fill, batches):
                        pass
        self._network.forget_words()
        return vectors

    def _tokenize(self, text: str) -> list[int]:
        tokens: list[int] = self._tokenizer.encode(text.strip()).ids
        return tokens


class SingleThreadBlas:
    """Products of matrices take one thread each while anybody encodes.

    Threads of ours share the work better than those of the library, which wait for each other
    after every product, and block one another when two threads multiply at the same time.
    """

    def __init__(self) -> None:
        from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

        self._controller = ThreadpoolController()
        self._limit: AbstractContextManager[object] | None = None
        self._users = 0
        self._guard = threading.Lock()

    @contextmanager
    def limited(self) -> Iterator[None]:
        with self._guard:
            if self._users == 0:
                self._limit = self._controller.limit(limits=1, user_api="blas")
                self._limit.__enter__()
            self._users += 1
        try:
            yield
        finally:
            with self._guard:
                self._users -= 1
                if self._users == 0 and self._limit is not None:
                    self._limit.__exit__(None, None, None)


def count_workers() -> int:
    """Threads that share the work where there are many texts."""
    if hasattr(os, "sched_getaffinity"):  # a container may have fewer cores than the machine
        return min(len(os.sched_getaffinity(0)), _MOST_THREADS)
    return min(os.cpu_count() or 1, _MOST_THREADS)


def load_embedded_model() -> EmbeddedModel:
    """The installed model; read and checked once in a process."""
    return _MODELS[find_embedded_folder()]


_MODELS: OnceCache[Path, EmbeddedModel] = OnceCache(EmbeddedModel)


def _open_tokenizer(folder: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(read_tokenizer(folder))  # the very bytes that were checked
    # The file asks for 128 tokens, neither more nor fewer.
    tokenizer.enable_truncation(TOKEN_LIMIT)
    tokenizer.no_padding()
    return tokenizer
