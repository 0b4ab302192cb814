"""The moment sample: queries whose moments hold, and answers that are a model's own."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.moments.failures.classes import CLASSES
from engine.moments.failures.failures import explain
from engine.moments.moments_source import MomentsRequest
from engine.moments.open_files import open_moments
from engine.moments.tasks import HitRule
from sample_data import folder
from sample_data.captions import captions_of, headlines_of, is_true_of
from sample_data.drives import CLIP, make_drives, make_trips
from sample_data.highlights import clear, focus, in_view
from sample_data.keywords import keywords_of
from sample_data.labels import MODEL, read_vectors
from sample_data.learn import encode_texts
from sample_data.moments import main, moment_files
from sample_data.queries import QUERIES
from sample_data.scenes import Scene, shipped_scenes
from sample_data.shipped import SHIPPED_SEED, slice_ids
from sample_data.visible import visible_span
from sample_data.windows import Window, thinned

HOME = folder() / "moments"
Line = dict[str, Any]


def lines(name: str) -> list[Line]:
    return [json.loads(line) for line in (HOME / name).read_text(encoding="utf-8").splitlines()]


def overlap(one: list[float], other: list[float]) -> float:
    """Intersection over hull."""
    shared = max(0.0, min(one[1], other[1]) - max(one[0], other[0]))
    return shared / (max(one[1], other[1]) - min(one[0], other[0]))


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    return shipped_scenes(SHIPPED_SEED)


@pytest.fixture(scope="module")
def videos(scenes: list[Scene]) -> NDArray[np.float32]:
    return read_vectors(folder() / "embeddings" / f"{MODEL}.parquet", slice_ids(scenes))


@pytest.fixture(scope="module")
def texts() -> NDArray[np.float16]:
    stored: NDArray[np.float16] = np.load(HOME / "query_emb.npy", allow_pickle=False)
    return stored


@pytest.fixture(scope="module")
def truth() -> list[Line]:
    return lines("ground_truth.jsonl")


@pytest.fixture(scope="module")
def submission() -> Line:
    read: Line = json.loads((HOME / "submission.json").read_text(encoding="utf-8"))
    return read


@pytest.fixture(scope="module")
def highlights() -> list[Line]:
    return lines("highlights_truth.jsonl")


# Made again


@pytest.mark.slow
def test_the_text_files_are_what_the_generator_makes_of_the_shipped_vectors(
    scenes: list[Scene], videos: NDArray[np.float32], texts: NDArray[np.float16]
) -> None:
    made = moment_files(scenes, videos, texts)

    assert {*made, "query_emb.npy"} == {path.name for path in HOME.iterdir()}
    for name, text in made.items():
        assert (HOME / name).read_bytes() == text.encode(), name


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, NDArray[np.float32]]:
    """What the command writes, and the texts as they were encoded for it."""
    out = tmp_path_factory.mktemp("made")
    encoded = []

    def encode(texts: list[str]) -> NDArray[np.float32]:
        encoded.append(encode_texts(texts))
        return encoded[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sample_data.moments.encode_texts", encode)
        patch.setattr("sys.argv", ["moments", "--out", str(out)])
        main()
    (vectors,) = encoded
    return out / "moments", vectors


@pytest.mark.slow
def test_query_vectors_are_the_texts_encoded(
    made: tuple[Path, NDArray[np.float32]], texts: NDArray[np.float16]
) -> None:
    assert texts.dtype == np.float16
    assert np.abs(made[1] - texts).max() < 3e-4  # half precision, and processors differ a little


@pytest.mark.slow
def test_the_command_writes_the_same_truth_again(made: tuple[Path, NDArray[np.float32]]) -> None:
    assert {path.name for path in made[0].iterdir()} == {path.name for path in HOME.iterdir()}
    for name in ("drives.csv", "ground_truth.jsonl", "highlights_truth.jsonl"):
        assert (made[0] / name).read_bytes() == (HOME / name).read_bytes()


def test_the_sample_is_small() -> None:
    assert sum(path.stat().st_size for path in HOME.iterdir()) < 500_000


# Drives and trips


def test_every_clip_is_in_one_drive_and_one_trip(scenes: list[Scene]) -> None:
    drives = make_drives(scenes)

    for longer in (drives, make_trips(drives)):
        assert sorted(row for video in longer for row in video.clips) == list(range(len(scenes)))
    assert {len(drive.clips) for drive in drives} <= set(range(5, 14))
    assert {trip.seconds for trip in make_trips(drives)} == {142}


def test_a_drive_stays_in_one_place_and_one_light(scenes: list[Scene]) -> None:
    for drive in make_drives(scenes):
        assert len({(scenes[row].place, scenes[row].night) for row in drive.clips}) == 1


def test_the_list_of_clips_says_what_is_shown_when(scenes: list[Scene]) -> None:
    with (HOME / "drives.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))

    ids = slice_ids(scenes)
    drives = make_drives(scenes)
    for kind, longer in (("drive", drives), ("trip", make_trips(drives))):
        shown = {(row[kind], int(row[f"{kind}_start"])): row["slice_id"] for row in rows}
        expected = {
            (video.name, CLIP * place): ids[clip]
            for video in longer
            for place, clip in enumerate(video.clips)
        }
        assert shown == expected


# TVR


def test_a_truth_line_has_the_keys_of_tvr_in_its_types(truth: list[Line]) -> None:
    assert [line["desc_id"] for line in truth] == list(range(1, len(truth) + 1))
    assert len({line["desc"] for line in truth}) == len(truth) == 81
    assert Counter(line["type"] for line in truth) == {"v": 27, "t": 27, "vt": 27}
    for line in truth:
        assert list(line) == ["desc_id", "desc", "vid_name", "ts", "duration", "type"]
        assert 0 <= line["ts"][0] < line["ts"][1] <= line["duration"]


def test_a_caption_holds_of_every_clip_of_its_moment_and_of_no_other_of_the_drive(
    truth: list[Line], scenes: list[Scene]
) -> None:
    drives = {drive.name: drive for drive in make_drives(scenes)}

    for line in truth:
        inside, outside = [], []
        for place, row in enumerate(drives[line["vid_name"]].clips):
            span = [CLIP * place, CLIP * (place + 1)]
            (inside if overlap(line["ts"], span) > 0 else outside).append(scenes[row])
        assert inside
        assert all(said_of(line, scene) for scene in inside)
        assert not any(said_of(line, scene) for scene in outside)


def said_of(line: Line, scene: Scene) -> bool:
    """Whether the query could be said of the scene, read from its words alone."""
    trip = captions_of(scene)[2]
    if line["type"] == "t":
        return bool(line["desc"] == trip)
    if line["type"] == "v":
        return is_true_of(line["desc"], scene)
    ego, setting = trip.split(", ", 1)
    end = f", {setting}, {ego}"
    headline = line["desc"].removesuffix(end)
    return bool(headline != line["desc"]) and is_true_of(headline, scene)


def test_a_general_word_is_true_of_the_special_and_not_the_other_way_round(
    scenes: list[Scene],
) -> None:
    standing = [s for s in scenes if s.actors[0].behavior == "stationary" and len(s.actors) == 1]
    taxi = next(s for s in standing if s.actors[0].model == "taxi")
    car = next(s for s in standing if s.actors[0].model == "car")

    assert is_true_of("small vehicle stationary", taxi)
    assert is_true_of("taxi standing still", taxi)
    assert not is_true_of("taxi standing still", car)
    assert not is_true_of("small vehicle entering ego path", car)


def test_of_two_actors_one_alone_may_be_reported(scenes: list[Scene]) -> None:
    both = next(scene for scene in scenes if len(scene.actors) == 2)
    alone = next(s for s in scenes if len(s.actors) == 1 and is_true_of(headlines_of(s)[0], both))

    assert is_true_of(headlines_of(both)[0], both)
    assert not is_true_of(headlines_of(both)[0], alone)


def test_a_moment_ends_when_its_actor_leaves_the_view(
    truth: list[Line], scenes: list[Scene]
) -> None:
    line = next(line for line in truth if line["ts"][1] % 1 and line["type"] == "v")
    drive = next(drive for drive in make_drives(scenes) if drive.name == line["vid_name"])
    place = int(line["ts"][1] // CLIP)

    end = visible_span(scenes[drive.clips[place]])[1]
    assert end < CLIP
    assert line["ts"][1] == round(CLIP * place + end, 2)


def test_the_submission_answers_every_query_in_three_tasks(
    truth: list[Line], submission: Line, scenes: list[Scene]
) -> None:
    lengths = [drive.seconds for drive in make_drives(scenes)]

    assert list(submission) == ["video2idx", "VCMR", "SVMR", "VR"]
    assert submission["video2idx"] == {f"drive_{i + 1:03d}": i for i in range(len(lengths))}
    for task in ("VCMR", "SVMR", "VR"):
        asked = [(line["desc_id"], line["desc"]) for line in truth]
        assert [(entry["desc_id"], entry["desc"]) for entry in submission[task]] == asked
        for entry, line in zip(submission[task], truth, strict=True):
            scores = [score for *_, score in entry["predictions"]]
            assert scores == sorted(scores, reverse=True)
            for video, start, end, _ in entry["predictions"]:
                if task == "VR":
                    assert start == end == 0
                    continue
                assert 0 <= start < end <= lengths[video]
                if task == "SVMR":
                    assert video == submission["video2idx"][line["vid_name"]]


def test_a_score_is_the_mean_cosine_of_the_clips_in_the_window(
    submission: Line,
    scenes: list[Scene],
    videos: NDArray[np.float32],
    texts: NDArray[np.float16],
) -> None:
    drives = make_drives(scenes)

    for number in (0, 40, 80):
        for video, start, end, score in submission["VCMR"][number]["predictions"]:
            clips = list(drives[video].clips)[int(start) // CLIP : int(end) // CLIP]
            cosines = videos[clips] @ texts[number].astype(np.float32)
            assert score == pytest.approx(cosines.mean(), abs=6e-5)


def test_every_way_to_be_right_or_wrong_occurs(truth: list[Line], submission: Line) -> None:
    found: Counter[str] = Counter()
    for line, entry in zip(truth, submission["VCMR"], strict=True):
        right = submission["video2idx"][line["vid_name"]]
        overlaps = [
            overlap(line["ts"], [start, end]) if video == right else -1.0
            for video, start, end, _ in entry["predictions"]
        ]
        found[failure(overlaps)] += 1

    opened = open_moments(MomentsRequest(HOME / "submission.json", HOME / "ground_truth.jsonl"))
    counts = explain(opened.judge("VCMR"), HitRule(0.5, 1)).counts().tolist()
    assert dict(zip(CLASSES, counts, strict=True)) == found
    assert counts == [31, 36, 3, 5, 6]


def failure(overlaps: list[float]) -> str:
    """The class of a ranking at 0.5-r1; −1 stands for another video."""
    if overlaps[0] >= 0.5:
        return "hit"
    best = max(overlaps)
    limits = {"ranked low": 0.5, "nearly right": 0.3, "wrong time": 0.0}
    return next((name for name, limit in limits.items() if best >= limit), "wrong video")


def test_the_numbers_are_those_of_the_readme() -> None:
    numbers = open_moments(
        MomentsRequest(HOME / "submission.json", HOME / "ground_truth.jsonl")
    ).official()

    names = ("0.5-r1", "0.5-r5", "0.7-r1", "0.7-r5")
    assert [numbers["VCMR"][name] for name in names] == [38.27, 62.96, 23.46, 51.85]
    assert [numbers["SVMR"][name] for name in names] == [67.9, 88.89, 38.27, 82.72]
    assert [numbers["VR"][name] for name in ("r1", "r5")] == [50.62, 86.42]
    kinds = [numbers["VCMR_by_type"][f"{kind}-0.5-r1"] for kind in ("v", "t", "vt")]
    assert kinds == [22.22, 14.81, 77.78]


def test_drives_are_found_far_more_often_than_by_chance(
    truth: list[Line], submission: Line
) -> None:
    right = [submission["video2idx"][line["vid_name"]] for line in truth]
    first = [entry["predictions"][0][0] for entry in submission["VR"]]

    assert np.mean(np.equal(first, right)) > 8 / len(submission["video2idx"])


# QVHighlights


def test_relevant_clips_are_those_with_all_keywords_and_windows_their_runs(
    highlights: list[Line], scenes: list[Scene]
) -> None:
    trips = {trip.name: trip for trip in make_trips(make_drives(scenes))}
    asked = dict(QUERIES)

    for line in highlights:
        has = [
            set(asked[line["query"]])
            <= {word for g in keywords_of(scenes[row]).values() for word in g}
            for row in trips[line["vid"]].clips
        ]
        inside = [
            any(start <= CLIP * i < end for start, end in line["relevant_windows"])
            for i in range(len(has))
        ]
        assert line["relevant_clip_ids"] == np.flatnonzero(has).tolist()
        assert inside == has
        gaps = np.diff(np.ravel(line["relevant_windows"]))
        assert (gaps > 0).all()  # in order, and two windows never touch


def test_only_queries_that_no_clip_answers_are_left_out(highlights: list[Line]) -> None:
    left_out = {text for text, _ in QUERIES} - {line["query"] for line in highlights}

    assert left_out == {
        "pedestrian on the highway",
        "bollards in a tunnel",
        "animal crossing while we change lanes",
    }


def test_three_measures_from_0_to_4_stand_where_raters_would(
    highlights: list[Line], scenes: list[Scene]
) -> None:
    for line in highlights:
        assert len(line["saliency_scores"]) == len(line["relevant_clip_ids"])
    rated = np.concatenate([line["saliency_scores"] for line in highlights])

    assert rated.shape[1] == 3
    assert rated.min() >= 0
    assert rated.max() == 4
    assert all(len(np.unique(column)) >= 3 for column in rated.T)


def test_the_measures_by_hand(scenes: list[Scene]) -> None:
    # "bicyclist stationary, urban street, …, nighttime, rainy", in view throughout
    scene = scenes[1]

    assert focus(scene, ("bicyclist",)) == 4
    # 2 of intersection, urban, street parked vehicle, vulnerable road user present, night, rain
    assert focus(scene, ("nighttime", "urban")) == 1
    assert (in_view(scene), clear(scene)) == (4, 1)


def test_a_prediction_has_ten_windows_best_first_and_a_score_per_clip(
    highlights: list[Line],
) -> None:
    predicted = lines("highlights_predictions.jsonl")

    for line, answer in zip(highlights, predicted, strict=True):
        assert [answer[key] for key in ("qid", "query", "vid")] == [
            line[key] for key in ("qid", "query", "vid")
        ]
        windows = answer["pred_relevant_windows"]
        scores = [score for *_, score in windows]
        assert len(windows) == 10
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= start < end <= line["duration"] for start, end, _ in windows)
        assert len(answer["pred_saliency_scores"]) == line["duration"] // CLIP


def test_relevant_clips_are_nearer_their_query_than_the_others(highlights: list[Line]) -> None:
    ahead = []
    for line, answer in zip(highlights, lines("highlights_predictions.jsonl"), strict=True):
        scores = np.array(answer["pred_saliency_scores"])
        relevant = np.isin(np.arange(len(scores)), line["relevant_clip_ids"])
        ahead.append(scores[relevant].mean() > scores[~relevant].mean())

    assert np.mean(ahead) > 0.9


def test_the_numbers_of_the_trips_are_those_of_the_readme() -> None:
    brief = open_moments(
        MomentsRequest(HOME / "highlights_predictions.jsonl", HOME / "highlights_truth.jsonl")
    ).official()["brief"]

    assert (brief["MR-full-mAP"], brief["MR-full-R1@0.5"]) == (23.73, 34.48)
    highlights = (brief["HL-min-VeryGood-mAP"], brief["HL-min-VeryGood-Hit1"])
    assert highlights == (46.07, 65.52)


def test_of_windows_that_share_more_than_half_the_better_stays() -> None:
    ranked = [
        Window(0, 0, 3, 0.9),
        Window(0, 0, 4, 0.8),
        Window(0, 2, 5, 0.7),
        Window(0, 9, 9, 0.1),
    ]

    kept = thinned(ranked, most=2, overlap=0.5)

    assert kept == [ranked[0], ranked[2]]  # 4 of 5 clips shared, then 2 of 6
