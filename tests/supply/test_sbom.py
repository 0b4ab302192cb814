"""The bill of materials: as the schema wants it, complete, and the same each time."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from engine.text.model_files import EMBEDDED_SHA256
from supply.installed import comes_with_a_gpu_build
from supply.sbom import build_sbom, format_sbom, main

MOMENT = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture(scope="module")
def text() -> str:
    return format_sbom(build_sbom(MOMENT))


@pytest.fixture(scope="module")
def parts(text: str) -> dict[str, dict[str, Any]]:
    return {part["bom-ref"].partition("==")[0]: part for part in json.loads(text)["components"]}


def test_it_is_as_the_schema_wants_it(text: str) -> None:
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None


def test_the_same_install_gives_the_same_document(text: str) -> None:
    assert format_sbom(build_sbom(MOMENT)) == text


def test_every_part_has_a_version_a_licence_and_hashes(parts: dict[str, dict[str, Any]]) -> None:
    assert len(parts) > 50
    for name, part in parts.items():
        if comes_with_a_gpu_build(name):
            continue
        published = part.get("externalReferences", [{}])[0]
        assert part["version"], name
        assert part["licenses"], name
        assert part.get("hashes") or published.get("hashes") or name == "pip", name
        assert part["type"] != "library" or part["purl"].startswith("pkg:pypi/"), name


def test_the_data_that_we_ship_are_parts(text: str) -> None:
    data = {
        (part["name"], part["version"]): part["hashes"][0]["content"]
        for part in json.loads(text)["components"]
        if part["type"] != "library"
    }

    assert data["all-MiniLM-L6-v2", "weights"] == EMBEDDED_SHA256
    assert ("WordNet", "3.0") in data


def test_tools_are_told_from_what_runs(parts: dict[str, dict[str, Any]]) -> None:
    assert [parts[name]["scope"] for name in ("numpy", "torch", "pytest")] == [
        "required",
        "required",
        "excluded",
    ]


def test_it_says_what_needs_what(text: str) -> None:
    needs = {one["ref"]: one.get("dependsOn", []) for one in json.loads(text)["dependencies"]}
    [pandas] = [name for name in needs if name.startswith("pandas==")]

    assert any(name.startswith("numpy==") for name in needs[pandas])


def test_the_tools_of_the_audit_are_no_part_of_it(parts: dict[str, dict[str, Any]]) -> None:
    assert not {"pip-audit", "pip_audit", "pip-api", "CacheControl"} & parts.keys()


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("/dev/full", "No space left on device"),
        ("missing/sbom.json", "No such file or directory"),
    ],
)
def test_what_cannot_be_written_is_one_line(
    file: str,
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main([file]) == 2

    said = capsys.readouterr().err
    assert said.startswith(f"error: {file}: cannot be written ({reason})") and said.count("\n") == 1
    assert [*tmp_path.iterdir()] == []


def test_by_default_it_is_written_to_the_build_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main([]) == 0
    assert (tmp_path / "build/sbom.cdx.json").is_file()


@pytest.mark.parametrize(
    "content", [b'[project]\nname = "x"\n', b'{"bomFormat": "SPDX"}', b"", b"[" * 9999]
)
def test_no_other_file_is_replaced(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_bytes(content)

    assert main([str(file)]) == 2

    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {file}: exists, and is not an SBOM")
    assert file.read_bytes() == content


def test_an_earlier_one_is_replaced(tmp_path: Path, text: str) -> None:
    file = tmp_path / "sbom.cdx.json"
    file.write_text('{"bomFormat": "CycloneDX"}')

    assert main([str(file)]) == 0

    assert json.loads(file.read_text())["components"] == json.loads(text)["components"]
