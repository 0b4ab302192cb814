"""Which PyTorch is installed: what is asked for, what the machine has, what indexes offer."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import install
from install import CPU_INDEX, InstallError, choose_build, find_gpu, is_installed, list_versions
from tests.installation.package_index import serve, write_wheel

PIN = "9.8.7"
CUDA, CPU = f"torch==={PIN}", f"torch==={PIN}+cpu"
EITHER = f"torch=={PIN}"


def test_the_machine_registry_and_index_decide_which_build_is_taken() -> None:
    plain, cpu, both = {PIN, "9.0.0"}, {f"{PIN}+cpu"}, {PIN, f"{PIN}+cpu"}
    old = {"9.0.0+cpu"}
    cases = [
        # wanted, GPU, registry offers, CPU index offers: what is installed, whether from the latter
        ("auto", False, plain, cpu, CPU, True),
        ("auto", False, plain, old, EITHER, False),
        ("auto", False, plain, set(), EITHER, False),
        ("auto", False, both, set(), CPU, False),
        ("auto", True, plain, cpu, CUDA, False),
        ("auto", True, both, cpu, CUDA, False),
        ("auto", True, cpu, cpu, CPU, False),
        ("auto", True, set(), cpu, EITHER, False),
        ("cpu", True, plain, cpu, CPU, True),
        ("cpu", True, both, set(), CPU, False),
        ("cuda", False, plain, cpu, CUDA, False),
        ("cuda", False, both, cpu, CUDA, False),
    ]
    for wanted, has_gpu, registry, index, requirement, is_from_index in cases:
        offers = {None: frozenset(registry), CPU_INDEX: frozenset(index)}
        build = choose_build(wanted, PIN, has_gpu=has_gpu, ask=offers.__getitem__)

        assert build.requirement == requirement, (wanted, has_gpu, registry, index)
        assert build.index == (CPU_INDEX if is_from_index else None)
        assert build.size == ("1.9 GB" if requirement == CPU else "5.7 GB")


def test_what_a_broken_install_has_left_has_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nvidia_half-1.0.dist-info").mkdir()
    whole = tmp_path / "nvidia_whole-1.0.dist-info"
    whole.mkdir()
    (whole / "METADATA").write_text("Metadata-Version: 2.1\nName: nvidia-whole\nVersion: 1.0\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])

    assert install.list_installed() == {"nvidia-whole"}


@pytest.mark.parametrize(
    ("wanted", "has_gpu", "registry"),
    [("auto", False, f"{PIN}+cpu"), ("cpu", False, f"{PIN}+cpu"), ("auto", True, PIN)],
)
def test_the_cpu_index_is_left_alone_if_nothing_is_wanted_of_it(
    wanted: str, has_gpu: bool, registry: str
) -> None:
    asked = []

    def ask(index: str | None) -> frozenset[str]:
        asked.append(index)
        return frozenset({registry})

    choose_build(wanted, PIN, has_gpu=has_gpu, ask=ask)

    assert asked == [None]


def test_who_insists_on_the_cpu_build_is_told_in_one_line_that_there_is_none() -> None:
    offers = {None: frozenset({PIN}), CPU_INDEX: frozenset({"9.0.0+cpu"})}
    with pytest.raises(InstallError) as caught:
        choose_build("cpu", PIN, has_gpu=False, ask=offers.__getitem__)

    told = str(caught.value)
    assert "\n" not in told
    assert all(part in told for part in (PIN, CPU_INDEX, "5 seconds", "TORCH=cuda", "LIGHT=1"))


@pytest.mark.parametrize(
    ("installed", "suits"),
    [
        (None, ()),
        (PIN, ("auto", "cuda")),
        (f"{PIN}+cu130", ("auto", "cuda")),
        (f"{PIN}+cpu", ("auto", "cpu")),
        ("9.8.70+cpu", ()),
    ],
)
def test_an_installed_build_is_kept_if_it_is_what_is_wanted(
    installed: str | None, suits: tuple[str, ...]
) -> None:
    wanted = ("auto", "cpu", "cuda")

    assert tuple(name for name in wanted if is_installed(name, PIN, installed)) == suits


def test_the_pin_of_torch_is_read_from_the_constraints() -> None:
    pin = install.read_pin("torch")

    lines = (install.ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert f"torch=={pin}" in lines
    with pytest.raises(InstallError, match="no line nothing==VERSION"):
        install.read_pin("nothing")


@pytest.mark.parametrize(
    ("script", "has_gpu"),
    [
        ("echo 'GPU 0: NVIDIA A100 (UUID: GPU-1)'", True),
        ("echo 'No devices were found'", False),
        ("echo 'NVIDIA-SMI has failed: no driver'; exit 9", False),
        (None, False),
    ],
)
def test_a_gpu_is_what_the_driver_lists(
    script: str | None, has_gpu: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if script is not None:
        tool = tmp_path / "nvidia-smi"
        tool.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert find_gpu() is has_gpu


@pytest.fixture
def plain_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    """pip as it is without settings of the person who runs the tests."""
    for name in os.environ:
        if name.upper().startswith("PIP_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """An index's folder: PyTorch for this Python, and an older one for another."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    write_wheel(folder, "torch", f"{PIN}+cpu")
    write_wheel(folder, "torch", "9.0.0+cpu").rename(folder / "torch-9.0.0+cpu-cp27-none-any.whl")
    return folder


@pytest.mark.slow
@pytest.mark.usefixtures("plain_pip")
class TestAskingAnIndex:
    def test_one_that_answers_offers_what_this_python_can_install(self, wheels: Path) -> None:
        with serve(wheels) as index:
            assert list_versions(index.address) == {f"{PIN}+cpu"}

    @pytest.mark.parametrize("behaviour", ["hangs", "drips", "fails"])
    def test_one_that_does_not_answer_in_time_offers_nothing(
        self, behaviour: str, wheels: Path
    ) -> None:
        with serve(wheels, behaviour) as index:
            assert list_versions(index.address, seconds=1) == set()

        assert index.asked == ["/torch/"]

    def test_one_that_refuses_offers_nothing(self) -> None:
        with socket.socket() as taken:  # bound, but nobody listens
            taken.bind(("127.0.0.1", 0))
            assert list_versions(f"http://127.0.0.1:{taken.getsockname()[1]}") == set()

    def test_it_is_asked_through_the_proxy_that_pip_uses(
        self, wheels: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with serve(wheels) as proxy:
            monkeypatch.setenv("PIP_PROXY", proxy.address)
            monkeypatch.setenv("PIP_TRUSTED_HOST", "pytorch.invalid")
            versions = list_versions("http://pytorch.invalid/whl/cpu")

        assert proxy.asked == ["http://pytorch.invalid/whl/cpu/torch/"]
        assert versions == {f"{PIN}+cpu"}

    def test_the_registry_is_the_one_that_pip_is_set_to(
        self, wheels: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with serve(wheels) as registry:
            monkeypatch.setenv("PIP_INDEX_URL", f"{registry.address}/simple")
            assert list_versions(None) == {f"{PIN}+cpu"}

        assert registry.asked == ["/simple/torch/"]


def make_environment(folder: Path) -> Path:
    """An environment with pip and nothing else; its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    import pip

    site = next(folder.glob("lib/python*/site-packages"))
    (site / "pip").symlink_to(Path(pip.__file__).parent)
    return folder / "bin" / "python"


@pytest.mark.slow
@pytest.mark.usefixtures("plain_pip")
def test_builds_are_installed_and_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = make_environment(tmp_path / "venv")
    pin = install.read_pin("torch")
    registry, cpu = tmp_path / "registry", tmp_path / "cpu"
    for folder in (registry, cpu):
        folder.mkdir()
    write_wheel(registry, "torch", pin, needs=("nvidia-fast",))
    write_wheel(registry, "nvidia-fast", "1.0")
    write_wheel(cpu, "torch", f"{pin}+cpu")

    def run_python(*arguments: str) -> str:
        done = subprocess.run(
            [python, *arguments], capture_output=True, text=True, check=False, cwd=install.ROOT
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout

    def list_installed() -> list[str]:
        names = "sorted(f'{d.name} {d.version}' for d in distributions())"
        found = run_python("-c", f"from importlib.metadata import *; print(*{names}, sep=chr(10))")
        return found.splitlines()

    with serve(registry) as first, serve(cpu) as second:
        monkeypatch.setenv("PIP_INDEX_URL", first.address)
        told = run_python("install.py", "torch", "cuda")
        assert told.startswith(f"PyTorch {pin}, with CUDA: 5.7 GB in all")
        assert list_installed() == [f"torch {pin}"]  # what it needs comes with the rest

        run_python("-m", "pip", "install", "-q", "torch")
        assert list_installed() == ["nvidia-fast 1.0", f"torch {pin}"]
        assert run_python("install.py", "torch", "auto") == ""  # any build will do

        build = f"install.TorchBuild('torch==={pin}+cpu', '', '', {second.address!r})"
        run_python("-c", f"import install; install.install_build({build}, replace=True)")
        assert list_installed() == [f"torch {pin}+cpu"]
        assert run_python("install.py", "torch", "cpu") == ""

        run_python("install.py", "torch", "cuda")
        assert list_installed() == [f"torch {pin}"]


def test_an_install_that_is_interrupted_ends_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(install, "run_pip", interrupt)

    assert install.main(["light"]) == 130
    assert capsys.readouterr().err == "interrupted; the same command goes on with the install\n"
