"""Command lines: sound ones, one at least for every command, and what may be put in their place.

Which commands and options there are is found by introspection; a command without a sound line
fails a test.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.fuzz.content import Content, Special
from tests.fuzz.mutations.mutate import mutate
from tests.fuzz.mutations.values import ODD_TEXTS

SOUND_LINES = """
summary dataset.toml
pairs dataset.toml --limit 5 --json
triage dataset.toml --analyses hubs,used --resamples 100 --out out.json
triage dataset.toml --mode video --baseline two --analyses leakage --resamples 100
triage show 1 --from triage.json
triage list --json
validate dataset.toml
validate --annotations ann.csv --embeddings small.npy --ids ids.npy
run dataset.toml --mode video --k 1,3 --out out.json --per-query out.csv
run dataset.toml --mode text --queries queries.jsonl --metrics P@5,AP --format json
run --annotations ann.parquet --embeddings small.npz --mode video --export-trec out.trec
run dataset.toml --mode video --videos clip_list.txt
search "bicyclist ahead" --dataset dataset.toml --keywords bicyclist --k 3
search --video clip_1 --dataset dataset.toml --relevant relevant.txt --json
search rain --video clip_1 --alpha 0.25 --dataset dataset.toml
search --vector vector.npy --dataset dataset.toml --keywords bicyclist
inspect dataset.toml --query rain
report run.json --format html --out out.html --dataset dataset.toml
report run.json --compare per_query.csv --format markdown
compare per_query.jsonl per_query.parquet --names a,b --resamples 200 --clusters clusters.csv
compare run.trec ranked.csv --qrels qrels.txt --format json --resamples 200
gate run.json --baseline run.json --resamples 200 --fail-under P@5=0.1 --junit out.xml
gate per_query.csv --fail-under P@5=0.1
gate per_query.csv --triage compared_triage.json --severity 0.2 --json
triage dataset.toml --analyses slices,ceiling --baseline two --resamples 100 --out out.json
triage show 1 --from compared_triage.json
triage list --json
score --run run.trec --qrels qrels.txt --per-query out.jsonl
score --run ranked.parquet --qrels beir --metrics nDCG@5,R@3 --json
score --scores scores.npy --relevance relevance.npy
score --scores scores.npy --query-ids query_ids.txt --item-ids item_ids.txt --qrels qrels.txt
score --query-embeddings small.npy --item-embeddings small.parquet --diagonal
labels --sensor-embeddings sensor.npy --text-embeddings text.npz --text-key text --labels labels.csv
labels --sensor-embeddings sensor.npy --labels l1=labels.npz --per-query out.csv --format confusion
labels --sensor-embeddings sensor.npy --labels labels.txt --prototype-embeddings prototypes.npz
moments tvr.json --gt tvr_truth.jsonl --format json --per-query out.csv
moments qvh.jsonl --gt qvh_truth.jsonl
moments validate tvr.zip --gt tvr_truth.jsonl --videos videos.json
moments validate qvh.jsonl --gt qvh_truth.jsonl --json
map "cyclist entering ego lane" --dataset dataset.toml
map --batch queries.csv --vocabulary vocabulary.json
map test queries.csv --dataset dataset.toml
map learn --from queries.csv --dataset dataset.toml --folds 2
keys --keys keys.toml --format json
config --json
config show
config path
config set theme light
sessions --store sessions.db
sessions list --store sessions.db
sessions show latest --store sessions.db --json
sessions export latest --store sessions.db --out out.md
sessions import session.json --store sessions.db
sessions delete latest --yes --store sessions.db
sessions repair --store sessions.db --out out.db
sessions replay session.json --dataset dataset.toml --store sessions.db
--dataset dataset.toml
"""

BELONGING = {"dataset.toml": ("ann.csv", "emb.parquet", "emb.npz", "queries.csv"),
             "beir": ("beir/qrels/test.tsv", "beir/queries.jsonl")}  # fmt: skip
"""Files that a command reads though its line names another."""

PIPE = "pipe"
"""What may be named in the place of a file; who reads it waits for ever."""
OUTPUT_OPTIONS = (
    "--out",
    "-o",
    "--per-query",
    "--export-trec",
    "--junit",
    "--per-label",
    "--confusion-csv",
)

_PATHS = ("missing.json", ".", "/dev/zero", "/dev/full", "/dev/stdin", PIPE, "x" * 300, "a/b/c",
          "", "~", "/proc/self/mem",
          "new.json", "new.csv", "new.parquet", "new.html", "\udcff\udcfe.json", "-",
          "sound.zip")  # fmt: skip
_NUMBERS = ("0", "-1", "1", "2", "5", "1e9", "999999999999", "9" * 400, "nan", "inf", "-inf",
            "1e400", "0.5", "1.5", "0x1",
            "٣", "1_0", " 1", "1,2", "5,0", "1,,2", "1-3")  # fmt: skip
_TEXTS = (*(text for text in ODD_TEXTS if not set("\0\ud800\udfff") & set(text)), "P@5", "P@0",
          "nDCG@99999999999", "z" * 65_000, "a=b", "=", ":", "json", "all", "none")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Command:
    """A command, by its words, and its options: whether each takes a value."""

    words: tuple[str, ...]
    options: Mapping[str, bool]


def find_commands() -> dict[tuple[str, ...], Command]:
    """Every command that the program has, also those that are groups."""
    from typer.main import get_command

    from tui.cli.app import load_commands

    return {command.words: command for command in _walk(get_command(load_commands()), ())}


def _walk(found: Any, words: tuple[str, ...]) -> Iterator[Command]:
    subcommands = getattr(found, "commands", {})
    if not subcommands or found.invoke_without_command:
        options = {
            name: not parameter.is_flag
            for parameter in found.params
            if parameter.param_type_name == "option"
            for name in (*parameter.opts, *parameter.secondary_opts)
            if "completion" not in name  # these look at the shell, and may change its settings
        }
        yield Command(words, options)
    for name, each in subcommands.items():
        yield from _walk(each, (*words, name))


def list_sound_lines() -> list[list[str]]:
    """The sound lines as their arguments."""
    return [shlex.split(line) for line in SOUND_LINES.strip().splitlines()]


def find_command_of(line: Sequence[str], commands: Mapping[tuple[str, ...], Command]) -> Command:
    """The command that a line calls."""
    fits = [words for words in commands if tuple(line[: len(words)]) == words]
    return commands[max(fits, key=len)]


def mutate_line(
    line: Sequence[str],
    command: Command,
    files: Mapping[str, bytes],
    rng: Random,
) -> tuple[list[str], dict[str, Content]]:
    """The line or one of its files, changed; with all files that the command may find."""
    changed: dict[str, Content] = {**files, PIPE: Special("fifo")}
    named = [name for word in line for name in (word, *BELONGING.get(word, ())) if name in files]
    named += [word.partition("=")[2] for word in line if word.partition("=")[2] in files]
    if named and rng.random() < 0.5:
        name = rng.choice(named)
        changed[name] = mutate(name, files[name], list(files.values()), rng)
        return list(line), changed
    return _mutate_arguments(line, command, [*files], rng), changed


def _mutate_arguments(
    line: Sequence[str], command: Command, names: Sequence[str], rng: Random
) -> list[str]:
    arguments = list(line)
    begin = len(command.words)
    places = range(begin, len(arguments))
    how = rng.randrange(10)
    if how < 4 and places:
        values = [n for n in places if not arguments[n].startswith("--")] or [*places]
        arguments[rng.choice(values)] = _choose_value(names, rng)
    elif how == 4 and places:
        del arguments[rng.choice(places)]
    elif how == 5:
        arguments.append(_choose_value(names, rng))
    else:
        option = rng.choice(sorted(command.options) or ["--help"])
        arguments.append(option)
        if command.options.get(option):
            arguments.append(_choose_value(names, rng))
    return arguments


def _choose_value(names: Sequence[str], rng: Random) -> str:
    return rng.choice(rng.choice((_PATHS, _NUMBERS, _NUMBERS, _TEXTS, _TEXTS, tuple(names))))
