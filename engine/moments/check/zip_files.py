"""The zip of a submission: which file is for which split, and what does not belong there."""

from __future__ import annotations

import difflib
import lzma
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from engine.base.errors import InputError, Place
from engine.files.budget import require_room
from engine.files.reading import read_first_bytes
from engine.files.text_cost import LINES_COST
from engine.moments.check.fault_kinds import Fault, FaultKind, Split
from engine.moments.check.submission_fault import FaultExample, FaultLog, FaultPlace
from engine.moments.moments_source import Benchmark

ZIP_NAMES: dict[Benchmark, dict[Split, str]] = {
    "tvr": {"val": "tvr_val_submission.json", "test": "tvr_test_public_submission.json"},
    "qvh": {"val": "hl_val_submission.jsonl", "test": "hl_test_submission.jsonl"},
}
ZIP_PART = "zip"
_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
_RUBBISH = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")
_MOST_NAMES = 100_000
_ENCRYPTED = 0x1
_UNPACKING = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, RuntimeError,
              ValueError)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ZipMember:
    """A file of the zip that is taken for one of the two that it should hold."""

    split: Split
    info: zipfile.ZipInfo

    @property
    def name(self) -> str:
        return self.info.filename


def is_zip(path: Path) -> bool:
    """Whether a file begins like a zip, whatever it is called."""
    return read_first_bytes(path, 4) in _MAGICS


def open_zip(path: Path) -> zipfile.ZipFile:
    """An archive that is whole and of a size that can be meant."""
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise InputError(
            f"is a damaged zip file ({error})", Place(path), hint="pack it again"
        ) from error
    try:
        infos = archive.infolist()
        require_room(LINES_COST.per_byte * sum(info.file_size for info in infos), path)
        if len(infos) > _MOST_NAMES:
            message = f"has {len(infos):,} files, no submission does"
            raise InputError(message, Place(path), hint="pack it again")
    except InputError:
        archive.close()
        raise
    return archive


def guess_zip_benchmark(names: Sequence[str]) -> Benchmark:
    """The benchmark whose files have such names.

    >>> guess_zip_benchmark(["hl_val_submission.jsonl"]), guess_zip_benchmark(["val.json"])
    ('qvh', 'tvr')
    """
    bases = [_base(name).lower() for name in names if not _is_rubbish(name)]
    is_qvh = any(base.startswith("hl_") or base.endswith(".jsonl") for base in bases)
    return "qvh" if is_qvh else "tvr"


def find_members(
    archive: zipfile.ZipFile, benchmark: Benchmark, notes: FaultLog
) -> tuple[ZipMember, ...]:
    """The two files, also under a wrong name or in a folder; what is not right is noted."""
    files = [info for info in archive.infolist() if not info.filename.endswith("/")]
    infos = {info.filename: info for info in files}
    times = Counter(info.filename for info in archive.infolist())
    repeated = {name: f"{count} times" for name, count in times.items() if count > 1}
    _note_names(Fault.FILE_REPEATED, repeated, notes)
    left = [name for name in infos if not _is_rubbish(name)]
    found: dict[Split, str] = {}
    for least in (3, 2, 1):  # the best match first, for both
        for split, wanted in ZIP_NAMES[benchmark].items():
            choices = [name for name in left if _nearness(name, wanted) >= least]
            if choices and split not in found:
                found[split] = max(choices, key=lambda name: _likeness(name, wanted))
                left.remove(found[split])
    for split, wanted in ZIP_NAMES[benchmark].items():
        _note_name(found.get(split), wanted, notes)
    extra = [name for name in infos if name not in found.values()]
    _note_names(Fault.FILE_EXTRA, dict.fromkeys(extra, "not needed"), notes)
    return tuple(
        ZipMember(split, infos[found[split]]) for split in ZIP_NAMES[benchmark] if split in found
    )


def _note_name(name: str | None, wanted: str, notes: FaultLog) -> None:
    if name is None:
        notes.note(Fault.FILE_MISSING, ZIP_PART, wanted)
        return
    if _base(name) != wanted:
        _note_names(Fault.FILE_MISNAMED, {name: f"did you mean {wanted}?"}, notes)
    if name != _base(name):
        _note_names(Fault.FILE_IN_FOLDER, {name: "zip the files, not their folder"}, notes)


def _note_names(kind: FaultKind, messages: dict[str, str], notes: FaultLog) -> None:
    notes.note_each(
        kind, ZIP_PART, list(messages), lambda name: FaultExample(FaultPlace(name), messages[name])
    )


def _base(name: str) -> str:
    return PurePosixPath(name.replace("\\", "/")).name


def _is_rubbish(name: str) -> bool:
    return any(part in _RUBBISH for part in name.replace("\\", "/").split("/"))


def _nearness(name: str, wanted: str) -> int:
    """3: the name that is wanted; 2: the same in a folder; 1: one like it; 0: another."""
    if _base(name) == wanted:
        return 3 if name == wanted else 2
    same_split = ("test" in _base(name).lower()) == ("test" in wanted)
    return int(same_split and _likeness(name, wanted) >= 0.6)


def _likeness(name: str, wanted: str) -> float:
    return difflib.SequenceMatcher(None, _base(name).lower(), wanted).ratio()


def read_member(archive: zipfile.ZipFile, member: ZipMember, notes: FaultLog) -> bytes | None:
    """The bytes of a file in the zip; None, and a note, if they cannot be had."""
    if member.info.flag_bits & _ENCRYPTED:
        _note_names(Fault.FILE_ENCRYPTED, {member.name: "needs a password"}, notes)
        return None
    try:
        # No more is unpacked than the archive says, and that was found to be a sane size.
        return archive.read(member.info)
    except _UNPACKING as error:
        _note_names(Fault.FILE_DAMAGED, {member.name: str(error)}, notes)
    except MemoryError:
        _note_names(Fault.FILE_DAMAGED, {member.name: "does not fit in memory"}, notes)
    return None
