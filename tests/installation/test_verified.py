"""`make verified`: pip gets every pin with its hashes, and the build of PyTorch that was chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

import install
from install import CPU_INDEX, TorchBuild
from supply.pins import HASHES, read_pins
from tests.installation.test_makefile import Checkout

PIN = install.read_pin("torch")
CPU = TorchBuild(f"torch==={PIN}+cpu", "CPU build", install.CPU_SIZE, CPU_INDEX)
CUDA = TorchBuild(f"torch==={PIN}", "with CUDA", install.CUDA_SIZE)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What pip was asked; in place of the file's name the requirements that were in it."""
    calls: list[tuple[str, ...]] = []

    def run_pip(*arguments: str) -> None:
        if "-r" in arguments:
            arguments = (*arguments[:-1], Path(arguments[-1]).read_text(encoding="utf-8"))
        calls.append(arguments)

    monkeypatch.setattr(install, "run_pip", run_pip)
    return calls


def choose(monkeypatch: pytest.MonkeyPatch, build: TorchBuild) -> None:
    monkeypatch.setattr(install, "find_build", lambda *_, **__: build)


def test_everything_is_asked_for_with_its_hashes(
    asked: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(monkeypatch, CPU)

    assert install.main(["verified", "auto"]) == 0

    (*options, requirements), project = asked
    wanted = ["--require-hashes", "--no-deps", "--force-reinstall"]  # also what is there already
    assert options == ["install", *wanted, "--extra-index-url", CPU_INDEX, "-r"]
    listed = HASHES.read_text(encoding="utf-8")
    assert requirements == listed.replace(f"\ntorch=={PIN} ", f"\ntorch==={PIN}+cpu ")
    assert requirements != listed
    assert len(read_pins(requirements.replace("===", "=="))) == len(read_pins(listed))
    assert project == ("install", "--no-deps", "--no-build-isolation", "-e", ".")


def test_the_cuda_build_is_refused_in_one_line(
    asked: list[tuple[str, ...]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    choose(monkeypatch, CUDA)

    assert install.main(["verified", "cuda"]) == 2

    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "TORCH=cpu" in told
    assert asked == []


@pytest.mark.slow
def test_make_takes_what_was_verified_for_run_and_test(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path / "project")

    assert checkout.installs("verified") == ["verified auto"]
    checkout.after("torch-auto", "test", "run", "light")
    assert checkout.installs("run") == checkout.installs("test") == []
    assert checkout.installs("audit") == ["audit"]
    assert checkout.installs("sbom") == []
