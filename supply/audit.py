"""Whether what the program is made of can be trusted; one line per problem.

    python -m supply.audit [--offline]

Exit codes: 0 all is well; 1 a known vulnerability; 2 our own checks failed; 3 nobody could be asked
about vulnerabilities, so nothing is known of them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution
from typing import Any

from packaging.utils import canonicalize_name

from engine.base.errors import InputError
from engine.base.messages import pluralise
from engine.text.model_files import EMBEDDED_SHA256, check_weights, find_embedded_folder
from supply.code_rules import check_code
from supply.installed import comes_with_a_gpu_build, find_licence, find_needed, list_requirements
from supply.pins import CONSTRAINTS, HASHES, Pin, find_pin_problems, read_pins

ALL_IS_WELL, VULNERABLE, UNSOUND, UNKNOWN = range(4)

_NOT_PINNED = {"pip"}  # comes with the environment
_MINUTES = 10
_AGAIN = "try again with network access"


def check_offline() -> list[str]:
    """What can be told without a network: pins and hashes, licences, the model, our code."""
    constraints = read_pins(CONSTRAINTS.read_text(encoding="utf-8"))
    hashed = read_pins(HASHES.read_text(encoding="utf-8"))
    packages = find_needed(list_requirements("audit"))
    return [
        *find_pin_problems(constraints, hashed),
        *find_package_problems(packages, constraints),
        *_find_model_problems(),
        *map(str, check_code()),
    ]


def find_package_problems(packages: Sequence[Distribution], pins: Mapping[str, Pin]) -> list[str]:
    """Packages without a pin, without a licence, or in another version than was tested."""
    problems = []
    for package in packages:
        if comes_with_a_gpu_build(package.name):
            continue
        pin = pins.get(str(canonicalize_name(package.name)))
        version = package.version.partition("+")[0]
        if pin is None and package.name not in _NOT_PINNED:
            problems.append(f"{package.name} {version} is needed and not in {CONSTRAINTS.name}")
        elif pin is not None and pin.version != version:
            problems.append(f"{package.name} is {version}, {CONSTRAINTS.name} has {pin.version}")
        if not find_licence(package):
            problems.append(f"{package.name} {version} declares no licence")
    return problems


def _find_model_problems() -> list[str]:
    try:
        check_weights(find_embedded_folder())
    except InputError as error:
        return [str(error)]
    return []


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a database says of packages: what is known of some, and of which it says nothing."""

    vulnerable: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def read_verdict(report: Mapping[str, Any]) -> Verdict:
    """Of a report of pip-audit; a package that it skipped is not one without vulnerabilities.

    >>> skipped = {"name": "a", "skip_reason": "not found"}
    >>> bad = {"name": "b", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": ["1.1"]}]}
    >>> read_verdict({"dependencies": [skipped, bad, {"name": "c", "vulns": []}]})
    Verdict(vulnerable=('b 1: CVE-1 (fixed in 1.1)',), unknown=('a',))
    """
    vulnerable, unknown = [], []
    for package in report["dependencies"]:
        if "skip_reason" in package:
            unknown.append(package["name"])
        for found in package.get("vulns", ()):
            fixed = ", ".join(found["fix_versions"]) or "no version yet"
            name = f"{package['name']} {package['version']}"
            vulnerable.append(f"{name}: {found['id']} (fixed in {fixed})")
    return Verdict(tuple(vulnerable), tuple(unknown))


def ask_database() -> Verdict | str:
    """What pip-audit finds of everything that is pinned, or in one line why it finds nothing."""
    command = [sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off"]
    command += ["--disable-pip", "--require-hashes", "--requirement", str(HASHES)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=60 * _MINUTES
        )
        return read_verdict(json.loads(done.stdout))
    except subprocess.TimeoutExpired:
        return f"no answer within {_MINUTES} minutes"
    except (ValueError, KeyError, TypeError):  # it says why on the last line, in words of its own
        said = done.stderr.strip().splitlines()
        return said[-1][:200] if said else "pip-audit said nothing"


def report_vulnerabilities(verdict: Verdict | str) -> int:
    """Say what is known, and what is not; the exit code."""
    if isinstance(verdict, str):
        _complain(f"NOT CHECKED: the vulnerability database cannot be asked ({verdict}); {_AGAIN}")
        return UNKNOWN
    for line in verdict.vulnerable:
        _complain(f"vulnerabilities: {line}")
    if verdict.unknown:
        packages = pluralise(len(verdict.unknown), "package")
        _complain(
            f"NOT CHECKED: the vulnerability database did not answer for {packages}; {_AGAIN}"
        )
    if verdict.vulnerable:
        return VULNERABLE
    if verdict.unknown:
        return UNKNOWN
    print("vulnerabilities: none known of anything that is pinned")
    return ALL_IS_WELL


def _complain(line: str) -> None:
    sys.stdout.flush()  # what was said before stays above it, also in a pipe
    print(line, file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Check what tui-eval is made of.")
    parser.add_argument("--offline", action="store_true", help="ask nobody about vulnerabilities")
    options = parser.parse_args(arguments)
    for package in sorted(
        find_needed(list_requirements("audit")), key=lambda one: one.name.lower()
    ):
        print(f"{package.name} {package.version}: {find_licence(package) or 'no licence'}")
    problems = check_offline()
    for problem in problems:
        _complain(problem)
    if not problems:
        print(f"pins, hashes, licences and code are in order; the model is {EMBEDDED_SHA256}")
    known = ALL_IS_WELL if options.offline else report_vulnerabilities(ask_database())
    return UNSOUND if problems else known


if __name__ == "__main__":
    sys.exit(main())
