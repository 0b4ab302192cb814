"""The command, the inspector and a comparison show the same digits of the same mean."""

from __future__ import annotations

import numpy as np
import pytest

from engine.keywords.evaluated_run import EvaluatedRun
from engine.keywords.run import RunRequest, run_request
from engine.keywords.workbench import Workbench
from engine.labels.confusion_matrix import count_confusions
from engine.labels.data.labelled_items import read_labelled
from engine.labels.dataset import build_label_dataset
from engine.labels.scoring.by_label import LabelTable
from engine.labels.scoring.label_run import LabelScore, score_labels
from engine.text.opening import open_encoder
from tui.opening.label_files import find_sample_label_files

K = 10
FILES = find_sample_label_files()


def evaluated(direction: str, level: str) -> EvaluatedRun:
    dataset = build_label_dataset(FILES, ks=(K,))
    request = RunRequest(
        modes="video",
        groups=(level,),
        ks=dataset.ks,
        model=direction,
        profile="label",
        policies=dataset.policies,
    )
    return EvaluatedRun.of(run_request(request, Workbench(dataset, open_encoder())))


def scored(direction: str, level: str) -> LabelScore:
    run = score_labels(read_labelled(FILES), FILES.modalities.parse([direction]), [K])
    return run.of_level(level)[0]


@pytest.mark.parametrize("level", ["scene", "object"])
@pytest.mark.parametrize("direction", ["text2video", "video2text", "video2video", "text2text"])
def test_means_are_the_same_to_the_last_digit(direction: str, level: str) -> None:
    screen = evaluated(direction, level)
    score = scored(direction, level)

    rows = LabelTable.of(score, K)

    found = count_confusions(screen, level)
    assert found.names == score.level.names
    assert rows.means.tolist() == found.means.tolist()
    main = screen.table.main
    everything = np.arange(len(screen.table))
    assert rows.mean_of_values == screen.table.aggregate(main, everything)
    (mean,) = (float(column.mean()) for column in screen.results().values.T)
    assert rows.mean_of_values == mean
