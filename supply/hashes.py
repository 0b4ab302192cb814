"""Write constraints-hashes.txt: every pin with the sha256 of all its files, for any platform.

    python -m supply.hashes [WHEEL …]

The hashes are those that PyPI lists. PyTorch's builds without CUDA are in an index of its own; if
that does not answer, the hashes stay that the file has of the same version. A WHEEL is a file at
hand that is listed nowhere.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import InvalidVersion, Version

from install import CPU_INDEX
from supply.pins import CONSTRAINTS, HASHES, Pin, format_hashes, read_pins

PYPI = "https://pypi.org/simple"
_SECONDS = 60
_AT_ONCE = 8

_HEAD = """\
# Every pin of constraints.txt with the sha256 of all its files on PyPI, for every platform, and of
# the CPU builds of PyTorch that were at hand. Written by python -m supply.hashes; SECURITY.md says
# how to install with it.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Write constraints-hashes.txt.")
    parser.add_argument("wheel", nargs="*", type=Path, help="a file that no index lists")
    given = parser.parse_args(arguments).wheel
    pins = read_pins(CONSTRAINTS.read_text(encoding="utf-8"))
    before = read_pins(HASHES.read_text(encoding="utf-8")) if HASHES.is_file() else {}
    try:
        with ThreadPoolExecutor(_AT_ONCE) as workers:
            found = dict(zip(pins, workers.map(find_hashes, pins.values()), strict=True))
    except OSError as error:
        print(f"{PYPI} does not answer ({error}); try again with a network", file=sys.stderr)
        return 2
    found["torch"] |= _find_cpu_hashes(pins["torch"], before.get("torch"))
    for wheel in given:
        name, version = _parse(wheel.name)
        if name in pins and _is_pinned(version, pins[name]):
            found[name] |= {hashlib.sha256(wheel.read_bytes()).hexdigest()}
    hashed = {name: Pin(pin.name, pin.version, found[name]) for name, pin in pins.items()}
    HASHES.write_text(f"{_HEAD}{format_hashes(hashed)}\n", encoding="utf-8")
    missing = [pin.name for pin in hashed.values() if not pin.hashes]
    if missing:
        print(f"no file is listed of {', '.join(missing)}", file=sys.stderr)
    return 1 if missing else 0


def find_hashes(
    pin: Pin, index: str = PYPI, fetch: Callable[[str], str] | None = None
) -> frozenset[str]:
    """The sha256 of every file of a version that an index lists."""
    page = (fetch or _fetch)(f"{index}/{canonicalize_name(pin.name)}/")
    return frozenset(
        digest for file, digest in list_files(page) if _is_pinned(_parse(file)[1], pin)
    )


def list_files(page: str) -> Iterator[tuple[str, str]]:
    """The files of an index's page, each with its sha256.

    >>> list(list_files('<a href="../a-1.0%2Bcpu.tar.gz#sha256=ab12">a</a> <a href="b">b</a>'))
    [('a-1.0+cpu.tar.gz', 'ab12')]
    """
    links = _Links()
    links.feed(page)
    for link in links.found:
        parts = urlsplit(link)
        kind, _, digest = parts.fragment.partition("=")
        if kind == "sha256":
            yield unquote(parts.path.rpartition("/")[2]), digest


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: Iterable[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name == "href" and value and tag == "a"]


def _parse(file: str) -> tuple[str, Version | None]:
    """The package and the version that a file's name tells, if it is a wheel or a source."""
    try:
        name, version, *_ = (
            parse_wheel_filename(file) if file.endswith(".whl") else parse_sdist_filename(file)
        )
    except (InvalidWheelFilename, InvalidSdistFilename, InvalidVersion):
        return "", None
    return str(name), version


def _is_pinned(version: Version | None, pin: Pin) -> bool:
    """Whether it is that version, in any build: 2.9.0+cpu is 2.9.0."""
    return version is not None and Version(version.public) == Version(pin.version)


def _find_cpu_hashes(pin: Pin, before: Pin | None) -> frozenset[str]:
    try:
        return find_hashes(pin, CPU_INDEX)
    except OSError:
        print(f"{CPU_INDEX} does not answer: its hashes stay as they were", file=sys.stderr)
        return before.hashes if before and before.version == pin.version else frozenset()


def _fetch(address: str) -> str:
    with urllib.request.urlopen(address, timeout=_SECONDS) as answer:
        text: str = answer.read().decode()
    return text


if __name__ == "__main__":
    sys.exit(main())
