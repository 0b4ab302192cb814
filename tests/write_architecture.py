"""Write the map in `docs/architecture.md` from the code: `python -m tests.write_architecture`.

A room's purpose is the first line of its package's docstring; what it knows are its imports.
"""

from __future__ import annotations

import ast

from tests.test_layers import LAYERS, ROOT, own_imports

DOCUMENT = ROOT / "docs" / "architecture.md"
BEGIN = "<!-- made by `python -m tests.write_architecture` -->\n"
END = "<!-- end of the map -->\n"


def purpose(room: str) -> str:
    text = (ROOT / room.replace(".", "/") / "__init__.py").read_text(encoding="utf-8")
    found = ast.get_docstring(ast.parse(text))
    assert found, f"{room} does not say what it is for"
    return found.partition("\n\n")[0].replace("\n", " ")


def neighbours() -> dict[str, list[str]]:
    """For every room, the rooms of its own package that it imports, in the order of the plan."""
    rooms = [room for rooms in LAYERS for room in ((rooms,) if isinstance(rooms, str) else rooms)]
    known: dict[str, set[str]] = {room: set() for room in rooms}
    for package in ("engine", "tui"):
        for found in own_imports(package):
            if found.importer in known and found.imported.startswith(f"{package}."):
                known[found.importer].add(found.imported)
    return {
        room: [other.partition(".")[2] for other in rooms if other in found and other != room]
        for room, found in known.items()
    }


def the_map() -> str:
    known = neighbours()
    parts = []
    for package in ("engine", "tui"):
        rows = [
            f"| `{room.partition('.')[2]}/` | {purpose(room)} | {', '.join(known[room]) or '–'} |\n"
            for room in known
            if room.startswith(f"{package}.")
        ]
        parts.append(
            f"\n### `{package}/`\n| room | what it is for | knows |\n|---|---|---|\n{''.join(rows)}"
        )
    return "".join(parts) + "\n"


def with_map(document: str) -> str:
    """The document with the map of today between its marks."""
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin and end, "the marks of the map are gone"
    return f"{before}{BEGIN}{the_map()}{END}{after}"


if __name__ == "__main__":
    DOCUMENT.write_text(with_map(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
