"""One name, one meaning; types are nouns of the glossary."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from tests.conftest import ROOT
from tests.modules import read_modules

GLOSSARY = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")

SHARED = {
    "app": "Typer's name for a group of commands",
}
"""Names that several modules give to a thing of their own, each with the reason."""

PARAMETERS = ("Option", "Argument")
"""Endings of command-line parameters: a command may explain an option in its own words."""

SHARED_FUNCTIONS = {
    "read_even_frames": "each decoder of media has one; a file's first bytes say which is meant",
    "read_playable_frames": "likewise",
    "compare": "the command is called as what it runs",
    "score": "likewise",
    "triage": "likewise",
    "validate": "likewise",
    "main": "where a process begins",
    "serve": "what each child process does",
}
"""Functions that several modules have under one name, each with the reason."""

PARTICIPLES = re.compile(r"[A-Z][a-z]+(?:ed|ing|wn|ught|ken|ven|een|old)")
"""A type of one word that says what became of something, not what it is."""

NOUNS = {
    "Breakdown",
    "Clustering",
    "Drawing",
    "Finding",
    "Mapping",
    "Pooling",
    "Ranking",
    "Wording",
}
"""Nouns that end like participles."""


def assigned(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module gives to classes, aliases and constants."""
    if isinstance(node, ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign) and not is_type_variable(node.value):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id


def is_type_variable(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value.func) in ("TypeVar", "ParamSpec")


def public_names() -> dict[str, list[str]]:
    """Public classes, type aliases and constants with the modules that define them."""
    found = defaultdict(list)
    for file, text in read_modules().items():
        for node in ast.parse(text).body:
            for name in assigned(node):
                if not name.startswith("_"):
                    found[name].append(file)
    return found


def public_functions() -> dict[str, set[str]]:
    """Public functions with the files that define them."""
    found = defaultdict(set)
    for file, text in read_modules().items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                found[node.name].add(file)
    return found


def types() -> set[str]:
    return {name for name in public_names() if not name.isupper()}


def test_no_two_public_types_or_constants_share_a_name() -> None:
    shared = {
        name: files
        for name, files in public_names().items()
        if len(files) > 1 and name not in SHARED and not name.endswith(PARAMETERS)
    }

    assert not shared, "\n" + "\n".join(f"{name}: {files}" for name, files in shared.items())


def test_no_two_modules_have_a_public_function_of_one_name() -> None:
    shared = {name: files for name, files in public_functions().items() if len(files) > 1}

    assert shared.keys() == SHARED_FUNCTIONS.keys(), shared


def test_an_exception_is_listed_only_while_it_is_needed() -> None:
    names = public_names()

    assert [name for name in SHARED if len(names[name]) < 2] == []


def test_no_two_types_differ_by_an_ending_alone() -> None:
    names = types()
    pairs = {
        (name, f"{name}{ending}")
        for name in names
        for ending in ("s", "ed", "ing", "er")
        if f"{name}{ending}" in names
    }

    assert pairs <= {("Word", "Wording")}


def test_types_are_nouns() -> None:
    participles = {name for name in types() if PARTICIPLES.fullmatch(name)} - NOUNS

    assert not participles


def test_what_makes_a_piece_of_a_page_begins_with_a_verb() -> None:
    pieces = re.compile(r".*_(text|texts|table|view|views|notes|lines|cells|document|json|title)")
    made_by = re.compile(
        r"(add|as|build|from|load|merge|paint|to|check|collect|count|describe|draw|drop|dump|explain|find|fit|format|guess|"
        r"join|list|make|map|open|parse|print|read|render|require|show|split|write|encode)_.*"
    )
    nouns = {name for name in public_functions() if pieces.fullmatch(name)}

    assert {name for name in nouns if not made_by.fullmatch(name)} == set()


def test_every_type_of_the_glossary_exists() -> None:
    named = set(re.findall(r"\| `(\w+)` · `[\w.]+` \|$", GLOSSARY, re.MULTILINE))

    assert len(named) > 50
    assert named - types() == set()


def test_every_package_of_the_glossary_exists() -> None:
    packages = set(re.findall(r"· `([\w.]+)` \|$", GLOSSARY, re.MULTILINE))

    assert [name for name in packages if not (ROOT / name.replace(".", "/")).is_dir()] == []


def test_the_glossary_defines_a_word_once() -> None:
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| `", GLOSSARY, re.MULTILINE)
    words = [word.casefold() for word in rows]

    assert len(words) > 50
    assert sorted(words) == sorted(set(words))
