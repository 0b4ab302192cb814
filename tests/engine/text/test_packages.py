"""How missing packages are installed: never a PyTorch that the machine has no use for."""

from __future__ import annotations

from pathlib import Path

from engine.text.packages import describe_install
from install import CPU_INDEX
from tests.test_layers import ROOT


def test_a_checkout_installs_by_make_which_chooses_the_build() -> None:
    assert describe_install() == f"run make run in {ROOT}"


def test_without_a_checkout_pytorch_comes_first_from_the_index_without_cuda(tmp_path: Path) -> None:
    said = describe_install(tmp_path)

    assert said.index(CPU_INDEX) < said.index("tui-eval[models]")
