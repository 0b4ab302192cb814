"""Real faults under what SQLite writes: the store of sessions, and the cache of vectors.

SQLite does not pass our points, so the system itself fails: files may not grow, a disk is small and
full, a file or folder may not be written, the file is deleted. A process marks results one by one
and says each that is saved; whatever it said must be in the store when all is well again.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from engine.base.errors import InputError
from engine.keywords.judgement import Judgement, Target
from engine.sessions import Session, SessionStore
from engine.text.vector_cache import VectorCache
from tests.faults.table import FaultRow

MARKS = 400
BEFORE = 20
"""Marks that are in the store before the fault."""
_NOBODY = 65534
_BALLAST = "ballast"
_FULL = "the disk is full"
_DISKS = (512, 768, 1024)
"""Kilobytes: room for the ballast and for the marks that come before, and not for all of them."""
_TMPFS = (
    "mount -t tmpfs -o size={size}k tmpfs {folder} && exec {python} -m tests.faults.stores {folder}"
)


@dataclass(frozen=True)
class StoreTrial:
    """A fault under the store: how many marks were acknowledged, how many of them are lost.

    said  how the one who marks is told; empty: all marks were saved in spite of it
    """

    fault: str
    acknowledged: int
    lost: int
    said: str

    @property
    def is_clear(self) -> bool:
        """One line that names the store, or nothing to say."""
        return not self.said or (self.said.count("\n") == 0 and ".db" in self.said)

    def as_row(self) -> FaultRow:
        return FaultRow(
            self.fault,
            1,
            self.acknowledged,
            coped=int(not self.said),
            lost=self.lost,
            traceback=int("traceback" in self.said),
            unclear=int(not self.is_clear),
        )


def try_stores(place: Path) -> Iterator[StoreTrial]:
    """All faults, each under a store of its own."""
    for limit in (40, 80, 160, 300):
        yield _try(place / f"limit-{limit}", "a file may not grow", lambda f, n=limit: _limit(n))
    yield _try(place / "file", "the file may not be written", _deny_file)
    yield _try(place / "folder", "the folder may not be written", _deny_folder)
    yield _try(place / "closed", "the folder may not be entered", _close_folder)
    yield _try(place / "deleted", "the file is deleted", lambda _: None, _delete)
    yield from _try_small_disk(place / "disk")


def try_caches(place: Path) -> Iterator[tuple[str, bool]]:
    """Every fault under a cache, and whether the vectors are those that were put all the same."""
    for name, harm in (
        ("a file may not grow", lambda _: _limit(20)),
        ("the folder may not be written", _deny_folder),
    ):
        folder = place / f"cache {name}"
        _make_open(folder)
        told = _fork(lambda tell, f=folder, h=harm: _fill_cache(f, h, tell))
        yield f"cache: {name}", told == b"."


def _try(
    folder: Path,
    fault: str,
    harm: Callable[[Path], None],
    meanwhile: Callable[[Path], None] = lambda _: None,
) -> StoreTrial:
    """harm: done to the process that marks, and its folder; meanwhile: after some marks."""
    _make_open(folder)
    file = folder / "sessions.db"
    with SessionStore(file) as store:
        session = store.create("sample", "sample")
        for number in range(BEFORE):
            _mark(session, number)
    for one in folder.iterdir():
        one.chmod(0o666)
    folder.chmod(0o777)  # a store makes it private
    said = _fork(lambda tell: _mark_all(file, harm, meanwhile, tell)).decode().splitlines()
    folder.chmod(0o777)
    file.chmod(0o666)
    (folder.parent / _BALLAST).unlink(missing_ok=True)
    acknowledged = {*range(BEFORE), *(int(line) for line in said if line.isdecimal())}
    with SessionStore(file) as store:
        kept = store.open(1).judgements("text", "a cyclist")
    lost = [number for number in acknowledged if kept.get(str(number)) != _judgement(number)]
    messages = [line for line in said if not line.isdecimal()]
    return StoreTrial(f"store: {fault}", len(acknowledged), len(lost), "\n".join(messages))


def _mark_all(
    file: Path, harm: Callable[[Path], None], meanwhile: Callable[[Path], None], tell: int
) -> None:
    harm(file.parent)
    try:
        with SessionStore(file, patience=0.2) as store:
            session = store.open(1)
            for number in range(BEFORE, MARKS):
                if number == MARKS // 2:
                    meanwhile(file)
                _mark(session, number)
                os.write(tell, f"{number}\n".encode())
    except InputError as error:
        os.write(tell, f"{error}\n".encode())


def _mark(session: Session, number: int) -> None:
    session.judge(Target("text", "a cyclist", str(number)), _judgement(number))


def _judgement(number: int) -> Judgement:
    return Judgement("bias", "hub", f"note {number} {'x' * 200}")


def _fill_cache(folder: Path, harm: Callable[[Path], None], tell: int) -> None:
    harm(folder)
    texts = [f"text {number}" for number in range(200)]
    vectors = {text: np.full(384, place, np.float32) for place, text in enumerate(texts)}
    cache = VectorCache(folder / "vectors.sqlite")
    cache.put(vectors)
    found = cache.get(texts)
    if all(np.array_equal(found[text], vectors[text]) for text in texts):
        os.write(tell, b".")


def _fork(work: Callable[[int], None]) -> bytes:
    """Let a process work; what it has told."""
    hear, tell = os.pipe()
    process = os.fork()
    if process == 0:
        code = 70
        try:
            work(tell)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(tell)
    with open(hear, "rb") as file:  # noqa: PTH123
        said = file.read()
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return said if code == 0 else said + b"traceback\n"


def _make_open(folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o777)


def _limit(kilobytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes << 10, resource.RLIM_INFINITY))


def _deny_file(folder: Path) -> None:
    (folder / "sessions.db").chmod(0o444)
    _be_nobody()


def _deny_folder(folder: Path) -> None:
    folder.chmod(0o555)
    _be_nobody()


def _close_folder(folder: Path) -> None:
    folder.chmod(0o600)
    _be_nobody()


def _be_nobody() -> None:
    """The administrator may write everything."""
    if os.getuid() == 0:
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)


def _delete(file: Path) -> None:
    for one in file.parent.glob(f"{file.name}*"):
        one.unlink()


def _try_small_disk(folder: Path) -> Iterator[StoreTrial]:
    """On disks of several sizes, mounted where only this process sees them; none where that is not
    allowed."""
    folder.mkdir(parents=True)
    if shutil.which("unshare") is None or _run(["unshare", "-rm", "true"]).returncode != 0:
        return
    for size in _DISKS:
        inside = _TMPFS.format(size=size, folder=folder, python=sys.executable)
        done = _run(["unshare", "-rm", "sh", "-c", inside])
        if done.returncode == 0:
            yield StoreTrial(**json.loads(done.stdout))
        else:
            said = f"traceback: {done.stderr}"
            yield StoreTrial(f"store: {_FULL}", 0, 0, said)  # nothing was tried, which is a failure


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _fill_disk(folder: Path) -> StoreTrial:
    """On the small disk, with something that can be thrown away when it is full."""
    (folder / _BALLAST).write_bytes(bytes(128 << 10))
    return _try(folder / "on", _FULL, lambda _: None)


def main() -> None:
    if len(sys.argv) > 1:
        print(json.dumps(asdict(_fill_disk(Path(sys.argv[1])))))  # noqa: T201
        return
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        for trial in try_stores(Path(place)):
            print(trial)  # noqa: T201
        for name, is_fine in try_caches(Path(place)):
            print(name, is_fine)  # noqa: T201


if __name__ == "__main__":
    main()
