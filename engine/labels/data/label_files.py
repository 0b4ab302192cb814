"""Which files hold labelled embeddings. Nothing is read here, and nothing heavy imported."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.base.errors import InputError
from engine.base.similarity import Similarity
from engine.labels.data.directions import Modalities

LABEL = "label"
"""What a level is called that was given no name."""


@dataclass(frozen=True, slots=True)
class LevelFile:
    """Where the labels of a level are: `key` is an array of an .npz or a column of a table.

    `named` says that the user chose the name; then it may also name the array or column.

    >>> LevelFile.parse("l1=labels.npz").name, LevelFile.parse("labels.npy").name
    ('l1', 'label')
    """

    name: str
    path: Path
    key: str | None = None
    named: bool = False

    @classmethod
    def parse(cls, text: str) -> LevelFile:
        """`FILE` or `NAME=FILE`; a file that is there may have a = in its name."""
        name, equals, path = text.partition("=")
        if not equals or _exists(Path(text)):
            return cls(LABEL, Path(text))
        if not name.strip() or not path.strip():
            raise InputError(
                f"--labels {text!r} is neither FILE nor NAME=FILE",
                hint="write --labels l1=labels_l1.npy",
            )
        return cls(name.strip(), Path(path.strip()), named=True)


@dataclass(frozen=True, slots=True)
class LabelFiles:
    """Where the data lie: embeddings of modality a, perhaps of b, and the labels by level.

    exclude  labels whose items are left out, as `exclude_labels` takes them
    """

    a: Path
    levels: tuple[LevelFile, ...]
    b: Path | None = None
    a_key: str | None = None
    b_key: str | None = None
    name_a: str = "sensor"
    name_b: str = "text"
    normalize: bool = True
    exclude: tuple[str, ...] = ()

    @property
    def metric(self) -> Similarity:
        """Cosine, or the inner product of the vectors as they are."""
        return "cosine" if self.normalize else "ip"

    @property
    def files(self) -> dict[str, Path]:
        """Every file by its role; no name of a modality makes two roles read alike."""
        files = {_role(self.name_a): self.a}
        if self.b is not None:
            files[_role(self.name_b)] = self.b
        return {**files, **{f"labels {level.name}": level.path for level in self.levels}}

    @property
    def modalities(self) -> Modalities:
        return Modalities(self.name_a, self.name_b, has_b=self.b is not None)


def _role(modality: str) -> str:
    return f"embeddings of {modality}"


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # too long for a name, or not to be looked at
        return False
