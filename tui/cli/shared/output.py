"""The one place that writes what a command found: in which format, where to, and never over a file
that the command reads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias, get_args, get_type_hints

import typer

from engine.base.errors import InputError, Place
from engine.files.atomic import write_whole
from engine.files.protection import claim_output, name_same_file
from engine.files.refusals import refuse_writing, require_writable
from engine.files.streams import check_stream, find_open_stream
from tui.cli.shared.console import as_text, say, show, write_out
from tui.cli.shared.groups import OUTPUT, find_given_options, option
from tui.cli.shared.own_files import protect_store_name

if TYPE_CHECKING:
    from rich.console import RenderableType

Form: TypeAlias = "Callable[[], str | list[RenderableType]]"
"""Makes what is written: a text, or what a terminal shows."""

written = partial(option, panel=OUTPUT, where="print")
"""An option about what is written, which a screen does not do."""

STDOUT = Path("-")
"""What an option that names a file means by `-`."""

FORMAT = partial(written, "Format. Default: table, or as the name of --out says.", short="-f")
JSON = partial(written, "Short for --format json.")

READABLE = ("table", "summary")
"""Formats for the eye: with `--out` they are printed as well. Data is written to one place."""

FORMAT_SUFFIXES = {
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "table",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
    ".toml": "toml",
}
"""What the name of a file says of its format."""


class Verbatim(str):
    """A text that ends as it stands: its file gets no further line feed."""

    __slots__ = ()


@dataclass(frozen=True)
class Output:
    """`--format`, `--json`, `--out` and `--quiet`, which mean the same in every command.

    The formats are those of a class below, or of one that a command makes; the first is the usual
    one.

    shorts    formats that have an option of their own
    suffixes  what the name of `--out` says
    unnamed   the format of a file whose name has no ending; empty: the usual one
    """

    format: str | None = FORMAT()
    json: bool = JSON(False)
    out: Path | None = written(
        "Write the result to this file; its ending may say the format. - is stdout.", short="-o"
    )
    quiet: bool = written(
        "Do not print the table, nor which files were written.", False, short="-q"
    )

    shorts: ClassVar[tuple[str, ...]] = ("json",)
    suffixes: ClassVar[Mapping[str, str]] = FORMAT_SUFFIXES
    unnamed: ClassVar[str] = ""

    def __post_init__(self) -> None:
        """`--out -` is as if it had not been given."""
        if self.out == STDOUT:
            object.__setattr__(self, "out", None)

    @property
    def formats(self) -> tuple[str, ...]:
        """All that can be asked for."""
        asked, _ = get_args(get_type_hints(type(self))["format"])
        return get_args(asked)

    @property
    def shape(self) -> str:
        """The format that the options mean; the name of the file says it if they do not.

        >>> ListOutput(out=Path("x.json")).shape, ListOutput(out=Path("x.txt")).shape
        ('json', 'table')
        >>> ListOutput(out=Path("x.jsn")).shape
        Traceback (most recent call last):
        engine.base.errors.InputError: x.jsn: this command writes no .jsn; name a file that ends \
in .json or .txt, or give --format
        """
        asked = {name: f"--{name}" for name in self.shorts if getattr(self, name)}
        if self.format is not None:
            asked.setdefault(self.format, f"--format {self.format}")
        if len(asked) > 1:
            given = " and ".join(asked.values())
            raise InputError(f"{given} were given", hint="choose one of them")
        if asked:
            return next(iter(asked))
        suffix = "" if self.out is None else self.out.suffix.lower()
        named = self.suffixes.get(suffix, "")
        if named in self.formats:
            return named
        if suffix:
            *ends, last = [end for end, format in self.suffixes.items() if format in self.formats]
            known = f"{', '.join(ends)} or {last}" if ends else last
            hint = f"name a file that ends in {known}, or give --format"
            raise InputError(f"this command writes no {suffix}", self.out, hint=hint)
        return self._choose_unnamed()

    def _choose_unnamed(self) -> str:
        """The format if neither an option nor the name of the file says it."""
        return (self.out and self.unnamed) or self.formats[0]

    @property
    def printed(self) -> str:
        """The format that goes to stdout: that of the result, or, beside a file, the one for the
        eye; empty if nothing does. What the shell has opened for `--out` may be stdout itself.

        >>> ListOutput(json=True).printed, ListOutput(out=Path("x.json")).printed
        ('json', 'table')
        >>> ListOutput(out=Path("x.json"), quiet=True).printed
        ''
        """
        if self.quiet:
            return ""
        if self.out is None:
            return self.shape
        if find_open_stream(self.out) is not None:
            return ""
        return next((name for name in READABLE if name in self.formats), "")

    @property
    def files(self) -> list[Path]:
        """All that are written."""
        return [value for value in vars(self).values() if isinstance(value, Path)]

    def check(self) -> None:
        """Refuse, before any work, options that contradict each other, and to write where it
        cannot be written, or where something lies that the command reads."""
        check_outputs(*self.files)
        shape = self.shape  # says what contradicts itself
        if self.quiet and self.out is None and shape not in READABLE:
            raise InputError(
                f"--quiet and the format {shape} were given, but no file",
                hint="name one with --out FILE, or leave --quiet out",
            )

    def write(
        self,
        forms: Mapping[str, Form],
        *,
        notes: Iterable[str] = (),
        bare: Collection[str] = ("csv",),
        width: int = 0,
        ascii: bool = False,
    ) -> None:
        """Write the result in its format, to the file or to stdout; beside a file, print it.

        notes  what a reader must know beside it: said where nothing that is printed says it
        bare   formats that have no room for them
        width  columns that a table in a file has at least
        ascii  a table has no other signs
        """
        self.write_out_file(forms, width, ascii)
        if self.out is None:
            self._print(forms, ascii)
        else:
            self._print_beside_file(forms, ascii)
        is_shown = self.printed in READABLE
        if not is_shown and (self.out is not None or self.shape in bare):
            for note in notes:
                say(f"note: {note}")

    def write_out_file(
        self, forms: Mapping[str, Form], width: int = 0, ascii: bool = False
    ) -> None:
        """The file of `--out`, if there is one."""
        if self.out is not None:
            self.save(render_text(forms[self.shape](), width, ascii), self.out)

    def _print(self, forms: Mapping[str, Form], ascii: bool) -> None:
        if not self.printed:
            return
        found = forms[self.printed]()
        if isinstance(found, str):
            write_out(found)
        else:
            show(*found, ascii=ascii)

    def _print_beside_file(self, forms: Mapping[str, Form], ascii: bool) -> None:
        """A table for the eye; the result is safe by now, whatever stdout says."""
        found = forms[self.printed]() if self.printed else ""
        if isinstance(found, str):  # data, of a format that has no table
            return
        try:
            with suppress(typer.Exit):  # the reader went away
                show(*found, ascii=ascii)
        except InputError as error:
            say(f"note: the table is not printed: {error.message}")

    def save(self, text: str, path: Path) -> None:
        """Write a finished text to a file, and say so."""
        write_file(text, path, quiet=self.quiet)

    def tell(self, line: str) -> None:
        """Say what is no error, and no note about a number."""
        if not self.quiet:
            say(line)


@dataclass(frozen=True)
class QueryOutput(Output):
    """Also query by query."""

    per_query: Path | None = written(
        "Also write one row per query (.csv, .jsonl or .parquet), for compare and gate."
    )

    def check(self) -> None:
        super().check()
        if self.per_query is not None:
            from engine.report.per_query.write import check_per_query_path

            check_per_query_path(self.per_query)

    def write_per_query(self, write: Callable[[Path], None]) -> None:
        """Have the rows written, if they are asked for."""
        if self.per_query is not None:
            write(self.per_query)
            self.tell(f"wrote {self.per_query}")


@dataclass(frozen=True)
class SummaryOutput(QueryOutput):
    """The usual format is a summary, and single queries can be shown in its place."""

    suffixes: ClassVar[Mapping[str, str]] = {**FORMAT_SUFFIXES, ".txt": "summary"}
    unnamed: ClassVar[str] = "json"

    def check_showing(self) -> None:
        """With --show: what holds the scores of all queries is not made beside it."""
        own = {"--format", "--json", "--out", "--quiet"}
        beside = [name for name in find_given_options(self) if name not in own]
        if self.shape not in ("summary", "json"):
            beside.append(f"--format {self.shape}")
        for name in beside:
            raise InputError(
                f"--show and {name} were given", hint="ask for the scores without --show"
            )
        self.check()


@dataclass(frozen=True)
class ListOutput(Output):
    format: Literal["table", "json"] | None = FORMAT()


@dataclass(frozen=True)
class TableOutput(Output):
    format: Literal["table", "json", "csv"] | None = FORMAT()


@dataclass(frozen=True)
class PaperOutput(Output):
    """Also as the tables of a paper."""

    format: Literal["table", "json", "csv", "markdown", "latex"] | None = written(
        "table, json, csv, markdown or latex. Default: table, or as the name of --out says.",
        short="-f",
        metavar="FORMAT",
    )


def render_text(found: str | list[RenderableType], width: int = 0, ascii: bool = False) -> str:
    """What a file holds: a text as it is, a table as plain lines at least so wide."""
    return found if isinstance(found, str) else as_text(*found, least=width, ascii=ascii)


def write_file(text: str, path: Path, *, quiet: bool = False) -> None:
    """Write a finished text to a file, whole or not at all, and say so unless `quiet`."""
    if path == STDOUT:
        write_out(text)
        return
    ended = isinstance(text, Verbatim) or text.endswith("\n")
    write_whole(text if ended else text + "\n", path)
    if not quiet:
        say(f"wrote {path}")


def check_outputs(*outputs: Path) -> None:
    """Find out before the work that a result could not be saved, or would destroy an input or
    another result."""
    outputs = tuple(path for path in outputs if path != STDOUT)
    if outputs:
        protect_store_name()
    for place, path in enumerate(outputs):
        _check_writable(path)
        if any(name_same_file(path, other) for other in outputs[:place]):
            raise InputError("is named for two outputs", Place(path), hint="name two files")
        claim_output(path)


def _check_writable(path: Path) -> None:
    try:
        if path.is_dir():
            raise InputError("is a folder", Place(path), hint="name a file inside it")
        if find_open_stream(path) is not None:
            check_stream(path)
            return
        if not path.parent.is_dir():
            raise InputError("the folder does not exist", Place(path.parent), hint="make it first")
        require_writable(path if path.exists() else path.parent, path)
        path.resolve(strict=path.is_symlink() and path.exists())
    except RuntimeError as error:  # links in a circle
        message = "is a symbolic link to itself"
        raise InputError(message, Place(path), hint="name another file") from error
    except OSError as error:
        raise refuse_writing(error, path) from error
    except ValueError as error:
        raise InputError("cannot be written (no path)", Place(path)) from error
