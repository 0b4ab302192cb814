"""Kinds: everything that the check can say about a submission, each with its level."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Literal, TypeAlias

from engine.base.errors import Severity
from engine.base.messages import pluralise
from engine.moments.moments_source import Benchmark
from engine.moments.tasks import WINDOWS

Split: TypeAlias = Literal["val", "test"]
"""Which queries a submission answers; those of `test` (test-public) have hidden videos."""

VIDEO_INDEX = "video2idx"


@dataclass(frozen=True, slots=True)
class BenchmarkTerms:
    """The keys of a query, and what its answer and a part of the answer are called.

    list  the key of the list of predictions
    row   how a prediction is written

    >>> QVH_TERMS.adapt("no predictions"), TVR_TERMS.adapt("no predictions, no {id}")
    ('no windows', 'no predictions, no desc_id')
    """

    id: str
    text: str
    video: str
    entry: str
    prediction: str
    list: str
    row: str

    def noun(self, noun: str) -> str:
        """The benchmark's own word for an entry and a prediction; any other as it is."""
        return {"entry": self.entry, "prediction": self.prediction}.get(noun, noun)

    def adapt(self, text: str) -> str:
        text = text.replace("prediction", self.prediction)
        for name, own in asdict(self).items():
            text = text.replace(f"{{{name}}}", own)
        return text


TVR_TERMS = BenchmarkTerms(
    *("desc_id", "desc", "vid_name", "entry", "prediction"),
    *("predictions", "[video, start, end, score]"),
)
QVH_TERMS = BenchmarkTerms("qid", "query", "vid", "line", "window", WINDOWS, "[start, end, score]")
TERMS_BY_BENCHMARK: dict[Benchmark, BenchmarkTerms] = {"tvr": TVR_TERMS, "qvh": QVH_TERMS}


@dataclass(frozen=True)
class FaultKind:
    """One thing that can be found.

    level  error: a server or the official script would refuse it or fail, or it cannot be meant;
           warning: it changes numbers or is ignored; info: good to know
    noun   what is counted; "" for what is said of a file as a whole
    says   the sentence; `{}` takes a detail, `{id}` and the like a term of the benchmark
    name   as documents call it: that of its constant, in small letters

    >>> FaultKind("error", "entry", "no predictions").sentence(1200), Fault.TOO_FEW.name
    ('1,200 entries: no predictions', 'too-few')
    """

    level: Severity
    noun: str
    says: str
    name: str = field(default="", init=False)

    def __set_name__(self, owner: type, constant: str) -> None:
        object.__setattr__(self, "name", constant.lower().replace("_", "-"))

    def sentence(self, count: int, detail: str = "", words: BenchmarkTerms = TVR_TERMS) -> str:
        """What was found; QVHighlights speaks of lines and windows."""
        says = words.adapt(self.says).replace("{}", detail)
        return f"{pluralise(count, words.noun(self.noun))}: {says}" if self.noun else says


_error = partial(FaultKind, "error")
_warning = partial(FaultKind, "warning")
_info = partial(FaultKind, "info")


class Fault:
    """Every kind there is."""

    # The zip
    FILE_MISSING = _error("", "there is no {}")
    FILE_IN_FOLDER = _error("file", "must stand at the top of the zip, in no folder")
    FILE_MISNAMED = _error("file", "the server looks for another name")
    FILE_ENCRYPTED = _error("file", "locked by a password: the server cannot read it")
    FILE_DAMAGED = _error("file", "cannot be unpacked")
    FILE_REPEATED = _error("name", "in the zip more than once: only the last is read")
    FILE_EXTRA = _warning("file", "not part of a submission: leave it out")

    # The file
    NOT_READABLE = _error("", "{}")
    BYTE_ORDER_MARK = _error(
        "",
        "begins with a byte order mark, which the official script refuses: "
        "save it as UTF-8 without one",
    )
    PACKED = _warning("", "is packed with gzip: unpack it before you submit it")
    NOT_AN_OBJECT = _error("", "the file holds {}, not one object with video2idx and the tasks")
    KEY_REPEATED = _warning("key", "written more than once in one object: the last counts")
    KEY_UNKNOWN = _info("key", "not part of a submission, ignored")
    CONTENT = _info("", "{}")
    NOT_CHECKED = _info("", "not checked without {}")
    DURATION_UNKNOWN = _info("video", "length not known, ends of predictions are not checked: {}")

    # video2idx
    VIDEO2IDX_MISSING = _error("", "is missing: it gives every video its index")
    VIDEO2IDX_NOT_AN_OBJECT = _error("", "is {}, not an object of video names with their indices")
    VIDEO2IDX_EMPTY = _error("", "is empty: no prediction can name a video")
    INDEX_NOT_WHOLE = _error("video", "the index is not a whole number (below 2**53)")
    INDEX_REPEATED = _error("video", "the index of another video: they cannot be told apart")
    INDEX_TOO_LARGE = _warning(
        "video",
        "the index is 16,777,216 (2**24) or more: the official script computes in float32, "
        "which cannot tell such neighbours apart",
    )
    INDEX_NOT_OFFICIAL = _warning("video", "another index than in the official list of videos")
    VIDEO_NOT_OFFICIAL = _warning("video", "not in the official list of videos")
    VIDEO_MISSING = _error(
        "video", "in the ground truth but not in video2idx: the official script stops"
    )

    # Tasks
    TASK_MISSING = _error("", "is missing: a submission for {}")
    TASK_UNWANTED = _warning(
        "", "does not belong in a submission for test-public: its videos are hidden"
    )
    TASK_NOT_A_LIST = _error("", "is {}, not a list of entries")
    TASK_EMPTY = _error("", "has no entry")

    # Entries
    ENTRY_NOT_AN_OBJECT = _error("entry", "not an object")
    ID_MISSING = _error("entry", "no {id}")
    ID_UNUSABLE = _error("entry", "the {id} is neither a whole number nor a text")
    ID_REPEATED = _warning("entry", "a repeated {}")
    TEXT_MISSING = _warning("entry", "no {text}, or none that is a text (not scored)")
    TEXT_DIFFERS = _warning("entry", "another {text} than in the ground truth (not scored)")
    ID_ABSENT = _error("query", "in the ground truth but not here: all must be answered")
    ID_EXTRA = _error("entry", "not in the ground truth: must be left out")
    IDS_APART = _error("query", "in another task but not here: all must be answered")
    PREDICTIONS_MISSING = _error("entry", "no {}")
    PREDICTIONS_NOT_A_LIST = _error("entry", "{list} is not a list")
    PREDICTIONS_EMPTY = _error("entry", "the list {list} is empty: the official script stops")
    TOO_MANY = _warning("entry", "{}")
    TOO_FEW = _info("entry", "fewer than 100 predictions, the fewest {}")

    # Predictions
    UNUSABLE = _error("prediction", "not {row}")
    NOT_FINITE = _error("prediction", "a number is not finite (NaN or infinite)")
    SCORE_MISSING = _warning("prediction", "three numbers, the score is missing")
    SCORE_UNUSABLE = _warning("prediction", "the score is no finite number (ignored)")
    TOO_LONG = _info("prediction", "more values than {row}, the rest is ignored")
    START_NOT_BEFORE_END = _error(
        "prediction", "the start is not before the end: it overlaps nothing"
    )
    NEGATIVE_START = _error("prediction", "the start is before the video begins")
    STARTS_AFTER_VIDEO = _error("prediction", "the start is at the end of the video or after it")
    ENDS_AFTER_VIDEO = _warning(
        "prediction", "the end is after the end of the video: the overlap gets smaller"
    )
    VIDEO_UNKNOWN = _error("prediction", "no video of video2idx has this index")
    OTHER_VIDEO = _warning("entry", "predictions in another video than the right one are left out")
    VIDEO_REPEATED = _info("entry", "a video that comes more than once takes a place each time")
    PREDICTION_REPEATED = _warning(
        "entry", "a prediction that comes more than once takes a place each time"
    )
    SCORES_RISE = _warning(
        "entry",
        "the scores rise from first to last; the order of the list is the ranking, best first: "
        "right for distances, upside down for similarities",
    )
    SCORES_UNORDERED = _warning(
        "entry",
        "not in the order of the scores; the order of the list is the ranking, scores are ignored",
    )

    # QVHighlights
    LINE_NOT_JSON = _error("line", "not JSON")
    LINE_BLANK = _error("line", "blank: the official script stops")
    LINE_NOT_AN_OBJECT = _error("line", "not an object")
    PREDICTIONS_NOWHERE = _warning("", "no line has {}")
    NOTHING_TO_SCORE = _error("", "no line has {}: nothing can be scored")
    VIDEO_NAME_MISSING = _warning("entry", "no vid (not scored)")
    VIDEO_DIFFERS = _warning("entry", "another vid than in the ground truth (not scored)")
    WINDOWS_RISE = _warning(
        "entry",
        "the scores rise from first to last; R1 takes the first window, mAP the ten first: "
        "put the best first",
    )
    WINDOWS_UNORDERED = _warning(
        "entry",
        "not in the order of the scores; R1 takes the first window, mAP the ten first, by score",
    )
    SALIENCY_NOT_NUMBERS = _error("entry", "pred_saliency_scores is not a list of finite numbers")
    SALIENCY_LENGTH = _warning(
        "entry",
        "pred_saliency_scores must have one number per 2-second clip; "
        "the official script cuts long lists and fills short ones with 0",
    )
