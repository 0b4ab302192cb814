"""`tui-eval labels`: what it prints and writes, that all of it agrees, and how it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.labels import load_text_prototypes_from_metadata
from sample_data import folder
from tests.engine.labels.labels_by_hand import label_score
from tests.tui.cli.command_lines import Printed, printed_by, refusal_of
from tui.cli.app import run_command_line

FILES = ("--sensor-embeddings", "sensor.npy", "--text-embeddings", "text.npy")
SAMPLE = folder() / "labels"
ALL = "text2sensor,sensor2text,sensor2sensor,text2text"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    rng = np.random.default_rng(7)
    labels = rng.integers(0, 3, 24)
    centres = rng.normal(size=(3, 5))
    sensor, text = (
        (centres[labels] + rng.normal(size=(24, 5))).astype(np.float32) for _ in range(2)
    )
    names = np.array(["walk", "cook", "sleep"])[labels]
    np.save("sensor.npy", sensor)
    np.save("text.npy", text)
    np.save("labels.npy", names)
    np.save("l2.npy", np.arange(24) // 12)
    np.savez("all.npz", sensor=sensor, text=text, labels=names, l2=np.arange(24) // 12)
    np.savez("one.npz", sensor)
    Path("labels.txt").write_text("\n".join(names) + "\n")
    table = pd.DataFrame({"id": [f"item {n}" for n in range(24)], "label": names})
    table.to_csv("labels.csv", index=False)
    np.savez("prototypes.npz", vectors=centres, labels=["walk", "cook", "sleep"])
    metadata = {"milan": {"label_to_text_sourish": {"walk": "a", "cook": "b", "sleep": "c"}}}
    Path("metadata.json").write_text(json.dumps(metadata))
    metadata["milan"]["label_to_text_plain"] = metadata["milan"]["label_to_text_sourish"]
    Path("two.json").write_text(json.dumps(metadata))
    np.save("centres.npy", centres)
    Path("both.csv").write_text("one,two\nwalk,sleep\ncook,walk\nsleep,cook\n")


@pytest.fixture
def labels(capsys: pytest.CaptureFixture[str]) -> Printed:
    return printed_by("labels", capsys)


@pytest.fixture
def refusal(capsys: pytest.CaptureFixture[str]) -> Printed:
    return refusal_of("labels", capsys)


def expected(name: str, k: int) -> float:
    own = np.load("labels.npy").tolist()
    asked, found = (np.load(f"{side}.npy") for side in name.split("2"))
    own_too = name in ("sensor2sensor", "text2text")
    return label_score(asked, found, own, own, k, own=own_too)


def test_the_summary_has_a_line_for_every_direction_and_k(labels: Printed) -> None:
    text = labels(*FILES, "--labels", "labels.npy", "--k", "5,10", "--directions", ALL)

    for title, name in (
        ("Text -> Sensor:", "text2sensor"),
        ("Sensor -> Text:", "sensor2text"),
        ("Sensor -> Sensor:", "sensor2sensor"),
        ("Text -> Text:", "text2text"),
    ):
        block = text.partition(title)[2]
        for k in (5, 10):
            score = expected(name, k)
            line = f"  K={k:>3} => Label-Score@K = {score:.4f} ({100 * score:.2f} %)"
            assert line in block.partition("\n\n")[0]
    assert "same-label results among the first k / k" in text
    assert max(map(len, text.splitlines())) <= 80


def test_json_is_the_means_by_direction_and_k_and_nothing_else(labels: Printed) -> None:
    document = json.loads(labels(*FILES, "--labels", "labels.npy", "--k", "5,10", "--json"))

    assert document == {
        name: {str(k): pytest.approx(expected(name, k), abs=1e-9) for k in (5, 10)}
        for name in ("text2sensor", "sensor2text")
    }


def test_a_file_gets_the_json_and_the_summary_is_printed_unless_quiet(labels: Printed) -> None:
    common = (*FILES, "--labels", "labels.npy", "--k", "10")
    text = labels(*common, "--out", "out.json")

    assert text == labels(*common) and "LabelScore" in text
    assert labels(*common, "--out", "again.json", "--quiet") == ""
    assert Path("again.json").read_text() == Path("out.json").read_text()
    written = json.loads(Path("out.json").read_text())
    assert list(written) == ["text2sensor", "sensor2text"]
    assert list(written["text2sensor"]) == ["10"]


@pytest.mark.parametrize("file", ["labels.npy", "labels.txt", "labels.csv"])
def test_labels_are_the_same_from_every_kind_of_file(labels: Printed, file: str) -> None:
    usual = labels(*FILES, "--labels", "labels.npy", "--json")

    assert labels(*FILES, "--labels", file, "--json") == usual


def test_arrays_of_one_npz_are_named_by_key(labels: Printed) -> None:
    usual = labels(*FILES, "--labels", "labels.npy", "--directions", ALL, "--json")
    keys = ("--sensor-key", "sensor", "--text-key", "text", "--labels-key", "labels")
    given = ("--sensor-embeddings", "all.npz", "--text-embeddings", "all.npz")

    keyed = labels(*given, "--labels", "all.npz", *keys, "--directions", ALL, "--json")

    assert keyed == usual


def test_a_sole_array_needs_no_key(labels: Printed) -> None:
    text = labels("--sensor-embeddings", "one.npz", "--labels", "labels.npy", "--json")

    assert list(json.loads(text)) == ["sensor2sensor"]


def test_several_levels_are_scored_in_one_run(labels: Printed) -> None:
    text = labels(*FILES, "--labels", "l1=labels.npy", "--labels", "l2=l2.npy", "--json")
    alone = labels(*FILES, "--labels", "labels.npy", "--json")

    document = json.loads(text)
    assert list(document) == ["l1", "l2"]
    assert document["l1"] == json.loads(alone)


def test_modalities_have_the_names_they_are_given(labels: Printed) -> None:
    names = ("--name-a", "video", "--name-b", "caption")

    document = json.loads(labels(*FILES, "--labels", "labels.npy", *names, "--json"))

    assert list(document) == ["caption2video", "video2caption"]


def test_lengths_count_without_normalizing(labels: Printed) -> None:
    text = labels(*FILES, "--labels", "labels.npy", "--no-normalize", "--k", "5", "--json")

    own = np.load("labels.npy").tolist()
    asked, found = np.load("text.npy"), np.load("sensor.npy")
    by_hand = label_score(asked, found, own, own, 5, cosine=False)
    assert by_hand != expected("text2sensor", 5)  # here it makes a difference
    assert json.loads(text)["text2sensor"]["5"] == pytest.approx(by_hand, abs=1e-9)


def test_the_csv_has_every_label_with_chance_lift_and_means(labels: Printed) -> None:
    labels(*FILES, "--labels", "labels.npy", "--k", "5", "--per-label", "by.csv")

    table = pd.read_csv("by.csv")
    own = np.load("labels.npy")
    first = table[(table.direction == "text2sensor") & (table.kind == "label")]
    for row in first.itertuples():
        share = float((own == row.label).mean())
        assert row.support == int((own == row.label).sum())
        assert row.random == pytest.approx(share)
        assert row.lift == pytest.approx(row.score / share)
    means = table[(table.direction == "text2sensor") & (table.kind != "label")].set_index("kind")
    assert means.score["macro"] == pytest.approx(first.score.mean())
    assert means.score["weighted"] == pytest.approx(expected("text2sensor", 5))


def test_the_confusion_counts_every_result_once(labels: Printed) -> None:
    labels(*FILES, "--labels", "labels.npy", "--k", "5", "--confusion-csv", "c.csv")

    table = pd.read_csv("c.csv")
    one = table[table.direction == "text2sensor"]
    assert one["count"].sum() == 24 * 5
    right = one[one.label == one.found]["count"].sum()
    assert right / (24 * 5) == pytest.approx(expected("text2sensor", 5))


def test_every_format_holds_the_same_numbers(labels: Printed) -> None:
    options = (*FILES, "--labels", "labels.npy", "--k", "5")
    means = json.loads(labels(*options, "--json"))
    document = json.loads(labels(*options, "--format", "document"))
    rows = list(csv.DictReader(labels(*options, "--format", "csv").splitlines()))

    assert document["schema"] == "tui-eval/labels@2"
    assert document["policies"]["no_relevant"] == "zero"
    roles = {"embeddings of sensor", "embeddings of text", "labels label"}
    assert set(document["inputs"]) == roles
    for entry in document["scores"]:
        assert entry["by_k"][0]["score"] == means[entry["direction"]]["5"]
    weighted = {row["direction"]: float(row["score"]) for row in rows if row["kind"] == "weighted"}
    assert weighted == {name: ks["5"] for name, ks in means.items()}


def test_values_of_queries_can_be_compared(
    labels: Printed, capsys: pytest.CaptureFixture[str]
) -> None:
    options = (*FILES, "--labels", "labels.npy", "--k", "5")
    labels(*options, "--per-query", "a.jsonl")
    labels(*options, "--no-normalize", "--per-query", "b.csv")

    code = run_command_line(["compare", "a.jsonl", "b.csv", "--json"])

    done = capsys.readouterr()
    assert code == 0, done.err
    assert "LabelScore@5" in done.out


@pytest.mark.parametrize("command", [("compare",), ("gate", "--baseline")])
def test_the_means_cannot_be_compared_and_the_error_says_what_can(
    labels: Printed, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    labels(*FILES, "--labels", "labels.npy", "--k", "5", "--out", "scores.json")

    code = run_command_line([*command, "scores.json", "scores.json"])

    assert code == 2
    assert "tui-eval labels --per-query FILE" in capsys.readouterr().err


def test_prototypes_may_be_computed_elsewhere(labels: Printed) -> None:
    options = ("--use-prototypes", "--prototype-embeddings", "prototypes.npz")
    options = (*options, "--prototype-key", "vectors", "--k", "5", "--json")

    document = json.loads(labels(*FILES, "--labels", "labels.npy", *options))

    archive = np.load("prototypes.npz")
    own = np.load("labels.npy").tolist()
    for name in ("sensor", "text"):
        by_hand = label_score(
            archive["vectors"], np.load(f"{name}.npy"), archive["labels"].tolist(), own, 5
        )
        assert document[f"prototype2{name}"]["5"] == pytest.approx(by_hand, abs=1e-9)


def test_labels_of_prototypes_are_chosen_by_key(labels: Printed) -> None:
    given = ("--use-prototypes", "--prototype-embeddings", "centres.npy", "--k", "5", "--json")
    named = ("--prototype-labels", "both.csv", "--prototype-labels-key")

    first = json.loads(labels(*FILES, "--labels", "labels.npy", *given, *named, "one"))
    second = json.loads(labels(*FILES, "--labels", "labels.npy", *given, *named, "two"))

    own = np.load("labels.npy").tolist()
    for found, names in ((first, ["walk", "cook", "sleep"]), (second, ["sleep", "walk", "cook"])):
        by_hand = label_score(np.load("centres.npy"), np.load("text.npy"), names, own, 5)
        assert found["prototype2text"]["5"] == pytest.approx(by_hand, abs=1e-9)
    assert first != second


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--dataset-name", "nonsense"), "has no data set 'nonsense'; it has sample"),
        (("--caption-style", "nonsense"), "has no style 'nonsense'"),
        (("--no-normalize", "--caption-style", "nonsense"), "has no style 'nonsense'"),
        (("--name-a", "clip", "--caption-style", "nonsense"), "has no style 'nonsense'"),
    ],
)
def test_the_sample_has_texts_of_its_own_and_only_fills_in_what_is_not_given(
    refusal: Printed, options: tuple[str, ...], message: str
) -> None:
    assert message in refusal("--use-prototypes", *options)


def test_levels_that_prototypes_leave_out_are_reported(labels: Printed) -> None:
    levels = ("--labels", "l1=labels.npy", "--labels", "l2=l2.npy", "--k", "5")
    given = ("--use-prototypes", "--prototype-embeddings", "prototypes.npz")

    alone = labels(*FILES, *levels, *given)
    beside = labels(*FILES, *levels, *given, "--directions", "text2sensor,prototype2sensor")

    assert "· prototypes stand for labels of l1; l2 is not scored\n" in alone
    assert "· prototypes stand for labels of l1; l2 is not scored with them\n" in beside


def test_the_document_says_which_data_were_scored(labels: Printed) -> None:
    keys = ("--sensor-key", "sensor", "--labels", "l1=all.npz", "--labels-key", "l1=labels")
    given = ("--use-prototypes", "--prototype-embeddings", "prototypes.npz", "--prototype-key")
    metadata = ("--metadata", "metadata.json", "--dataset-name", "milan")

    text = labels(
        *("--sensor-embeddings", "all.npz", *keys, "--labels", "l2=l2.npy"),
        *(*given, "vectors", *metadata, "--k", "5", "--format", "document"),
    )

    assert json.loads(text)["settings"] == {
        "similarity": "cosine",
        "directions": ["prototype2sensor"],
        "keys": {"embeddings of sensor": "sensor", "labels l1": "labels", "labels l2": None},
        "prototypes": {
            "level": "l1",
            "pooling": "mean",
            "unknown_labels": "error",
            "dataset_name": "milan",
            "caption_style": "sourish",
            "key": "vectors",
            "labels_key": None,
        },
    }


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("scores", '{\n  "text2sensor"'),
        ("scores.csv", "level,direction,k"),
        ("scores.txt", "24 items"),
        ("scores.md", "24 items"),
    ],
)
def test_a_file_is_json_unless_its_name_says_otherwise(
    labels: Printed, name: str, begins: str
) -> None:
    labels(*FILES, "--labels", "labels.npy", "--k", "5", "--out", name)

    assert Path(name).read_text().startswith(begins)


@pytest.mark.slow
def test_the_sample_is_scored_with_texts_encoded_by_the_embedded_model(labels: Printed) -> None:
    from engine.text.opening import open_encoder

    document = json.loads(labels("--use-prototypes", "--k", "10", "--json"))

    texts = load_text_prototypes_from_metadata(SAMPLE / "metadata.json", "sample", "plain")
    with open_encoder() as encoder:
        vectors = encoder.encode([str(text) for text in texts.values()])
    scenes = pd.read_csv(SAMPLE / "labels.csv").scene.tolist()
    by_hand = label_score(vectors, np.load(SAMPLE / "video_emb.npy"), list(texts), scenes, 10)
    assert document["prototype2video"]["10"] == pytest.approx(by_hand, abs=1e-9)


def test_the_sample_is_there_without_any_option(labels: Printed) -> None:
    document = json.loads(labels("--json", "--k", "10"))

    assert list(document) == ["scene", "object"]
    table = pd.read_csv(SAMPLE / "labels.csv")
    text, video = (np.load(SAMPLE / f"{name}_emb.npy") for name in ("text", "video"))
    objects = table.object.tolist()
    by_hand = label_score(text, video, objects, objects, 10)
    assert document["object"]["text2video"]["10"] == pytest.approx(by_hand, abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*FILES, "--labels", "none.npy"), "none.npy: no such file"),
        ((*FILES,), "--labels is missing"),
        (("--labels", "labels.npy"), "--sensor-embeddings is missing"),
        ((*FILES, "--labels", "labels.npy", "--k", "0"), "--k is '0'"),
        ((*FILES, "--labels", "labels.npy", "--k", "-5"), "--k is '-5'"),
        ((*FILES, "--labels", "labels.npy", "--directions", "video2text"), "no direction"),
        ((*FILES, "--labels", "labels.npy", "--directions", "prototype2text"), "needs prototypes"),
        (
            ("--sensor-embeddings", "all.npz", "--labels", "labels.npy"),
            "holds 4 arrays: 'sensor', 'text', 'labels', 'l2'; say which with --sensor-key NAME",
        ),
        (
            ("--sensor-embeddings", "all.npz", "--sensor-key", "sensors", "--labels", "labels.npy"),
            'did you mean "sensor"?',
        ),
        ((*FILES, "--labels", "labels.npy", "--metadata", "metadata.json"), "--use-prototypes"),
        ((*FILES, "--labels", "labels.npy", "--use-prototypes"), "--metadata FILE"),
        (
            (*FILES, "--labels", "labels.npy", "--use-prototypes", "--metadata", "metadata.json",
             "--dataset-name", "cairo"),
            "milan",
        ),
        (
            (*FILES, "--labels", "labels.npy", "--use-prototypes", "--metadata", "metadata.json",
             "--dataset-name", "milan", "--caption-style", "plain"),
            "sourish",
        ),
        (
            (*FILES, "--labels", "labels.npy", "--use-prototypes", "--adapter", "x"),
            "--adapter needs --checkpoint",
        ),
        (
            (*FILES, "--labels", "labels.npy", "--use-prototypes", "--metadata", "two.json",
             "--dataset-name", "milan"),
            "choose one with --caption-style NAME",
        ),
        (
            (*FILES, "--labels", "labels.npy", "--use-prototypes", "--prototype-embeddings",
             "prototypes.npz", "--caption-style", "plain"),
            "--caption-style needs --metadata",
        ),
        (
            (*FILES, "--labels", "labels.npy", "--prototype-pooling", "max"),
            "--prototype-pooling needs --use-prototypes",
        ),
        (
            (*FILES, "--labels", "labels.npy", "--use-prototypes", "--prototype-embeddings",
             "centres.npy", "--prototype-labels", "all.npz"),
            "say which with --prototype-labels-key NAME",
        ),
        (
            (*FILES, "--labels", "labels.npy", "--use-prototypes", "--prototype-embeddings",
             "centres.npy", "--prototype-labels", "both.csv"),
            "several columns that could hold labels: one, two; "
            "say which with --prototype-labels-key NAME",
        ),
        (
            (*FILES, "--labels", "labels.npy", "--use-prototypes", "--prototype-embeddings",
             "centres.npy"),
            "name their labels with --prototype-labels FILE",
        ),
        (
            (*FILES, "--labels", "labels.npy", "--use-prototypes", "--metadata", "metadata.json",
             "--dataset-name", "milan", "--prototype-labels", "labels.txt"),
            "--prototype-labels needs --prototype-embeddings",
        ),
        (
            (*FILES, "--labels", "labels.npy", "--out", "labels.npy", "--format", "json"),
            "an input of this command",
        ),
        ((*FILES, "--labels", "labels.npy", "--out", "scores.dat"), "this command writes no .dat"),
        ((*FILES, "--labels", "labels.npy", "--per-query", "x.txt"), "x.txt"),
        ((*FILES, "--labels", "a=labels.npy", "--labels", "a=l2.npy"), "two levels"),
        ((*FILES, "--labels", "labels.npy", "--name-a", "text"), "both modalities are called"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line(
    refusal: Printed, arguments: tuple[str, ...], message: str
) -> None:
    assert message in refusal(*arguments)


def test_pickled_arrays_are_refused_with_how_to_convert_them(refusal: Printed) -> None:
    np.save("objects.npy", np.array(["walk"] * 24, dtype=object), allow_pickle=True)

    line = refusal(*FILES, "--labels", "objects.npy")

    assert "pickled" in line
    assert "array = np.load(path, allow_pickle=True); np.save(path, array.astype(str))" in line


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("sensor.npy", np.ones((23, 5)), "24 rows of text for 23 rows of sensor"),
        ("text.npy", np.ones((24, 4)), "dimensions"),
        ("sensor.npy", np.full((24, 5), np.nan), "row 0 (counted from 0) has a value that is NaN"),
        ("text.npy", np.zeros((24, 5)), "row 0 (counted from 0) is all zeros"),
        ("labels.npy", np.arange(23), "23 labels for 24 rows"),
        ("sensor.npy", np.ones(24), "rows × dimensions is needed"),
        ("sensor.npy", np.array(["a"] * 24), "not numbers"),
    ],
)
def test_data_that_cannot_be_compared_is_refused(
    refusal: Printed, name: str, value: Any, message: str
) -> None:
    np.save(name, value)

    assert message in refusal(*FILES, "--labels", "labels.npy")


def test_a_prototype_for_an_unknown_label_is_refused_or_left_out_aloud(
    labels: Printed, refusal: Printed
) -> None:
    np.savez("prototypes.npz", vectors=np.eye(3, 5), labels=["walk", "cook", "fly"])
    options = (*FILES, "--labels", "labels.npy", "--use-prototypes", "--prototype-key", "vectors")
    options = (*options, "--prototype-embeddings", "prototypes.npz")

    assert "label 'fly', which no item has" in refusal(*options)
    reported = labels(*options, "--unknown-labels", "skip")
    assert "1 label that no item has" in reported
    assert "'fly'" in reported


@pytest.mark.parametrize("name", ["labels label", "metadata", "embeddings of text"])
def test_no_name_of_a_modality_keeps_its_file_from_being_protected(
    refusal: Printed, name: str
) -> None:
    before = Path("sensor.npy").read_bytes()

    line = refusal(*FILES, "--labels", "labels.npy", "--name-a", name, "--out", "sensor.npy")

    assert "an input of this command" in line
    assert Path("sensor.npy").read_bytes() == before


def test_links_in_a_circle_and_endless_names_are_one_line(refusal: Printed) -> None:
    Path("loop.npy").symlink_to("loop.npy")

    assert "is a symbolic link to itself" in refusal(
        *FILES, "--labels", "labels.npy", "--out", "loop.npy"
    )
    assert "cannot be read (Too many levels" in refusal(*FILES, "--labels", "loop.npy")
    assert "File name too long" in refusal(*FILES, "--labels", f"l1={'z' * 300}.npy")
