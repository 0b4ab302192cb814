"""`tui-eval map`, `map test` and `map learn`, and what is said of words that nothing explains."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.dataset.learned_file import find_learned_file
from engine.dataset.settings_file import open_dataset
from engine.text import MAPPER_THRESHOLD
from engine.text.learning.learn import LearnedPhrase, learn_phrases
from engine.text.learning.proposals import Proposal
from engine.text.model_files import find_embedded_folder
from sample_data import folder as sample_folder
from tui.cli.app import run_command_line

TOML = '# Our animals.\nannotations = "clips.csv"  # by hand\n\n[models.m]\nembeddings = "m.npz"\n'
CSV = "slice_id,pv_species,pv_time\na,wolf,night\nb,hare,day\n"
TAUGHT = """query,keywords
a zorp at night,"wolf, night"
the zorp by day,"wolf, day"
zorps at night,"wolf, night"
two zorps by day,"wolf, day"
a hare at night,"hare, night"
a hare by day,"hare, day"
something unlabelled,
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TUI_EVAL_DATA", str(tmp_path / "data"))
    (tmp_path / "clips.csv").write_text(CSV)
    (tmp_path / "dataset.toml").write_text(TOML)
    (tmp_path / "queries.csv").write_text(TAUGHT)
    (tmp_path / "words.json").write_text('{"species": ["wolf", "hare"], "time": ["day", "night"]}')
    vectors = np.float32([[1, 0], [0, 1]]) @ np.float32(np.eye(2, 384))
    np.savez(tmp_path / "m.npz", ids=np.array(["a", "b"]), embeddings=vectors)

    def command(*arguments: str) -> tuple[int, str, str]:
        code = run_command_line(list(arguments))
        done = capsys.readouterr()
        return code, done.out, done.err

    return command


def load(run: Run, *arguments: str) -> Any:
    code, out, err = run(*arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def test_a_table_names_the_words_that_were_not_understood(run: Run) -> None:
    code, out, _ = run("map", "a Zorp and a wolf, blipf", "-d", ".")
    assert code == 0
    assert "not understood: Zorp · blipf" in out
    assert "not understood" not in run("map", "a wolf at night", "-d", ".")[1]


def test_a_text_of_unknown_words_alone_says_so(run: Run) -> None:
    _, out, _ = run("map", "zorp", "--vocabulary", "words.json")
    assert out.splitlines() == [
        "No keyword of the chosen groups is in this text.",
        "not understood: zorp",
    ]


def test_the_nearest_keywords_are_offered_beside_the_words(run: Run) -> None:
    text = "a rabbit hopping"
    found = load(run, "map", text, "--vocabulary", "words.json", "--threshold", "1")
    assert found["keywords"] == []
    assert [item["keyword"] for item in found["near"]] == ["hare"]
    _, out, _ = run("map", text, "--vocabulary", "words.json", "--threshold", "1")
    assert 'nearest: hare ("' in out


def test_json_and_batch_list_them_as_typed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "batch.txt").write_text("a Zorp\nwolf\n")
    assert load(run, "map", "a Zorp and a wolf", "-d", ".")["unexplained"] == ["Zorp"]
    _, out, _ = run("map", "--batch", "batch.txt", "-d", ".")
    assert [json.loads(line)["unexplained"] for line in out.splitlines()] == [["Zorp"], []]


def test_a_search_says_them_too(run: Run) -> None:
    assert load(run, "search", "wolf zorp", "-d", ".", "-k", "1")["unexplained"] == ["zorp"]
    assert "not understood: zorp" in run("search", "wolf zorp", "-d", ".", "-k", "1")[1]
    assert load(run, "search", "--video", "a", "-d", ".", "-k", "1")["unexplained"] is None


def test_a_run_counts_them_over_the_mapped_queries_only(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mixed.jsonl").write_text(
        '{"q": "wolf Zorp"}\n{"q": "zorp blipf"}\n{"q": "hare"}\n{"q": "frotz", "kw": ["wolf"]}\n'
    )
    asked = ("run", ".", "--mode", "text", "--queries", "mixed.jsonl", "-k", "1")
    counts = load(run, *asked)["queries"]["text"]
    assert counts["mapped"] == 3
    assert counts["unexplained"] == {
        "queries": 2,
        "share": 2 / 3,
        "different": 2,
        "words": [{"word": "zorp", "queries": 2}, {"word": "blipf", "queries": 1}],
    }
    _, out, _ = run(*asked)
    said = "text: not understood in 2 of 3 mapped queries (67%): zorp (2), blipf (1)"
    assert said in " ".join(out.split())


def test_a_run_whose_keywords_are_given_maps_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "given.jsonl").write_text('{"q": "frotz", "kw": ["wolf"]}\n')
    asked = ("run", ".", "--mode", "text", "--queries", "given.jsonl", "-k", "1")
    unexplained = load(run, *asked)["queries"]["text"]["unexplained"]
    assert unexplained == {"queries": 0, "share": None, "different": 0, "words": []}


def test_a_trial_prints_all_that_was_counted(run: Run) -> None:
    code, out, _ = run("map", "test", "queries.csv", "-d", ".")
    assert code == 0
    words = " ".join(out.split())
    assert words.startswith("2 of 6 keyword sets exact (33.3%) · precision 1.000 · recall 0.667")
    assert "a zorp at night missed wolf unknown words: zorp" in words
    assert "expected calibration error" in words
    assert "1 query without keywords left out" in words


def test_a_trial_as_json_has_the_same_numbers(run: Run) -> None:
    found = load(run, "map", "test", "queries.csv", "-d", ".")
    assert found["policies"] == {"threshold": MAPPER_THRESHOLD}
    assert (found["exact"], found["queries"], found["unlabelled"]) == (2, 6, 1)
    assert (found["right"], found["false"], found["missed"]) == (8, 0, 4)
    assert found["recall"] == pytest.approx(8 / 12, abs=1e-6)
    assert sum(kind["right"] for kind in found["by_why"].values()) == 8
    assert sum(one["count"] for one in found["calibration"]["bins"]) == 6 * 4
    assert found["unexplained"]["words"][0] == {"word": "zorp", "queries": 2}
    fault = found["faults"][0]
    assert (fault["number"], fault["keyword"], fault["kind"]) == (1, "wolf", "missed")
    assert fault["text"] == "unknown words: zorp"


def test_the_threshold_of_a_trial_can_be_set(run: Run) -> None:
    found = load(run, "map", "test", "queries.csv", "-d", ".", "--threshold", "0.999")
    assert found["policies"] == {"threshold": 0.999}
    assert found["by_why"]["exact"]["missed"] == 0


def test_lines_to_paste_are_printed_and_nothing_is_written(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("map", "learn", "--from", "queries.csv", "-d", ".")
    assert code == 0
    assert "2 of 6 exact, F1 0.800 → 6 of 6 exact, F1 1.000" in " ".join(out.split())
    pasted = out[out.index("[synonyms]") :]
    assert tomllib.loads(pasted) == {"synonyms": {"wolf": ["zorp"]}}
    assert (tmp_path / "dataset.toml").read_text() == TOML


def test_what_is_written_is_what_the_mapper_then_knows(run: Run, tmp_path: Path) -> None:
    before = load(run, "map", "a zorp", "-d", ".")
    assert before["keywords"] == []
    code, out, err = run("map", "learn", "--from", "queries.csv", "-d", ".", "--write")
    assert code == 0
    assert "wrote 1 phrase to" in err
    assert "for dataset.toml" not in out
    text = (tmp_path / "dataset.toml").read_text()
    assert text == TOML + '\n[synonyms]\nwolf = ["zorp"]\n'
    after = load(run, "map", "a zorp", "-d", ".")
    assert [item["keyword"] for item in after["keywords"]] == ["wolf"]
    assert load(run, "map", "test", "queries.csv", "-d", ".")["exact"] == 6
    assert load(run, "search", "zorp", "-d", ".", "-k", "1")["keywords"] == ["species:wolf"]


def test_a_lesson_as_json(run: Run, tmp_path: Path) -> None:
    found = load(run, "map", "learn", "--from", "queries.csv", "-d", ".", "--write")
    assert found["written"] == ["dataset.toml"]
    assert (found["before"]["exact"], found["after"]["exact"], found["folds"]) == (2, 6, 5)
    assert found["proposals"] == [
        {
            "phrase": "zorp",
            "keyword": "wolf",
            "group": "species",
            "never": False,
            "support": 4,
            "said": 4,
            "fixes": 4,
            "breaks": 0,
            "seen_once": False,
        }
    ]
    assert tomllib.loads(found["toml"]) == {"synonyms": {"wolf": ["zorp"]}}


def test_what_the_file_says_by_then_is_not_contradicted(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "queries.csv").write_text(TAUGHT + 'a blipf at night,"hare, night"\n')
    learn = learn_phrases
    forbidden = f'{TOML}\n[never_means]\nwolf = ["zorp|zork"]\n'

    def learn_slowly(*given: Any, **options: Any) -> Any:
        (tmp_path / "dataset.toml").write_text(forbidden)  # somebody else, meanwhile
        return learn(*given, **options)

    monkeypatch.setattr("engine.text.learning.learn.learn_phrases", learn_slowly)
    code, out, err = run("map", "learn", "--from", "queries.csv", "-d", ".", "--write", "--json")
    assert code == 1
    refused, wrote = err.splitlines()
    assert refused.startswith('not written: "zorp": dataset.toml: [never_means] has "zorp|zork"')
    assert wrote == "wrote 1 phrase to dataset.toml"
    (one,) = json.loads(out)["not_written"]
    assert (one["phrase"], one["keyword"]) == ("zorp", "wolf")
    assert "cannot mean it; take that out first" in one["reason"]
    text = (tmp_path / "dataset.toml").read_text()
    assert text == f'{forbidden}\n[synonyms]\nhare = ["blipf"]\n'


def test_a_file_that_cannot_be_written_is_not_tried_for_every_phrase(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = "".join(f'{word} at night,"hare, night"\n' for word in ("blipf", "quux", "frotz"))
    (tmp_path / "queries.csv").write_text(TAUGHT + more)
    tried: list[object] = []

    def refuse(*given: Any, **_: Any) -> None:
        tried.append(given)
        raise InputError("is locked", Path("dataset.toml"), hint="try again")

    monkeypatch.setattr("engine.dataset.remember.remember_phrase", refuse)
    code, _, err = run("map", "learn", "--from", "queries.csv", "-d", ".", "--write")
    assert code == 1
    lines = err.splitlines()
    assert len(lines) == 4 and len(tried) == 2
    assert all(line.endswith("dataset.toml: is locked; try again") for line in lines)


def test_phrases_of_no_use_are_named_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    learn = learn_phrases
    both = tuple(
        LearnedPhrase(Proposal(("quux",), "quux", Keyword("time", name), False), 2, 2, 0, 0, False)
        for name in ("day", "night")
    )

    def learn_in_vain(*given: Any, **options: Any) -> Any:
        return replace(learn(*given, **options), refused=both)

    monkeypatch.setattr("engine.text.learning.learn.learn_phrases", learn_in_vain)
    _, out, _ = run("map", "learn", "--from", "queries.csv", "-d", ".")
    assert 'proposed, but of no use elsewhere: "quux"\n' in out


def test_single_files_learn_beside_the_sessions(run: Run, tmp_path: Path) -> None:
    known = ("--annotations", "clips.csv")
    found = load(run, "map", "learn", "--from", "queries.csv", *known, "--write")
    (file,) = map(Path, found["written"])
    assert file.parent == tmp_path / "data" / "learned"
    assert (tmp_path / "dataset.toml").read_text() == TOML
    assert [k["keyword"] for k in load(run, "map", "a zorp", *known)["keywords"]] == ["wolf"]
    assert load(run, "map", "a zorp", "-d", ".")["keywords"] == []


def test_the_sample_learns_beside_the_sessions(run: Run, tmp_path: Path) -> None:
    before = (sample_folder() / "dataset.toml").read_bytes()
    (tmp_path / "zorp.jsonl").write_text(
        "".join(f'{{"q": "zorp {word}", "kw": ["bicyclist"]}}\n' for word in ("one", "two", "six"))
    )
    found = load(run, "map", "learn", "--from", "zorp.jsonl", "-g", "object_type", "--write")
    assert found["written"] == [str(find_learned_file(open_dataset(sample_folder())))]
    assert (sample_folder() / "dataset.toml").read_bytes() == before
    assert load(run, "search", "a zorp", "-k", "1")["keywords"] == ["object_type:bicyclist"]


def test_queries_of_the_dataset_are_learned_from_by_default(run: Run, tmp_path: Path) -> None:
    assert run("map", "learn", "-d", ".")[0] == 2
    (tmp_path / "dataset.toml").write_text(f'queries = "queries.csv"\n{TOML}')
    assert load(run, "map", "learn", "-d", ".")["queries"] == 6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("learn", "--vocabulary", "words.json", "--write"), "--write and --vocabulary were given"),
        (("learn", "--vocabulary", "words.json"), "there are no queries to learn from"),
        (
            ("wolf", "--vocabulary", "words.json", "-d", "x"),
            "--vocabulary and --dataset were given",
        ),
        (
            ("test", "queries.csv", "--vocabulary", "words.json", "--annotations", "clips.csv"),
            "--vocabulary and --annotations were given",
        ),
        (("learn", "--from", "nowhere.csv"), "no such file"),
        (("test", "nowhere.csv"), "no such file"),
        (("test",), "Missing argument 'QUERIES'"),
        (("test", "queries.csv", "--vocabulary", "words.json", "--threshold", "2"), "at most 1"),
        (("test", "queries.csv", "-d", ".", "--out", "queries.csv"), "an input of this command"),
    ],
)
def test_mistakes_are_one_line(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run("map", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message in err


def test_a_text_that_is_called_like_a_command_is_written_after_two_hyphens(run: Run) -> None:
    code, out, _ = run("map", "--vocabulary", "words.json", "--json", "--", "test")
    assert (code, json.loads(out)["query"]) == (0, "test")


# Groups, and where the keywords come from


def test_the_groups_are_the_datasets_as_in_the_other_commands(run: Run, tmp_path: Path) -> None:
    (tmp_path / "dataset.toml").write_text(f'groups = ["species"]\n{TOML}')
    text = "a wolf at night"
    for command in (("map",), ("search", "-k", "1")):
        found = load(run, command[0], text, *command[1:], "-d", ".")
        assert found["groups"] == ["species"]
        assert [item["keyword"] for item in found["outside"]] == ["night"]
    _, out, _ = run("map", text, "-d", ".")
    assert 'not in the chosen groups: night ("at night", time)' in out
    assert out.splitlines()[-1] == "groups: species (1 of 2)"


def test_all_groups_are_asked_with_all_and_of_a_vocabulary(run: Run, tmp_path: Path) -> None:
    (tmp_path / "dataset.toml").write_text(f'groups = ["species"]\n{TOML}')
    for known in (("-d", ".", "-g", "all"), ("--vocabulary", "words.json")):
        found = load(run, "map", "a wolf at night", *known)
        assert [item["keyword"] for item in found["keywords"]] == ["wolf", "night"]
        assert "groups:" not in run("map", "a wolf at night", *known)[1]


def test_a_line_of_a_batch_says_which_groups_were_asked(run: Run, tmp_path: Path) -> None:
    (tmp_path / "dataset.toml").write_text(f'groups = ["species"]\n{TOML}')
    (tmp_path / "batch.jsonl").write_text('{"q": "wolf"}\n{"q": "wolf", "groups": ["time"]}\n')
    _, out, _ = run("map", "--batch", "batch.jsonl", "-d", ".")
    assert [json.loads(line)["groups"] for line in out.splitlines()] == [["species"], ["time"]]


# What is said of words on purpose


def test_what_a_text_denies_is_said(run: Run) -> None:
    text = "a wolf, but not at night, and no brown hare"
    assert "denied: night · brown hare" in run("map", text, "--vocabulary", "words.json")[1]
    found = load(run, "map", text, "--vocabulary", "words.json")
    assert found["denied"] == ["night", "brown hare"]
    assert load(run, "map", "a wolf", "--vocabulary", "words.json")["denied"] == []


def test_what_never_means_a_keyword_is_said(run: Run, tmp_path: Path) -> None:
    (tmp_path / "dataset.toml").write_text(f'{TOML}\n[never_means]\nwolf = ["wolf whistle"]\n')
    assert '"wolf whistle" never means wolf' in run("map", "a Wolf whistle", "-d", ".")[1].lower()
    found = load(run, "map", "a Wolf whistle", "-d", ".")
    assert found["never_means"] == [
        {"phrase": "Wolf whistle", "keyword": "wolf", "group": "species"}
    ]
    assert "never means" not in run("map", "a Wolf whistle", "-d", ".", "-g", "time")[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("🚗", "not understood: "),
        ("🚗 …", "not understood: "),
        ("?!", "not understood: nothing in this text can be read, as it has no words"),
    ],
)
def test_a_text_without_words_is_not_understood(run: Run, text: str, said: str) -> None:
    assert said in run("map", text, "-d", ".")[1]
    assert said in run("search", text, "-d", ".", "-k", "1")[1]


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [
        ('{"time": ["day"], "time": ["night"]}', 'has the group "time" twice'),
        ('{"time": ["day"], "pv_time": ["night"]}', 'column pv_time: is the same group as "time"'),
        ('{"time": ["day", "day"]}', 'column time: has "day" twice'),
        ('{"time": ["day", "Day "]}', 'column time: has "day" and "Day ", which are the same'),
    ],
)
def test_what_a_vocabulary_has_twice_is_named(
    run: Run, tmp_path: Path, vocabulary: str, message: str
) -> None:
    (tmp_path / "twice.json").write_text(vocabulary)
    code, out, err = run("map", "by day", "--vocabulary", "twice.json")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "twice.json" in err and message in err


@pytest.mark.parametrize(
    "command",
    [
        ("map", "wolf", "-d", "."),
        ("map", "test", "queries.csv", "-d", "."),
        ("map", "learn", "--from", "queries.csv", "-d", "."),
        ("search", "--video", "a", "--annotations", "clips.csv", "--embeddings", "m.npz"),
        ("run", "--mode", "video", "--annotations", "clips.csv", "--embeddings", "m.npz"),
    ],
)
def test_a_name_that_is_no_encoder_is_refused_where_none_is_needed(
    run: Run, command: tuple[str, ...]
) -> None:
    code, out, err = run(*command, "--encoder", "no-such-encoder")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "there is no encoder 'no-such-encoder' on this machine" in err


@pytest.mark.parametrize("command", [["map", "a wolf"], ["map", "test", "queries.csv"]])
def test_no_file_of_the_encoder_or_of_the_program_is_written_over(
    command: list[str], run: Run, tmp_path: Path
) -> None:
    encoder = tmp_path / "encoder"
    encoder.mkdir()
    settings = encoder / "config.json"
    settings.write_text("{}")
    program = Path(run_command_line.__code__.co_filename)
    before = program.read_bytes()
    named = ["--dataset", ".", "--encoder", "encoder", "--out", "encoder/config.json"]

    code, _, err = run(*command, *named)
    assert (code, settings.read_text()) == (2, "{}"), err
    for own in (program, find_embedded_folder() / "tokenizer.json"):
        code, _, err = run(*command, "--dataset", ".", "--format", "json", "--out", str(own))
        assert code == 2, err
    assert program.read_bytes() == before
