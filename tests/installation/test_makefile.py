"""What `make` would install, depending on what is installed already."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.installation.fresh_project import copy_project, run_make

pytestmark = pytest.mark.slow


class Checkout:
    """A checkout whose environment has stamps, as installs would have left them."""

    def __init__(self, folder: Path) -> None:
        self.project = copy_project(folder)
        (self.project / ".venv").mkdir()
        self.clock = 1_000_000_000
        for name in ("Makefile", "install.py", "pyproject.toml", "constraints.txt", ".venv/.made"):
            self.touch(name)

    def touch(self, name: str) -> None:
        path = self.project / name
        path.touch()
        self.clock += 1
        os.utime(path, (self.clock, self.clock))

    def after(self, *stamps: str) -> Checkout:
        for stamp in stamps:
            self.touch(f".venv/.{stamp}")
        return self

    def installs(self, *arguments: str) -> list[str]:
        """The arguments of install.py in the order in which `make` would run it."""
        done = run_make(self.project, "-n", *arguments)
        assert done.returncode == 0, done.stderr
        _, *calls = done.stdout.split("install.py ")
        return [call.splitlines()[0] for call in calls]


FULL = ("torch-auto", "run", "light")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "project")


@pytest.mark.parametrize(
    ("arguments", "installs"),
    [
        (("run",), ["torch auto", "models"]),
        (("run", "TORCH=cpu"), ["torch cpu", "models"]),
        (("run", "LIGHT=1"), ["light"]),
        (("run", "LIGHT=0"), ["torch auto", "models"]),
        (("run", "LIGHT="), ["torch auto", "models"]),
        (("test",), ["torch auto", "test"]),
        (("test", "TORCH=cuda"), ["torch cuda", "test"]),
    ],
)
def test_an_empty_environment_gets_what_is_asked_for(
    arguments: tuple[str, ...], installs: list[str], checkout: Checkout
) -> None:
    assert checkout.installs(*arguments) == installs


def test_what_is_installed_is_not_installed_again(checkout: Checkout) -> None:
    checkout.after("torch-auto", "test", "run", "light")

    assert [checkout.installs(*run) for run in (["run"], ["run", "LIGHT=1"], ["test"])] == [[]] * 3


def test_a_light_install_is_completed_when_all_is_wanted(checkout: Checkout) -> None:
    checkout.after("light")

    assert checkout.installs("run", "LIGHT=1") == []
    assert checkout.installs("run") == ["torch auto", "models"]


def test_another_build_of_torch_is_looked_for_once(checkout: Checkout) -> None:
    checkout.after(*FULL)

    assert checkout.installs("run", "TORCH=cuda") == ["torch cuda", "models"]
    checkout.after("torch-cuda", *FULL)
    assert checkout.installs("run", "TORCH=cuda") == []
    assert checkout.installs("run") == []


@pytest.mark.parametrize("file", ["pyproject.toml", "constraints.txt"])
def test_it_is_installed_again_when_its_requirements_change(file: str, checkout: Checkout) -> None:
    checkout.after(*FULL).touch(file)

    assert checkout.installs("run")[-1] == "models"
    assert checkout.installs("run", "LIGHT=1") == ["light"]


def test_a_switch_forgets_the_build_that_was_there(checkout: Checkout) -> None:
    """Run for real: an `install.py` that does nothing shows which stamps are left."""
    python = checkout.project / ".venv/bin/python"
    python.parent.mkdir()
    python.write_text("#!/bin/sh\n", encoding="utf-8")
    python.chmod(0o755)

    for build in ("cpu", "cuda"):
        run_make(checkout.project, f".venv/.torch-{build}", f"TORCH={build}")
    stamps = {path.name for path in (checkout.project / ".venv").glob(".torch-*")}

    assert stamps == {".torch-auto", ".torch-cuda"}


def test_a_build_that_is_none_is_refused(checkout: Checkout) -> None:
    python = checkout.project / ".venv/bin/python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)

    done = run_make(checkout.project, "run", "TORCH=gpu")

    assert done.returncode == 2
    assert "invalid choice: 'gpu'" in done.stderr


def test_help_names_the_variables(checkout: Checkout) -> None:
    shown = run_make(checkout.project).stdout

    assert all(part in shown for part in ("TORCH=auto", "TORCH=cpu", "TORCH=cuda", "LIGHT=1"))
