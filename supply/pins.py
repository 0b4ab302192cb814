"""The two lists of pinned packages: constraints.txt, and the same with the hashes of all files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
HASHES = ROOT / "constraints-hashes.txt"

WRITE_HASHES = "python -m supply.hashes"

_PIN = re.compile(r"(?P<name>[\w.-]+)==(?P<version>[^\s;\\]+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})(?![0-9a-f])")


@dataclass(frozen=True, slots=True)
class Pin:
    """One version of a package, and the sha256 of every file that it is published in."""

    name: str
    version: str
    hashes: frozenset[str] = frozenset()


def read_pins(text: str) -> dict[str, Pin]:
    """The pins of a requirements file, by the canonical name.

    >>> read_pins("# why\\nPyYAML==6.0.3\\n")
    {'pyyaml': Pin(name='PyYAML', version='6.0.3', hashes=frozenset())}
    """
    pins = {}
    for line in text.replace("\\\n", " ").splitlines():
        if found := _PIN.match(line):
            pin = Pin(found["name"], found["version"], frozenset(_HASH.findall(line)))
            pins[str(canonicalize_name(pin.name))] = pin
    return pins


def format_hashes(pins: Mapping[str, Pin]) -> str:
    """Pins as pip's --require-hashes wants them.

    >>> print(format_hashes({"a": Pin("a", "1", frozenset({"0" * 64}))}))
    a==1 \\
        --hash=sha256:0000000000000000000000000000000000000000000000000000000000000000
    """
    return "\n".join(
        " \\\n    ".join([f"{pin.name}=={pin.version}", *_options(pin)]) for pin in pins.values()
    )


def _options(pin: Pin) -> list[str]:
    return [f"--hash=sha256:{digest}" for digest in sorted(pin.hashes)]


def find_pin_problems(constraints: Mapping[str, Pin], hashed: Mapping[str, Pin]) -> list[str]:
    """How the two lists differ, one line each.

    >>> find_pin_problems({"a": Pin("a", "2")}, {"a": Pin("a", "1")})
    ['constraints-hashes.txt: a is 1, constraints.txt has 2; run python -m supply.hashes']
    """
    problems = []
    for name in sorted(constraints.keys() | hashed.keys()):
        pin, other = constraints.get(name), hashed.get(name)
        if pin is None:
            problem = f"{name} is not in {CONSTRAINTS.name}"
        elif other is None:
            problem = f"{name} is missing"
        elif pin.version != other.version:
            problem = f"{name} is {other.version}, {CONSTRAINTS.name} has {pin.version}"
        elif not other.hashes:
            problem = f"{name} has no hash"
        else:
            continue
        problems.append(f"{HASHES.name}: {problem}; run {WRITE_HASHES}")
    return problems
