"""One command line or more for every command: sound, and naming every kind of file it can read.

A command without one fails a test, so that whoever adds a command says how it is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.main import get_command

from tests.faults.inspector_writers import Writer, list_writers
from tests.faults.world import World
from tui.cli.app import load_commands


@dataclass(frozen=True)
class Recipe:
    """Arguments of a command; which files it reads is found out.

    writer  what is done in place of a command line
    """

    command: str
    arguments: tuple[str, ...] = ()
    writer: Writer | None = None

    @property
    def name(self) -> str:
        return f"{self.command} {' '.join(Path(one).name for one in self.arguments)}".strip()


def list_recipes(world: World) -> list[Recipe]:
    """Every command, in each way in which it finds its files, and all that the inspector writes."""
    commands = [
        Recipe(command, tuple(_fill(world, line)))
        for command, lines in _LINES.items()
        for line in lines
    ]
    writers = [Recipe(name, writer=writer) for name, writer in list_writers().items()]
    return [*commands, *writers]


NEEDS_TERMINAL = ("", "inspect")
"""Commands that refuse at once without a terminal; what they write is tried by itself."""
NEEDS_NEW_FILE = ("sessions repair",)
"""Commands that refuse to write over a file, whatever it is."""


_SINGLE = (
    "--annotations dataset/clips.csv --embeddings dataset/array.npy --ids dataset/ids.txt "
    "--query-vectors dataset/texts.npz"
)
_LINES = {
    "summary": ["dataset/"],
    "run": [
        "dataset/ --queries own/queries.jsonl --videos dataset/listed.txt",
        f"--queries dataset/queries.csv --limit 3 {_SINGLE}",
    ],
    "search": [
        "=bicyclist --dataset dataset/ --relevant dataset/listed.txt --against array",
        f"=bicyclist {_SINGLE}",
        "--vector own/probe.npy --dataset dataset/ --keywords bicyclist",
    ],
    "pairs": ["dataset/ --wording queries", _SINGLE],
    "triage": [
        "dataset/ --baseline array --queries dataset/queries.csv --videos dataset/listed.txt "
        "--visual archive --analyses used,hubs --resamples 100",
    ],
    "triage show": [
        "=1 --from runs/triage.json",
        "=1 --dataset dataset/ --mode video --visual archive --analyses hubs --resamples 100",
    ],
    "triage list": [""],
    "validate": ["dataset/", _SINGLE],
    "map": ["=bicyclist --dataset dataset/", "--batch own/queries.jsonl --dataset dataset/"],
    "map test": [
        "own/queries.jsonl --dataset dataset/",
        "own/few.jsonl --vocabulary own/words.json",
    ],
    "map learn": ["--from own/queries.jsonl --dataset dataset/ --write"],
    "sessions replay": ["own/session.json", "=kept --dataset dataset/"],
    "report": ["runs/new.json --compare runs/old.json --dataset dataset/ --worst 2"],
    "keys": ["--keys own/other-keys.toml", ""],
    "config": [""],
    "config show": [""],
    "config path": [""],
    "config set": ["=theme =light"],
    "sessions": [""],
    "sessions list": ["--store data/sessions.db", ""],
    "sessions show": ["=kept"],
    "sessions export": ["=kept --store data/sessions.db"],
    "sessions import": ["own/session.json"],
    "sessions repair": [
        "--store own/broken.db",
        "--store own/broken.db --out out/repaired.db",
    ],
    "sessions delete": ["=1 --yes"],
    "gate": [
        "runs/new.csv --baseline runs/old.csv --clusters runs/clusters.csv --detect 9 --github"
    ],
    "score": [
        "--run rankings/bm25.run --qrels rankings/qrels.txt",
        "--scores rankings/scores.npy --relevance rankings/grades.npy "
        "--query-ids rankings/rows.txt --item-ids rankings/columns.txt",
        "--query-embeddings rankings/asking.npy --item-embeddings rankings/asked.npy --diagonal",
    ],
    "compare": [
        "runs/old.json runs/new.json",
        "rankings/bm25.run rankings/dense.run --qrels rankings/qrels.txt",
    ],
    "labels": [
        "--sensor-embeddings labels/sensor.npy --text-embeddings labels/text.npy "
        "--labels labels/labels.npy --k 3",
        "--sensor-embeddings labels/sensor.npy --labels labels/labels.npy --k 3 --use-prototypes "
        "--metadata labels/metadata.json --dataset-name home "
        "--prototype-embeddings labels/prototypes.npy "
        "--prototype-labels labels/prototype-labels.txt",
    ],
    "moments": [
        "moments/submission.json --gt moments/ground_truth.jsonl",
        "moments/highlights_predictions.jsonl --gt moments/highlights_truth.jsonl",
    ],
    "moments validate": ["moments/submission.json --gt moments/ground_truth.jsonl"],
}


def _fill(world: World, line: str) -> Iterator[str]:
    """The arguments: names in the world become paths, `=name` stays a name."""
    for word in line.split():
        yield word[1:] if word[0] == "=" else str(world / word) if "/" in word else word


@dataclass(frozen=True)
class OutputOption:
    """An option that names what is written: a file, or a folder."""

    name: str
    is_folder: bool


def find_output_options() -> dict[str, list[OutputOption]]:
    """Every command, and its options that name what is written."""
    found = get_command(load_commands())
    return {name: list(map(_describe, _list_outputs(command))) for name, command in _walk(found)}


def find_other_values() -> set[str]:
    """Options about what is written that take a value and name no path."""
    return {
        option.opts[0]
        for _, command in _walk(get_command(load_commands()))
        for option in command.params
        if option.rich_help_panel == "Output" and not option.is_flag
        if option.type_descriptor.annotation is not Path
    }


def _walk(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    inner = getattr(command, "commands", {})
    if not inner or getattr(command, "invoke_without_command", False):
        yield name, command
    for word, one in inner.items():
        yield from _walk(one, f"{name} {word}".strip())


def _list_outputs(command: Any) -> list[Any]:
    return [
        one
        for one in command.params
        if one.rich_help_panel == "Output" and one.type_descriptor.annotation is Path
    ]


def _describe(option: Any) -> OutputOption:
    return OutputOption(option.opts[0], is_folder=option.metavar == "DIR")
