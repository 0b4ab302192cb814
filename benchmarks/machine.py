"""What the benchmarks ran on: the machine, without its name, and the versions."""

from __future__ import annotations

import os
import platform
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = (
    *("tui-eval", "textual", "numpy", "faiss-cpu", "pandas", "pyarrow", "scipy"),
    *("torch", "sentence-transformers", "keybert"),
    *("pytrec_eval-terrier", "ranx", "ir_measures"),
)


@dataclass(frozen=True, slots=True)
class Machine:
    """The kind of machine."""

    processor: str
    cores: int
    memory_gb: int
    system: str

    def __str__(self) -> str:
        cores = "1 core" if self.cores == 1 else f"{self.cores} cores"
        return f"{self.processor}, {cores}, {self.memory_gb} GB of memory, {self.system}"


def this_machine() -> Machine:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    system = f"{platform.system()} {platform.machine()}"
    return Machine(_processor(), os.cpu_count() or 1, round(memory / 2**30), system)


def installed_versions() -> dict[str, str]:
    """Of Python, of this project, and of what it is built on and measured against."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, model = line.partition(":")
            if name.strip() == "model name":
                return model.strip()
    with suppress(OSError, subprocess.CalledProcessError):
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return platform.machine()
