"""A model folder from a stranger: whatever it holds, none of it is run."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.base.errors import InputError
from engine.text.model_files import find_model_path
from engine.text.transformer_encoder import TransformerEncoder
from engine.text.vector_cache import VectorCache

pytestmark = pytest.mark.slow


class Planted:
    """A value that makes a file when it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> Any:
        return Path.touch, (self.trace,)


def change_json(file: Path, **values: object) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


def plant_pickle(folder: Path, trace: Path) -> None:
    """Weights that would run code, and settings that ask to read them so."""
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Planted(trace)))
    asked = {"weights_only": False, "trust_remote_code": True}
    change_json(folder / "sentence_bert_config.json", model_args=asked, model_kwargs=asked)


def plant_module(folder: Path, trace: Path) -> None:
    """A module of the model that is code in its own folder."""
    (folder / "planted.py").write_text(f"import pathlib; pathlib.Path({str(trace)!r}).touch()\n")
    modules = json.loads((folder / "modules.json").read_text())
    modules[0]["type"] = "planted.Transformer"
    (folder / "modules.json").write_text(json.dumps(modules))


def plant_architecture(folder: Path, trace: Path) -> None:
    """A model whose architecture is code in its own folder."""
    (folder / "planted.py").write_text(f"import pathlib; pathlib.Path({str(trace)!r}).touch()\n")
    change_json(
        folder / "config.json",
        model_type="planted",
        auto_map={"AutoConfig": "planted.Config", "AutoModel": "planted.Model"},
    )
    asked = {"trust_remote_code": True}
    change_json(folder / "sentence_bert_config.json", model_args=asked, config_args=asked)


PLANTS = (plant_pickle, plant_module, plant_architecture)

SERVE_EACH = """
import json, socket, sys, torch
from safetensors.torch import load_file
from engine.base.channel import Channel
from engine.text.encoder_worker import serve

weights, *folders = json.load(sys.stdin)
torch.save(load_file(weights), folders[-1] + "/pytorch_model.bin")
for folder in folders:
    one, other = socket.socketpair()
    ours, theirs = Channel(one), Channel(other)
    ours.send({"op": "encode", "texts": ["a car"]})
    one.shutdown(socket.SHUT_WR)
    serve(theirs, [folder])
    theirs.close()
    said = []
    while (message := ours.receive(most_payload=1 << 20)) is not None:
        said.append(message.header)
    print(json.dumps(said))
"""
"""The worker's own way through a model, for one folder after the other: torch is imported once."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The embedded model without its weights, once for everything that is planted in it."""
    whole = Path(find_model_path("embedded"))
    made = {}
    for name in (*(plant.__name__ for plant in PLANTS), "plain"):
        made[name] = tmp_path_factory.mktemp(name) / "model"
        shutil.copytree(whole, made[name], ignore=shutil.ignore_patterns("*.safetensors"))
    return made


@pytest.fixture(scope="module")
def said(folders: dict[str, Path]) -> dict[str, list[dict[str, Any]]]:
    """What the worker answers about each of the folders."""
    for plant in PLANTS:
        plant(folders[plant.__name__], folders[plant.__name__].parent / "trace")
    weights = Path(find_model_path("embedded")) / "model.safetensors"
    done = subprocess.run(
        [sys.executable, "-c", SERVE_EACH],
        input=json.dumps([str(weights), *map(str, folders.values())]),
        capture_output=True,
        text=True,
        check=True,
        env={
            **os.environ,
            "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": "1",  # somebody's own scripts may want it
        },
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return dict(zip(folders, answers, strict=True))


def test_a_planted_pickle_would_run_if_it_were_read(tmp_path: Path) -> None:
    trace = tmp_path / "trace"

    pickle.loads(pickle.dumps(Planted(trace)))

    assert trace.exists()


@pytest.mark.parametrize("plant", PLANTS)
def test_code_in_a_model_folder_is_refused_in_one_line(
    plant: Any, folders: dict[str, Path], said: dict[str, list[dict[str, Any]]]
) -> None:
    folder = folders[plant.__name__]

    [told] = said[plant.__name__]

    assert not (folder.parent / "trace").exists()
    assert "code in files is never run" in told["refused"]
    assert "\n" not in told["refused"]
    assert told["place"] == str(folder)
    assert told["hint"].startswith("save the model as safetensors")


def test_weights_that_are_only_numbers_are_read_from_a_bin_too(
    said: dict[str, list[dict[str, Any]]],
) -> None:
    assert said["plain"] == [{"ready": True}, {"shape": [1, 384]}]


def test_a_folder_that_promises_far_more_than_it_holds_is_ended_while_it_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "model"
    whole = Path(find_model_path("embedded"))
    shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    change_json(folder / "config.json", vocab_size=20_000_000)  # 30 GB of vectors
    monkeypatch.setenv("TUI_EVAL_MEMORY", "100MB")
    encoder = TransformerEncoder(str(folder), cache=VectorCache(None))

    with pytest.raises(InputError) as raised:
        encoder.encode(["a car"])

    assert str(raised.value).startswith(
        f"{folder}: needs more than 100 MB of memory, TUI_EVAL_MEMORY allows 100MB; "
    )
    assert (encoder.state, encoder._child) == ("failed", None)


def test_whatever_is_wrong_with_a_folder_names_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(find_model_path("embedded"), folder)
    (folder / "model.safetensors").write_bytes(b"no weights")
    encoder = TransformerEncoder(str(folder), cache=VectorCache(None))

    with pytest.raises(InputError, match="cannot be read as a text model") as raised:
        encoder.encode(["a car"])

    assert str(raised.value).startswith(f"{folder}: ")
    assert "\n" not in str(raised.value)
