"""The bill of materials: all that is installed, and the data that we ship, as CycloneDX 1.6.

    python -m supply.sbom [FILE]

A package names all files that it is published in by their sha256, as in constraints-hashes.txt; a
file of data has its own. What only tests and tools need is marked as excluded. The same install
gives the same document, up to its time, which SOURCE_DATE_EPOCH can set. The tools of the audit are
left out: they check the program, and are no part of it.

An earlier bill of materials is replaced; any other file is left as it is.

Exit codes: 0 it is written; 2 it cannot be.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import Distribution
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.utils import canonicalize_name

from engine.base.errors import InputError
from engine.files.atomic import make_folder, write_whole
from engine.files.input_file import hash_file
from engine.text.model_files import find_embedded_folder
from supply.installed import find_licence, find_needed, find_needs, list_requirements, read_project
from supply.pins import HASHES, ROOT, Pin, read_pins

DEFAULT = Path("build/sbom.cdx.json")
LICENCE = "Apache-2.0"  # ours

_LICENCES = LicenseFactory()


def build_sbom(moment: datetime) -> Bom:
    """Everything that is installed of the project's packages, and its data."""
    pins = read_pins(HASHES.read_text(encoding="utf-8"))
    needed = {package.name for package in find_needed(list_requirements("models"))}
    packages = {
        str(canonicalize_name(package.name)): package
        for package in find_needed(list_requirements("test"))
    }
    parts = {
        name: _describe_package(package, pins.get(name), is_needed=package.name in needed)
        for name, package in packages.items()
    }
    bom = Bom(components=[*parts.values(), *_describe_data()])
    bom.metadata.timestamp = moment
    bom.metadata.component = project = _describe_project()
    for name, package in packages.items():
        needs = find_needs(package) & parts.keys()
        bom.register_dependency(parts[name], [parts[need] for need in sorted(needs)])
    bom.register_dependency(project, bom.components)
    names = sorted(str(component.bom_ref.value) for component in bom.components)
    bom.serial_number = uuid5(NAMESPACE_URL, " ".join(names))
    return bom


def format_sbom(bom: Bom) -> str:
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def _describe_project() -> Component:
    project = read_project()
    return _component(
        project["name"], project["version"], project["license"], ComponentType.APPLICATION
    )


def _describe_package(package: Distribution, pin: Pin | None, *, is_needed: bool) -> Component:
    name = str(canonicalize_name(package.name))
    part = _component(package.name, package.version, find_licence(package), ComponentType.LIBRARY)
    part.purl = PackageURL("pypi", name=name, version=package.version)
    part.scope = ComponentScope.REQUIRED if is_needed else ComponentScope.EXCLUDED
    if pin is not None:
        published = ExternalReference(
            type=ExternalReferenceType.DISTRIBUTION,
            url=XsUri(f"https://pypi.org/project/{name}/{pin.version}/"),
            hashes=[_sha256(digest) for digest in pin.hashes],
            comment="every file that this version is published in",
        )
        part.external_references.add(published)
    return part


def _describe_data() -> list[Component]:
    """The model that is embedded, and what the program ships beside its code."""
    model, text = find_embedded_folder(), ROOT / "engine/text"
    files = [
        ("all-MiniLM-L6-v2", "weights", "Apache-2.0", model / "model.safetensors"),
        ("all-MiniLM-L6-v2", "tokenizer", "Apache-2.0", model / "tokenizer.json"),
        ("WordNet", "3.0", "WordNet License", text / "wordnet/wordnet.safetensors"),
        ("unrelated phrases", "vectors", LICENCE, text / "mapping/unrelated.safetensors"),
        ("mapper", "weights", LICENCE, text / "mapping/weights.json"),
    ]
    return [_describe_file(*file) for file in files]


def _describe_file(name: str, version: str, licence: str, file: Path) -> Component:
    is_model = name in ("all-MiniLM-L6-v2", "mapper")
    kind = ComponentType.MACHINE_LEARNING_MODEL if is_model else ComponentType.DATA
    part = _component(name, version, licence, kind)
    part.scope = ComponentScope.REQUIRED
    part.description = file.name
    part.hashes.add(_sha256(hash_file(file)))
    return part


def _component(name: str, version: str, licence: str, kind: ComponentType) -> Component:
    return Component(
        name=name,
        version=version,
        type=kind,
        bom_ref=f"{name}=={version}",
        licenses=[_LICENCES.make_from_string(licence)] if licence else (),
    )


def _sha256(digest: str) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=digest)


def _check_replaceable(file: Path) -> None:
    """Refuse to write over anything but a bill of materials; a device or a pipe holds nothing."""
    if not file.is_file():
        return
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        found = None
    if not (isinstance(found, dict) and found.get("bomFormat") == "CycloneDX"):
        hint = "name a new file, or an SBOM to replace"
        raise InputError("exists, and is not an SBOM in CycloneDX JSON", file, hint=hint)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Write the bill of materials (CycloneDX 1.6).")
    parser.add_argument("file", nargs="?", type=Path, default=DEFAULT)
    file = parser.parse_args(arguments).file
    given = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        _check_replaceable(file)
        bom = build_sbom(datetime.fromtimestamp(int(given), UTC) if given else datetime.now(UTC))
        if file == DEFAULT:
            make_folder(file.parent)
        write_whole(format_sbom(bom), file)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{file}: {len(bom.components)} components")
    return 0


if __name__ == "__main__":
    sys.exit(main())
