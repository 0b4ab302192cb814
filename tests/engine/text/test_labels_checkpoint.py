"""Checkpoints: weights found by name, code never run, vectors equal to a direct computation."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.text import encoder_worker
from engine.text.checkpoints import adapters
from engine.text.checkpoints.adapters import (
    BUILT_IN,
    ENTRY_POINT_GROUP,
    check_adapter,
    list_adapters,
    load_adapter,
)
from engine.text.checkpoints.encoder import Checkpoint, CheckpointEncoder
from engine.text.checkpoints.weight_names import Projection, Weights, find_projection, find_weights
from engine.text.model_files import find_model_path
from engine.text.vector_cache import VectorCache

ROOT = Path(__file__).resolve().parents[3]
BASE = {"0.model.emb.w": (9, 4), "0.model.layer.0.w": (4, 4), "0.model.layer.1.w": (4, 4)}
BARE = {name.removeprefix("0.model."): shape for name, shape in BASE.items()}
TEXTS = ["someone cooks a meal", "asleep", "an empty house"]


def below(prefix: str, shapes: dict[str, Any] = BARE) -> dict[str, Any]:
    return {prefix + name: shape for name, shape in shapes.items()}


# Names


@pytest.mark.parametrize(
    "prefix",
    ["", "text_encoder.", "state_dict.module.text_model.", "0.model.", "m.0.auto_model.", "bert."],
)
def test_weights_are_found_below_any_prefix(prefix: str) -> None:
    found = find_weights(BASE, below(prefix) | {"sensor.conv.w": (3,), "text_projection": (4, 2)})

    assert found == Weights(prefix, {f"0.model.{name}": prefix + name for name in BARE})


@pytest.mark.parametrize("frame", ["0.model.", "0.auto_model.", ""])
def test_a_base_with_further_layers_finds_them_too(frame: str) -> None:
    base = BASE | {"2.linear.weight": (2, 4)}
    there = below(f"text.{frame}") | {"text.2.linear.weight": (2, 4)}

    assert find_weights(base, there).names["2.linear.weight"] == "text.2.linear.weight"


def test_the_prefix_with_the_most_matches_wins() -> None:
    there = below("sensor.", {"emb.w": (9, 4), "layer.0.w": (4, 4)}) | below("student.")

    assert find_weights(BASE, there).prefix == "student."


def test_of_equal_prefixes_the_one_that_says_text_wins() -> None:
    assert find_weights(BASE, below("a_tower.") | below("my_text.")).prefix == "my_text."


def test_two_copies_that_differ_are_refused_and_two_that_are_equal_are_not() -> None:
    there = below("model.") | below("ema.")

    with pytest.raises(InputError, match=r"has the weights 2 times, below 'model\.', 'ema\.'"):
        find_weights(BASE, there)
    assert find_weights(BASE, there, same=lambda one, other: True).prefix == "model."


@pytest.mark.parametrize(
    ("there", "message"),
    [
        ({}, "has none of the 3 weights of the base model; it holds no tensors"),
        ({"a": (1,), "b": (1,), "c": (1,), "d": (1,)}, "it holds a, b, c and 1 more"),
        (below("t.", {"emb.w": (9, 4)}), r"lacks 2 of the 3 weights .*below 't\.', first '0\.mod"),
        (
            below("t.", BARE | {"emb.w": (8, 4)}),
            r"1 of 3 weights have another shape .*first 't\.emb\.w': \(8, 4\) instead of \(9, 4\)",
        ),
        (
            below("t.", BARE | {"layer.2.w": (4, 4)}),
            r"has 1 weights that the base model has not, first 't\.layer\.2\.w'",
        ),
    ],
)
def test_weights_that_do_not_fit_are_counted_and_the_first_is_named(
    there: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        find_weights(BASE, there)


def test_what_is_not_needed_may_be_missing() -> None:
    there = below("t.", {"emb.w": (9, 4), "layer.0.w": (4, 4)})

    assert len(find_weights(BASE, there, optional={"0.model.layer.1.w"}).names) == 2


FOUND = Weights("text_encoder.model.", {"0.model.w": "text_encoder.model.proj.weight"})


@pytest.mark.parametrize(
    ("names", "root", "bias"),
    [
        (("text_projection.weight", "text_projection.bias"), "text_projection", True),
        (("x.text_proj.weight",), "x.text_proj", False),
        (("text_encoder.projection.weight",), "text_encoder.projection", False),
        (
            ("text_encoder.clip_proj.weight", "ema.text_proj.weight"),
            "text_encoder.clip_proj",
            False,
        ),
    ],
)
def test_a_linear_projection_is_found(names: tuple[str, ...], root: str, bias: bool) -> None:
    shapes = dict.fromkeys(names, (2, 4)) | {"sensor.proj.weight": (2, 4)}

    projection = find_projection(shapes | {"text_encoder.model.proj.weight": (4, 4)}, FOUND)

    assert projection == Projection(f"{root}.weight", f"{root}.bias" if bias else None)


def test_without_a_projection_there_is_none() -> None:
    shapes = {"text_encoder.model.proj.weight": (4, 4), "sensor.projection.weight": (2, 4)}

    assert find_projection(shapes, FOUND) is None


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"text_proj.0.weight": (2, 4), "text_proj.2.weight": (2, 2)}, "not one linear layer, but"),
        ({"text_projection": (4, 2)}, "not one linear layer, but text_projection"),
        ({"text_projection.weight": (4,)}, "not one linear layer"),
        ({"a.text_proj.weight": (2, 4), "b.text_proj.weight": (2, 4)}, "several text projections"),
    ],
)
def test_a_projection_that_is_not_one_layer_is_never_left_out(
    shapes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        find_projection(shapes, FOUND)


# Adapters


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two packages with adapters; one name is taken twice."""
    entries = (
        EntryPoint("mine", "json:loads", ENTRY_POINT_GROUP),
        EntryPoint("both", "json:loads", ENTRY_POINT_GROUP),
        EntryPoint("both", "json:dumps", ENTRY_POINT_GROUP),
    )
    monkeypatch.setattr(
        adapters, "entry_points", lambda group: entries if group == ENTRY_POINT_GROUP else ()
    )


@pytest.mark.usefixtures("installed")
def test_adapters_of_installed_packages_are_found_by_name() -> None:
    import json

    assert list_adapters() == (BUILT_IN, "both", "mine")
    loaded: object = load_adapter("mine")
    assert loaded is json.loads


@pytest.mark.usefixtures("installed")
def test_an_unknown_adapter_lists_those_that_exist() -> None:
    with pytest.raises(
        InputError, match="no checkpoint adapter 'mime'; there is sentence-"
    ) as reported:
        check_adapter("mime")
    assert 'did you mean "mine"? an adapter of your own is named package.module:f' in str(
        reported.value
    )


@pytest.mark.usefixtures("installed")
def test_a_name_that_two_packages_use_is_refused() -> None:
    with pytest.raises(InputError, match=r"several packages .* 'both': json:loads, json:dumps"):
        load_adapter("both")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no.such:thing", "needs the module 'no', which is not found; install its package"),
        ("json:nothing", "the adapter 'json:nothing' is not there"),
        ("json:__doc__", "is a str, no function"),
        ("json", "no checkpoint adapter 'json'"),
        ("os;x:y", "no checkpoint adapter"),
        ("", "no checkpoint adapter ''"),
    ],
)
def test_an_adapter_that_is_not_there_is_refused(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_adapter(name)


# Files, before any process starts


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.pt", "no such file"),
        ("empty.pt", "the file is empty"),
        ("a.onnx", "accepted are"),
    ],
)
def test_a_file_that_is_no_checkpoint_starts_no_process(
    tmp_path: Path, name: str, message: str
) -> None:
    (tmp_path / "empty.pt").touch()
    encoder = CheckpointEncoder(tmp_path / name)

    with pytest.raises(InputError, match=message):
        encoder.encode(["a"])
    assert encoder.state == "cold"


def test_a_base_that_is_not_here_starts_no_process(tmp_path: Path) -> None:
    (tmp_path / "c.pt").write_bytes(b"weights")

    with pytest.raises(InputError, match="the base model 'no/such' is not on this machine"):
        Checkpoint(tmp_path / "c.pt", base="no/such").arguments()


def test_the_digest_covers_checkpoint_adapter_and_base(tmp_path: Path) -> None:
    for name, content in (("one.pt", b"one"), ("two.pt", b"two")):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "copy.pt").write_bytes(b"one")
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "config.json").write_text("{}")
    one = Checkpoint(tmp_path / "one.pt")

    assert one.digest() == Checkpoint(tmp_path / "copy.pt").digest()
    others = (Checkpoint(tmp_path / "two.pt"), Checkpoint(one.path, base=str(tmp_path / "base")))
    assert len({one.digest(), *(other.digest() for other in others)}) == 3
    assert Checkpoint(one.path, adapter="json:loads").digest() is None  # its code may change


# The real model


@pytest.fixture(scope="module")
def trained() -> Any:
    """The embedded model as if it had been trained on: no weight is what it was."""
    import torch
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(find_model_path("embedded"), device="cpu")
    random = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.02 * torch.randn(weight.shape, generator=random))
    return model


def weights_of(model: Any, prefix: str = "") -> dict[str, Any]:
    """The transformer's weights as transformers itself names them."""
    return {
        prefix + name.removeprefix("0.model."): tensor
        for name, tensor in model.state_dict().items()
    }


def encoded(path: Path, **kwargs: Any) -> Any:
    with CheckpointEncoder(path, cache=VectorCache(None), **kwargs) as encoder:
        return encoder.encode(TEXTS)


def encoded_here(path: Path) -> Any:
    """What the encoder's process does, but in this one, which has loaded torch already."""
    return encoder_worker._load(*Checkpoint(path).arguments()).encode(TEXTS)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["best.pt", "best.safetensors"])
def test_vectors_equal_those_of_the_model_itself_times_the_projection(
    tmp_path: Path, trained: Any, form: str
) -> None:
    import torch
    from safetensors.torch import save_file

    random = torch.Generator().manual_seed(1)
    weight = torch.randn((32, 384), generator=random)
    bias = torch.randn(32, generator=random)
    state = {
        **weights_of(trained, "module.text_encoder.bert."),
        "module.text_projection.weight": weight,
        "module.text_projection.bias": bias,
        "module.sensor_encoder.encoder.layer.0.w": torch.ones(3),
    }
    if form.endswith(".pt"):
        optimizer = {"state": {0: {"exp_avg": weight}}, "param_groups": [{"lr": 0.1}]}
        torch.save({"state_dict": state, "epoch": 3, "optimizer": optimizer}, tmp_path / form)
    else:
        save_file({name: tensor.contiguous() for name, tensor in state.items()}, tmp_path / form)

    vectors = encoded_here(tmp_path / form)

    by_hand = trained.encode(TEXTS).astype(np.float64) @ weight.double().numpy().T + bias.numpy()
    assert vectors == pytest.approx(by_hand, abs=1e-5)


@pytest.mark.slow
def test_a_plain_state_without_a_projection_and_without_bert_pooler_is_enough(
    tmp_path: Path, trained: Any
) -> None:
    import torch

    state = {n: t.half() for n, t in weights_of(trained).items() if not n.startswith("pooler.")}
    torch.save(state, tmp_path / "half.pth")

    vectors = encoded_here(tmp_path / "half.pth")

    assert vectors == pytest.approx(trained.encode(TEXTS), abs=1e-3)  # halves have 11 bits


@pytest.mark.slow
def test_vectors_are_cached_by_the_files_so_the_second_time_needs_no_process(
    tmp_path: Path, trained: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.setenv("TUI_EVAL_CACHE", str(tmp_path / "cache"))
    torch.save({"model": weights_of(trained)}, tmp_path / "one.pt")
    with CheckpointEncoder(tmp_path / "one.pt") as first:
        vectors = first.encode(TEXTS)
    assert vectors == pytest.approx(trained.encode(TEXTS), abs=1e-5)

    (tmp_path / "one.pt").rename(tmp_path / "two.pt")
    with CheckpointEncoder(tmp_path / "two.pt") as second:
        assert (second.encode(TEXTS) == vectors).all()
        assert second.state == "cold"


@pytest.mark.slow
def test_several_prefixes_that_differ_are_refused(tmp_path: Path, trained: Any) -> None:
    import torch

    other = {name: tensor + 1 for name, tensor in weights_of(trained, "ema.").items()}
    torch.save(weights_of(trained, "model.") | other, tmp_path / "c.pt")

    with pytest.raises(InputError, match=r"c\.pt: has the weights 2 times, below 'model\.', 'ema"):
        encoded_here(tmp_path / "c.pt")


@pytest.mark.slow
def test_a_projection_from_other_dimensions_is_refused(tmp_path: Path, trained: Any) -> None:
    import torch

    state = weights_of(trained) | {"text_projection.weight": torch.ones((8, 512))}
    torch.save(state, tmp_path / "c.pt")

    with pytest.raises(InputError, match=r"shape \(8, 512\); the base model gives 384 dimensions"):
        encoded_here(tmp_path / "c.pt")


# Files that lie


class Touches:
    """A pickle that would make a file when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.path}",)


@pytest.fixture
def bad_files(tmp_path: Path) -> Iterator[Path]:
    import torch

    linear = torch.nn.Linear(2, 2)
    torch.save(linear, tmp_path / "module.pt")
    torch.save({"state_dict": linear.state_dict(), "x": Path("a")}, tmp_path / "object.pt")
    torch.save({"x": Touches(tmp_path / "ran")}, tmp_path / "evil.pt")
    for protocol in (2, 4):
        with (tmp_path / f"evil{protocol}.bin").open("wb") as file:
            pickle.dump(Touches(tmp_path / "ran"), file, protocol)
    torch.save(linear.state_dict(), tmp_path / "good.pt")
    whole = (tmp_path / "good.pt").read_bytes()
    (tmp_path / "short.ckpt").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "short.safetensors").write_bytes(b"\x10\0\0\0\0\0\0\0{")
    (tmp_path / "words.pt").write_text("hello world")
    torch.save(torch.ones(3), tmp_path / "tensor.pt")
    with zipfile.ZipFile(tmp_path / "program.pt", "w") as archive:  # as torch.jit.save begins
        archive.writestr("program/constants.pkl", b"")
        archive.writestr("program/data.pkl", b"")
        archive.writestr("program/version", b"3\n")
    yield tmp_path
    assert not (tmp_path / "ran").exists(), "code of a checkpoint was run"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Detected pickle protocol 4")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("module.pt", r"\(it wants torch\.nn\.modules\.linear\.Linear\), and code .* never run"),
        ("object.pt", r"would run code to be read \(it wants pathlib"),
        ("evil.pt", r"would run code to be read \(it wants posix\.system\)"),
        ("evil2.bin", "would run code to be read"),
        ("evil4.bin", "would run code to be read"),
        ("short.ckpt", "is no whole checkpoint"),
        ("short.safetensors", "is no whole checkpoint"),
        ("words.pt", "is no whole checkpoint"),
        ("program.pt", "is a TorchScript program, which is code"),
        ("tensor.pt", "holds a Tensor, not weights by name"),
    ],
)
def test_a_file_is_read_without_running_it(bad_files: Path, name: str, message: str) -> None:
    from engine.text.checkpoints.model import read_state

    with pytest.raises(InputError, match=message) as raised:
        read_state(bad_files / name)
    assert str(raised.value).startswith(f"{bad_files / name}: ")
    if "run code" in message:
        assert 'torch.save(model.state_dict(), "text_encoder.pt")' in raised.value.hint


def test_an_archive_that_would_grow_out_of_bounds_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.text.checkpoints.model import read_state

    monkeypatch.setenv("TUI_EVAL_MEMORY", "64MB")
    file = tmp_path / "bomb.pt"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("bomb/data/0", bytes(50 << 20))

    with pytest.raises(InputError, match=r"bomb\.pt: needs about 100 MB of memory"):
        read_state(file)


def test_a_safetensors_file_larger_than_memory_is_not_read(tmp_path: Path) -> None:
    from engine.text.checkpoints.model import read_state

    file = tmp_path / "large.safetensors"
    with file.open("wb") as hole:
        hole.truncate(1 << 42)

    with pytest.raises(InputError, match=r"large\.safetensors: needs about 8,192 GB of memory"):
        read_state(file)


@pytest.mark.slow
def test_a_refusal_comes_out_of_the_process_as_it_was_reported(bad_files: Path) -> None:
    encoder = CheckpointEncoder(bad_files / "evil.pt", cache=VectorCache(None))

    with pytest.raises(InputError, match=r"evil\.pt: would run code .*; save the weights alone"):
        encoder.encode(TEXTS)
    assert encoder.state == "failed"


# Adapters of one's own

OWN = """
class Lengths:
    def __init__(self, scale): self.scale = scale
    def encode(self, texts):
        if "fail" in texts: raise KeyError("no such word")
        if "nan" in texts: return self.scale * float("nan") * self.scale.new_ones((len(texts), 2))
        return self.scale * self.scale.new_tensor([[len(text), 1.0] for text in texts])

def lengths(state, base):
    from pathlib import Path
    assert (Path(base) / "modules.json").is_file()
    return Lengths(state["scale"].requires_grad_())

def nothing(state, base): return None
"""


@pytest.fixture
def own_adapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    import torch

    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "own_adapter.py").write_text(OWN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))
    torch.save({"scale": torch.tensor(3.0)}, tmp_path / "scale.pt")
    return tmp_path / "scale.pt"


@pytest.mark.slow
def test_an_adapter_from_a_module_makes_the_encoder(own_adapter: Path) -> None:
    with CheckpointEncoder(own_adapter, adapter="own_adapter:lengths") as encoder:
        assert encoder.encode(["ab", "abcd"]).tolist() == [[6, 3], [12, 3]]
        with pytest.raises(InputError, match=r"'own_adapter:lengths' failed: KeyError") as raised:
            encoder.encode(["fail"])
        assert raised.value.hint.endswith("own_adapter.py, line 5")
        with pytest.raises(InputError, match=r"scale\.pt: the encoder's vector of 'nan' has"):
            encoder.encode(["nan"])
        assert encoder.encode(["a"]).tolist() == [[3, 3]]  # a failure does not end it


@pytest.mark.slow
def test_an_adapter_that_makes_no_encoder_is_reported(own_adapter: Path) -> None:
    with pytest.raises(InputError, match=r"gave a NoneType, which has no encode\(texts\)"):
        encoded(own_adapter, adapter="own_adapter:nothing")


@pytest.mark.slow
def test_modules_of_the_current_folder_are_not_taken_for_ours(
    own_adapter: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "here" / "engine").mkdir(parents=True)
    (tmp_path / "here" / "engine" / "__init__.py").write_text("raise SystemExit('not ours')")
    (tmp_path / "here" / "torch.py").write_text("raise SystemExit('not torch')")
    monkeypatch.chdir(tmp_path / "here")

    assert encoded(own_adapter, adapter="own_adapter:lengths").shape == (3, 2)


@pytest.mark.slow
def test_the_example_of_the_documentation_is_true(tmp_path: Path) -> None:
    document = (ROOT / "docs" / "prototypes.md").read_text(encoding="utf-8")
    files = dict(re.findall(r"`([\w.]+)`:\n\n```\w+\n(.*?)```", document, re.DOTALL))
    assert list(files) == ["metadata.json", "my_adapter.py", "train.py", "encode.py"]
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    promised = re.search(r"`PYTHONPATH=\. python encode\.py` prints `(.*)`", document)

    reported = ""
    for script in ("train.py", "encode.py"):
        reported = subprocess.run(
            [sys.executable, script],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join((".", str(ROOT)))},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert promised is not None
    assert reported.strip() == promised[1]
