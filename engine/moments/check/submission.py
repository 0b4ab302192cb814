"""The submission check as a whole: a file or a zip in, faults out."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.base.errors import InputError, Place, Severity
from engine.files.large_files import read_data, read_raw
from engine.files.reader import reads
from engine.files.reading import read_first_bytes
from engine.files.text_cost import LINES_COST
from engine.moments.check.fault_kinds import (
    QVH_TERMS,
    TERMS_BY_BENCHMARK,
    VIDEO_INDEX,
    Fault,
    Split,
)
from engine.moments.check.known_truth import VideoList, read_known, read_videos
from engine.moments.check.qvh import check_qvh
from engine.moments.check.submission_fault import FaultLog, SubmissionFault
from engine.moments.check.tvr import CheckReferences, check_tvr
from engine.moments.check.zip_files import (
    find_members,
    guess_zip_benchmark,
    is_zip,
    open_zip,
    read_member,
)
from engine.moments.early_checks import LONGEST_FIRST_LINE, list_keys
from engine.moments.moments_source import Benchmark
from engine.moments.tasks import SALIENCY, TVR_TASKS, WINDOWS

_MARK = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_LINE_KEYS = {QVH_TERMS.id, QVH_TERMS.video, WINDOWS, SALIENCY}


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What is checked, and against what.

    zipped      the submission must be a zip
    truth       ground truth of the validation queries
    test_truth  that of the test queries; ids are enough
    videos      the official list of videos with durations and indices (TVR)
    limit       places that are kept of each kind of fault; 0 keeps all
    """

    submission: Path
    zipped: bool = False
    truth: Path | None = None
    test_truth: Path | None = None
    videos: Path | None = None
    benchmark: Benchmark | Literal["auto"] = "auto"
    limit: int = 10


@dataclass(frozen=True, slots=True)
class SubmissionCheck:
    """The faults, errors first within each file.

    split  which queries a file of its own answers; None for a zip, which has both
    """

    request: CheckRequest
    benchmark: Benchmark
    split: Split | None
    faults: tuple[SubmissionFault, ...]

    @property
    def valid(self) -> bool:
        return not self.count("error")

    def count(self, level: Severity) -> int:
        return sum(fault.count for fault in self.faults if fault.level == level)


@reads("a submission of moments", lambda request: request.submission)
def check_submission(request: CheckRequest) -> SubmissionCheck:
    """Everything that a server or the official script would refuse, ignore or misread.

    InputError for what cannot be read at all: no such file, no JSON, no zip.
    """
    if is_zip(request.submission):
        return _check_zip(request)
    if request.zipped:
        read_raw(request.submission)  # a missing file is reported first
        raise InputError(
            "is not a zip file", Place(request.submission), hint="leave out --zip, or pack it first"
        )
    return _check_file(request)


def _check_zip(request: CheckRequest) -> SubmissionCheck:
    with open_zip(request.submission) as archive:
        names = [info.filename for info in archive.infolist()]
        benchmark = guess_zip_benchmark(names) if request.benchmark == "auto" else request.benchmark
        about = FaultLog(request.limit)
        videos = _videos(request, benchmark)
        faults: list[SubmissionFault] = []
        for member in find_members(archive, benchmark, about):
            truth = request.truth if member.split == "val" else request.test_truth
            against = CheckReferences(read_known(truth, benchmark) if truth else None, videos)
            notes = FaultLog(request.limit, member.name, TERMS_BY_BENCHMARK[benchmark])
            data = read_member(archive, member, about)
            try:
                if data is not None:
                    plain = _plain(data, notes)
                    LINES_COST.require(plain, request.submission)
                    _check_data(plain, Place(), benchmark, member.split, against, notes)
            except InputError as error:  # the other file is looked at all the same
                notes.note(Fault.NOT_READABLE, "", str(error))
            faults += _sorted(notes)
    return SubmissionCheck(request, benchmark, None, (*_sorted(about), *faults))


def _check_file(request: CheckRequest) -> SubmissionCheck:
    path = request.submission
    if request.truth and request.test_truth:
        raise InputError(
            "--gt and --gt-test were given for one file",
            Place(path),
            hint="give the one that belongs to it; a zip takes both",
        )
    data = read_data(path)
    benchmark = guess_benchmark(data) if request.benchmark == "auto" else request.benchmark
    truth = request.truth or request.test_truth
    against = CheckReferences(
        read_known(truth, benchmark) if truth else None, _videos(request, benchmark)
    )
    split = _split(request, against)
    notes = FaultLog(request.limit, words=TERMS_BY_BENCHMARK[benchmark])
    _note_packing(path, notes)
    _check_data(data, Place(path), benchmark, split, against, notes)
    return SubmissionCheck(request, benchmark, split, _sorted(notes))


def _check_data(
    data: bytes,
    place: Place,
    benchmark: Benchmark,
    split: Split,
    against: CheckReferences,
    notes: FaultLog,
) -> None:
    if benchmark == "qvh":
        check_qvh(data, place, against.known, notes)
    else:
        check_tvr(data, place, split, against, notes)


def guess_benchmark(data: bytes) -> Benchmark:
    """QVHighlights has an object per line, TVR one object in all.

    >>> guess_benchmark(b'{"qid": 7, "vid": "a"}'), guess_benchmark(b'{"video2idx": {}}')
    ('qvh', 'tvr')
    """
    keys = list_keys(data.lstrip()[:LONGEST_FIRST_LINE].partition(b"\n")[0])
    is_line = _LINE_KEYS & keys and not {VIDEO_INDEX, *TVR_TASKS} & keys
    return "qvh" if is_line else "tvr"


def _split(request: CheckRequest, against: CheckReferences) -> Split:
    """Which queries a file of its own answers: the ground truth says so, else the file's name."""
    if against.known is not None and request.truth is not None:
        return "val" if against.known.has_videos else "test"
    name = request.submission.name.lower().replace("-", "_")
    return "test" if request.test_truth is not None or "test_public" in name else "val"


def _videos(request: CheckRequest, benchmark: Benchmark) -> VideoList | None:
    if request.videos is None:
        return None
    if benchmark == "qvh":
        raise InputError(
            "--videos is the list of videos of TVR, this is a submission for QVHighlights",
            hint="leave it out: the ground truth has the durations",
        )
    return read_videos(request.videos)


def _note_packing(path: Path, notes: FaultLog) -> None:
    start = read_first_bytes(path, len(_MARK))
    if start.startswith(_GZIP):
        notes.note(Fault.PACKED, "")
        with gzip.open(path) as file:
            start = file.read(len(_MARK))
    if start == _MARK:
        notes.note(Fault.BYTE_ORDER_MARK, "")


def _plain(data: bytes, notes: FaultLog) -> bytes:
    """UTF-8 without a byte order mark, or an error."""
    if data.startswith(_MARK):
        notes.note(Fault.BYTE_ORDER_MARK, "")
    data = data.removeprefix(_MARK)
    wrong = data.find(b"\0")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        wrong = error.start
    if wrong >= 0:
        place = Place(line=data.count(b"\n", 0, wrong) + 1)
        raise InputError("is not UTF-8 text", place, hint="save it as UTF-8")
    if not data or data.isspace():
        raise InputError("is empty")
    return data.replace(b"\r\n", b"\n") if b"\r" in data else data


def _sorted(notes: FaultLog) -> tuple[SubmissionFault, ...]:
    """What is there first, then errors, warnings and the rest; else as they were found."""
    order = {"error": 1, "warning": 2, "info": 3}

    def place(fault: SubmissionFault) -> int:
        return 0 if fault.kind is Fault.CONTENT else order[fault.level]

    return tuple(sorted(notes.faults, key=place))
