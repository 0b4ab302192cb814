"""A fresh checkout beside this one, and packages for it that need no network."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from importlib.metadata import Distribution
from pathlib import Path

from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    *("Makefile", "install.py", "pyproject.toml", "constraints.txt", "constraints-hashes.txt"),
    *("README.md", "LICENSE"),
)
PACKAGES = ("engine", "tui", "sample_data")


def copy_project(folder: Path) -> Path:
    """What is installed of this project, without an environment; code and data are links."""
    folder.mkdir()
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)
    for name in PACKAGES:
        (folder / name).symlink_to(ROOT / name)
    return folder


def run_make(
    project: Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run `make` as a person would: with nothing of the `make` that runs the tests."""
    inherited = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "TORCH", "LIGHT", "PYTHONPATH")
    kept = {name: value for name, value in os.environ.items() if name not in inherited}
    return subprocess.run(
        ["make", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=project,
        stdin=subprocess.DEVNULL,
        env={**kept, **environment},
    )


def pack_wheel(package: Distribution, folder: Path) -> None:
    """Make the wheel again from which a package was installed."""
    lines = (package.read_text("WHEEL") or "").splitlines()
    tags = [line.removeprefix("Tag: ").split("-") for line in lines if line.startswith("Tag: ")]
    tag = "-".join(".".join(dict.fromkeys(parts)) for parts in zip(*tags, strict=True))
    name = canonicalize_name(package.name).replace("-", "_")
    with zipfile.ZipFile(folder / f"{name}-{package.version}-{tag}.whl", "w") as wheel:
        for file in package.files or ():
            if ".." not in file.parts and file.suffix != ".pyc":
                wheel.write(str(file.locate()), str(file))
