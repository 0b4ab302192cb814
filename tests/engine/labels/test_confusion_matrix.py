"""What an evaluation says about which labels are retrieved for which."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from engine.dataset.ground_truth import GroundTruth
from engine.keywords.evaluated_run import EvaluatedRun
from engine.keywords.run import RunRequest, run_request
from engine.keywords.workbench import Workbench
from engine.labels.confusion_matrix import (
    NO_LABEL,
    ConfusionMatrix,
    count_confusions,
    number_labels,
)
from engine.labels.data.labelled_items import read_labelled
from engine.labels.scoring.label_run import score_labels
from engine.text.opening import open_encoder
from tests.engine.labels.label_files_by_hand import ROOMS, label_files, rooms_dataset, vectors
from tests.engine.labels.labels_by_hand import order_of

NAMES = ["Bath", "Hall", "Kitchen"]


def evaluated(folder: Path, direction: str = "text2sensor", **options: object) -> EvaluatedRun:
    dataset = rooms_dataset(folder, ks=(3, 5))
    request = RunRequest(
        modes="video",
        ks=dataset.ks,
        model=direction,
        profile="label",
        policies=dataset.policies,
        **options,  # type: ignore[arg-type]
    )
    return EvaluatedRun.of(run_request(request, Workbench(dataset, open_encoder())))


def by_hand(direction: str, k: int) -> list[list[int]]:
    """Rows are labels of queries, columns labels of what stands in their first k."""
    asked, searched = direction.split("2")
    arrays = {"sensor": vectors(6, 1), "text": vectors(6, 2)}
    order = order_of(arrays[asked], arrays[searched], cosine=True, own=asked == searched)
    table = [[0] * 3 for _ in range(3)]
    for query, rows in enumerate(order.tolist()):
        for row in rows[:k]:
            table[NAMES.index(ROOMS[query])][NAMES.index(ROOMS[row])] += 1
    return table


def whole(found: ConfusionMatrix) -> list[list[int]]:
    return [found.table.counts(label).tolist() for label in range(found.labels)]


@pytest.mark.parametrize("direction", ["text2sensor", "sensor2sensor"])
def test_the_counts_are_those_of_looking_at_every_neighbour(direction: str, tmp_path: Path) -> None:
    found = count_confusions(evaluated(tmp_path, direction), "room")

    assert whole(found) == by_hand(direction, 3)
    assert found.names == ("Bath", "Hall", "Kitchen")
    assert found.table.queries.tolist() == [2, 1, 3]


@pytest.mark.parametrize("direction", ["text2sensor", "text2text"])
def test_the_screen_counts_what_the_command_line_counts(direction: str, tmp_path: Path) -> None:
    found = count_confusions(evaluated(tmp_path, direction), "room")
    files = label_files(tmp_path)
    (chosen,) = files.modalities.parse([direction])

    run = score_labels(read_labelled(files), [chosen], ks=[3, 5])

    score = next(one for one in run.scores if one.level.name == "room")
    command = score.confusion[score.ks.index(3)]
    assert command.pairs.tolist() == found.table.pairs.tolist()
    assert command.times.tolist() == found.table.times.tolist()


def test_the_diagonal_share_is_the_mean_label_score_where_every_query_has_k_results(
    tmp_path: Path,
) -> None:
    found = count_confusions(evaluated(tmp_path), "room")

    shares = [found.shares(label, np.array([label]))[0] for label in range(3)]

    assert shares == pytest.approx(found.means.tolist())


def test_what_has_no_column_is_in_the_others_so_that_a_row_is_whole(tmp_path: Path) -> None:
    found = count_confusions(evaluated(tmp_path), "room")

    for label in range(3):
        for columns in ([], [0], [2, 1], [0, 1, 2]):
            shares = found.shares(label, np.array(columns, np.int64))
            assert len(shares) == len(columns) + 1
            assert shares.sum() == pytest.approx(1)


def test_only_the_rows_that_are_shown_are_counted(tmp_path: Path) -> None:
    found = count_confusions(evaluated(tmp_path), "room", np.array([3]))  # the Hall

    assert found.rows.tolist() == [NAMES.index("Hall")]
    assert found.table.total(1) == 3


def test_rows_are_in_the_order_that_was_asked_for(tmp_path: Path) -> None:
    found = count_confusions(evaluated(tmp_path), "room")

    worst = found.means[found.order()]
    assert worst.tolist() == sorted(worst.tolist())
    assert found.order("queries").tolist() == [2, 0, 1]
    assert found.order("label").tolist() == [0, 1, 2]
    assert found.order("label", reverse=True).tolist() == [2, 1, 0]


def test_columns_begin_with_the_label_that_stands_most_where_others_belong(
    tmp_path: Path,
) -> None:
    found = count_confusions(evaluated(tmp_path), "room")
    table = np.array(whole(found))
    intruding = table.sum(axis=0) - np.diag(table)

    assert intruding[found.columns].tolist() == sorted(intruding.tolist(), reverse=True)


def test_only_groups_of_single_keywords_can_be_looked_at_so(tmp_path: Path) -> None:
    truth = GroundTruth.from_columns(
        ["a", "b", "c"], {"one": [["x"], [], ["y"]], "two": [["u", "v"], ["u"], []]}
    )

    assert truth.label_groups == {"one"}
    assert number_labels(truth, "one", truth.bits).tolist() == [0, -1, 1]
    assert number_labels(truth, "two", truth.bits).tolist() == [-1, 0, -1]  # several are none
    assert evaluated(tmp_path).label_groups == ("room",)
    assert evaluated(tmp_path, groups=("room", "day")).label_groups == ("room", "day")


def test_results_without_a_label_have_a_column_of_their_own(tmp_path: Path) -> None:
    found = clips_with_a_bare_one(tmp_path)

    assert found.names == ("bus", "car", NO_LABEL)
    assert found.labels == 2
    assert found.table.counts(1).tolist() == [1, 0, 1]  # the car finds the bus and the bare clip
    assert found.shares(1, np.array([1])).tolist() == [0.0, 1.0]


def test_queries_add_up_to_those_of_the_means_and_those_to_which_nothing_is_relevant(
    tmp_path: Path,
) -> None:
    found = clips_with_a_bare_one(tmp_path)

    assert found.table.queries.tolist()[:2] == [1, 1]
    assert (found.unscored, found.left_out) == (2, 0)  # no clip is like either; c asks for nothing
    assert not found.asks_more


def test_means_that_judge_by_several_groups_ask_for_more_than_the_label(tmp_path: Path) -> None:
    (tmp_path / "clips.csv").write_text(
        "slice_id,pv_object_type,pv_scene_type\na,car,city\nb,car,rain\nc,car,city\n"
    )
    found = confuse_clips(tmp_path, ("object_type", "scene_type"))

    assert found.asks_more
    assert found.table.right.tolist()[:1] == [6]  # every result is a car
    assert found.means.tolist()[:1] == [pytest.approx(1 / 2)]  # a and c are hits of each other
    assert found.unscored == 1


def clips_with_a_bare_one(folder: Path) -> ConfusionMatrix:
    (folder / "clips.csv").write_text("slice_id,pv_object_type\na,car\nb,bus\nc,\n")
    return confuse_clips(folder)


def confuse_clips(folder: Path, groups: tuple[str, ...] | None = None) -> ConfusionMatrix:
    """Three clips a, b and c, each asked for the two others."""
    from engine.dataset.settings_file import open_dataset

    np.savez(folder / "m.npz", ids=np.array(["a", "b", "c"]), embeddings=vectors(3, 4).astype("f4"))
    (folder / "dataset.toml").write_text(
        'annotations = "clips.csv"\n[models.m]\nembeddings = "m.npz"\n'
    )
    request = RunRequest(modes="video", ks=(1, 2), groups=groups)
    bench = Workbench(open_dataset(folder), open_encoder())
    return count_confusions(EvaluatedRun.of(run_request(request, bench)), "object_type")


def test_results_below_the_least_similarity_count_nowhere(tmp_path: Path) -> None:
    from dataclasses import replace

    dataset = rooms_dataset(tmp_path, ks=(3,))
    policies = replace(dataset.policies, min_similarity=2.0)  # no cosine is that high
    request = RunRequest(
        modes="video", ks=(3,), model="text2sensor", profile="label", policies=policies
    )
    run = run_request(request, Workbench(dataset, open_encoder()))

    found = count_confusions(EvaluatedRun.of(run), "room")

    assert found.table.totals.tolist() == [0, 0, 0]
    assert found.shares(0, np.array([0])).tolist() == [0.0, 0.0]


def test_cells_of_a_file_hold_every_pair_and_no_formula(tmp_path: Path) -> None:
    found = count_confusions(evaluated(tmp_path), "room")
    text = io.StringIO()
    csv.writer(text).writerows(found.as_cells(found.order("label")))

    rows = list(csv.DictReader(io.StringIO(text.getvalue())))

    assert sum(int(row["count"]) for row in rows) == 18  # 6 queries, 3 results each
    bath = [row for row in rows if row["query_label"] == "Bath"]
    assert sum(float(row["share"]) for row in bath) == pytest.approx(1)
