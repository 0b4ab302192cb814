"""Kinds: everything that the check can say about a submission, each with its level."""

from __future__ import annotations

from dataclasses import dataclass

from engine.base.errors import Severity
from engine.base.messages import pluralise
from engine.moments.check.benchmark_terms import TVR_TERMS, BenchmarkTerms


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One thing that can be found.

    level  error: a server or the official script would refuse it or fail, or it cannot be meant;
           warning: it changes numbers or is ignored; info: good to know
    noun   what is counted; "" for what is said of a file as a whole
    says   the sentence; `{}` takes a detail

    >>> FaultKind("x", "error", "entry", "no predictions").sentence(1200)
    '1,200 entries: no predictions'
    """

    name: str
    level: Severity
    noun: str
    says: str

    def sentence(self, count: int, detail: str = "", words: BenchmarkTerms = TVR_TERMS) -> str:
        """What was found; QVHighlights speaks of lines and windows."""
        says = words.adapt(self.says).replace("{}", detail)
        return f"{pluralise(count, words.noun(self.noun))}: {says}" if self.noun else says


def _error(name: str, noun: str, says: str) -> FaultKind:
    return FaultKind(name, "error", noun, says)


def _warning(name: str, noun: str, says: str) -> FaultKind:
    return FaultKind(name, "warning", noun, says)


def _info(name: str, noun: str, says: str) -> FaultKind:
    return FaultKind(name, "info", noun, says)


# The zip
FILE_MISSING = _error("file-missing", "", "there is no {}")
FILE_IN_FOLDER = _error("file-in-folder", "file", "must stand at the top of the zip, in no folder")
FILE_MISNAMED = _error("file-misnamed", "file", "the server looks for another name")
FILE_ENCRYPTED = _error("file-encrypted", "file", "locked by a password: the server cannot read it")
FILE_DAMAGED = _error("file-damaged", "file", "cannot be unpacked")
FILE_REPEATED = _error("file-repeated", "name", "in the zip more than once: only the last is read")
FILE_EXTRA = _warning("file-extra", "file", "not part of a submission: leave it out")

# The file
NOT_READABLE = _error("not-readable", "", "{}")
BYTE_ORDER_MARK = _error(
    "byte-order-mark",
    "",
    "begins with a byte order mark, which the official script refuses: "
    "save it as UTF-8 without one",
)
PACKED = _warning("packed", "", "is packed with gzip: unpack it before you submit it")
NOT_AN_OBJECT = _error(
    "not-an-object", "", "the file holds {}, not one object with video2idx and the tasks"
)
KEY_REPEATED = _warning(
    "key-repeated", "key", "written more than once in one object: the last counts"
)
KEY_UNKNOWN = _info("key-unknown", "key", "not part of a submission, ignored")
CONTENT = _info("content", "", "{}")
NOT_CHECKED = _info("not-checked", "", "not checked without {}")
DURATION_UNKNOWN = _info(
    "duration-unknown", "video", "length not known, ends of predictions are not checked: {}"
)

# video2idx
VIDEO2IDX_MISSING = _error("video2idx-missing", "", "is missing: it gives every video its index")
VIDEO2IDX_NOT_AN_OBJECT = _error(
    "video2idx-not-an-object", "", "is {}, not an object of video names with their indices"
)
VIDEO2IDX_EMPTY = _error("video2idx-empty", "", "is empty: no prediction can name a video")
INDEX_NOT_WHOLE = _error(
    "index-not-whole", "video", "the index is not a whole number (below 2**53)"
)
INDEX_REPEATED = _error(
    "index-repeated", "video", "the index of another video: they cannot be told apart"
)
INDEX_TOO_LARGE = _warning(
    "index-too-large",
    "video",
    "the index is 16,777,216 (2**24) or more: the official script computes in float32, "
    "which cannot tell such neighbours apart",
)
INDEX_NOT_OFFICIAL = _warning(
    "index-not-official", "video", "another index than in the official list of videos"
)
VIDEO_NOT_OFFICIAL = _warning("video-not-official", "video", "not in the official list of videos")
VIDEO_MISSING = _error(
    "video-missing", "video", "in the ground truth but not in video2idx: the official script stops"
)

# Tasks
TASK_MISSING = _error("task-missing", "", "is missing: a submission for {}")
TASK_UNWANTED = _warning(
    "task-unwanted", "", "does not belong in a submission for test-public: its videos are hidden"
)
TASK_NOT_A_LIST = _error("task-not-a-list", "", "is {}, not a list of entries")
TASK_EMPTY = _error("task-empty", "", "has no entry")

# Entries
ENTRY_NOT_AN_OBJECT = _error("entry-not-an-object", "entry", "not an object")
ID_MISSING = _error("id-missing", "entry", "no {}")
ID_UNUSABLE = _error("id-unusable", "entry", "the {} is neither a whole number nor a text")
ID_REPEATED = _warning("id-repeated", "entry", "a repeated {}")
TEXT_MISSING = _warning("text-missing", "entry", "no {}, or none that is a text (not scored)")
TEXT_DIFFERS = _warning("text-differs", "entry", "another {} than in the ground truth (not scored)")
ID_ABSENT = _error("id-absent", "query", "in the ground truth but not here: all must be answered")
ID_EXTRA = _error("id-extra", "entry", "not in the ground truth: must be left out")
IDS_APART = _error("ids-apart", "query", "in another task but not here: all must be answered")
PREDICTIONS_MISSING = _error("predictions-missing", "entry", "no {}")
PREDICTIONS_NOT_A_LIST = _error("predictions-not-a-list", "entry", "{} is not a list")
PREDICTIONS_EMPTY = _error(
    "predictions-empty", "entry", "the list {} is empty: the official script stops"
)
TOO_MANY = _warning("too-many", "entry", "{}")
TOO_FEW = _info("too-few", "entry", "fewer than 100 predictions, the fewest {}")

# Predictions
UNUSABLE = _error("unusable", "prediction", "not {}")
NOT_FINITE = _error("not-finite", "prediction", "a number is not finite (NaN or infinite)")
SCORE_MISSING = _warning("score-missing", "prediction", "three numbers, the score is missing")
SCORE_UNUSABLE = _warning("score-unusable", "prediction", "the score is no finite number (ignored)")
TOO_LONG = _info("too-long", "prediction", "more values than {}, the rest is ignored")
START_NOT_BEFORE_END = _error(
    "start-not-before-end", "prediction", "the start is not before the end: it overlaps nothing"
)
NEGATIVE_START = _error("negative-start", "prediction", "the start is before the video begins")
STARTS_AFTER_VIDEO = _error(
    "starts-after-video", "prediction", "the start is at the end of the video or after it"
)
ENDS_AFTER_VIDEO = _warning(
    "ends-after-video",
    "prediction",
    "the end is after the end of the video: the overlap gets smaller",
)
VIDEO_UNKNOWN = _error("video-unknown", "prediction", "no video of video2idx has this index")
OTHER_VIDEO = _warning(
    "other-video", "entry", "predictions in another video than the right one are left out"
)
VIDEO_REPEATED = _info(
    "video-repeated", "entry", "a video that comes more than once takes a place each time"
)
PREDICTION_REPEATED = _warning(
    "prediction-repeated", "entry", "a prediction that comes more than once takes a place each time"
)
SCORES_RISE = _warning(
    "scores-rise",
    "entry",
    "the scores rise from first to last; the order of the list is the ranking, best first: "
    "right for distances, upside down for similarities",
)
SCORES_UNORDERED = _warning(
    "scores-unordered",
    "entry",
    "not in the order of the scores; the order of the list is the ranking, scores are ignored",
)

# QVHighlights
LINE_NOT_JSON = _error("line-not-json", "line", "not JSON")
LINE_BLANK = _error("line-blank", "line", "blank: the official script stops")
LINE_NOT_AN_OBJECT = _error("line-not-an-object", "line", "not an object")
PREDICTIONS_NOWHERE = _warning("predictions-nowhere", "", "no line has {}")
NOTHING_TO_SCORE = _error("nothing-to-score", "", "no line has {}: nothing can be scored")
VIDEO_NAME_MISSING = _warning("video-name-missing", "entry", "no vid (not scored)")
VIDEO_DIFFERS = _warning(
    "video-differs", "entry", "another vid than in the ground truth (not scored)"
)
WINDOWS_RISE = _warning(
    "windows-rise",
    "entry",
    "the scores rise from first to last; R1 takes the first window, mAP the ten first: "
    "put the best first",
)
WINDOWS_UNORDERED = _warning(
    "windows-unordered",
    "entry",
    "not in the order of the scores; R1 takes the first window, mAP the ten first, by score",
)
SALIENCY_NOT_NUMBERS = _error(
    "saliency-not-numbers", "entry", "pred_saliency_scores is not a list of finite numbers"
)
SALIENCY_LENGTH = _warning(
    "saliency-length",
    "entry",
    "pred_saliency_scores must have one number per 2-second clip; "
    "the official script cuts long lists and fills short ones with 0",
)
