"""`make run LIGHT=1` in an empty environment: no PyTorch, and texts are understood all the same."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import pytest

from install import ENCODER
from supply.installed import find_needed, list_requirements
from tests.installation.fresh_project import (
    ROOT,
    copy_project,
    pack_wheel,
    run_make,
)

pytestmark = pytest.mark.slow

LEFT_OUT = ("torch", "transformers", "sentence_transformers", "keybert", "sklearn")
BUILD_TOOLS = ("hatchling", "editables")


@dataclass(frozen=True)
class LightInstall:
    """A checkout in a folder of its own, with an empty home and no network for pip."""

    project: Path
    home: Path
    wheels: Path

    def make(self, *arguments: str) -> str:
        done = run_make(
            self.project,
            *arguments,
            HOME=str(self.home),
            PIP_CONFIG_FILE=os.devnull,
            PIP_NO_INDEX="1",
            PIP_FIND_LINKS=str(self.wheels),
            PIP_COMPILE="0",  # what is imported is compiled then
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.project / ".venv/bin" / program, *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.home,
            env={"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
        )

    def show(self, *arguments: str) -> str:
        done = self.run("tui-eval", *arguments)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout


@pytest.fixture
def light(tmp_path: Path) -> Iterator[LightInstall]:
    """Nothing is installed yet; pip will find what pyproject.toml asks for without an extra."""
    home, wheels = tmp_path / "home", tmp_path / "wheels"
    home.mkdir()
    wheels.mkdir()
    needed = find_needed([*list_requirements(), *BUILD_TOOLS])
    for package in (*needed, distribution(ENCODER)):
        pack_wheel(package, wheels)
    yield LightInstall(copy_project(tmp_path / "project"), home, wheels)
    shutil.rmtree(tmp_path)  # more than pytest should keep


def test_a_light_install_in_an_empty_environment_answers_a_text_query(light: LightInstall) -> None:
    said = light.make(".venv/.light", "LIGHT=1")
    assert "installing without PyTorch: about 0.9 GB" in said
    assert list_found(light, *LEFT_OUT, "numpy") == ["numpy"]

    light.show("search", "--video", "urban_pedestrian_0040")

    found = json.loads(light.show("search", "person crossing the street", "--json"))
    assert found["keywords"] == ["object_type:pedestrian", "actor_behavior:straight crossing path"]
    assert found["results"][0]["slice_id"] == "urban_small_vehicle_0036"
    assert found["results"][0]["score"] == pytest.approx(0.69342, abs=1e-5)

    assert "entering ego path" in light.show("map", "a biker cutting into our lane")

    refused = ask_another_encoder(light)
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "run make run in" in refused.stderr

    shown = light.make("run", "LIGHT=1")  # there is nothing more to install
    assert shown.startswith(".venv/bin/tui-eval\nsample · 284 clips")


def list_found(light: LightInstall, *modules: str) -> list[str]:
    """Those of the modules that can be imported there."""
    code = (
        "import sys; from importlib.util import find_spec; print(*filter(find_spec, sys.argv[1:]))"
    )
    return light.run("python", "-c", code, *modules).stdout.split()


def ask_another_encoder(light: LightInstall) -> subprocess.CompletedProcess[str]:
    """A text query to a model of sentence-transformers, which is not installed."""
    model, sample = light.home / "model", ROOT / "sample_data"
    model.mkdir()
    (model / "config.json").write_text("{}", encoding="utf-8")
    return light.run(
        *("tui-eval", "search", "person crossing the street", "--encoder", str(model)),
        *("--annotations", str(sample / "unified_annotation.csv")),
        *("--embeddings", str(sample / "embeddings/alfa-0.1.parquet")),
    )
