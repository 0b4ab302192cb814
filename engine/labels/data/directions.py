"""Directions: which modality asks, and which is searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.base.errors import InputError
from engine.base.messages import list_names, suggest

PROTOTYPE = "prototype"
"""What asks where the queries are texts that stand for labels."""


@dataclass(frozen=True, slots=True)
class Direction:
    """One modality asks another, or itself.

    >>> Direction("text", "sensor").name, Direction("prototype", "text").title
    ('text2sensor', 'Text Prototype -> Text')
    """

    queries: str
    targets: str

    @property
    def name(self) -> str:
        return f"{self.queries}2{self.targets}"

    @property
    def is_self(self) -> bool:
        """Whether items look for their own kind: then an item never finds itself."""
        return self.queries == self.targets

    @property
    def is_prototype(self) -> bool:
        return self.queries == PROTOTYPE

    @property
    def reverse(self) -> Direction:
        return Direction(self.targets, self.queries)

    @property
    def title(self) -> str:
        asked = "Text Prototype" if self.is_prototype else _capital(self.queries)
        return f"{asked} -> {_capital(self.targets)}"


@dataclass(frozen=True, slots=True)
class Modalities:
    """The names of the two modalities, and what there is of them.

    >>> [direction.name for direction in Modalities("video", "text").defaults()]
    ['text2video', 'video2text']
    """

    a: str = "sensor"
    b: str = "text"
    has_a: bool = True
    has_b: bool = True
    has_prototypes: bool = False

    def __post_init__(self) -> None:
        for name, option in ((self.a, "--name-a"), (self.b, "--name-b")):
            if not name.strip() or name != name.strip() or not name.isprintable() or "," in name:
                raise InputError(
                    f"{option} {name!r} is no name for a modality",
                    hint="write one word, such as video",
                )
            if name == PROTOTYPE:
                raise InputError(
                    f"{option} {name!r} is what asks in prototype retrieval",
                    hint="choose another name",
                )
        if self.a == self.b:
            raise InputError(f"both modalities are called {self.a!r}", hint="give them two names")
        if len({direction.name for direction in self.all()}) < len(self.all()):
            raise InputError(
                f"the names {self.a!r} and {self.b!r} make directions that read alike",
                hint="choose names without a 2 in them",
            )

    def defaults(self) -> tuple[Direction, ...]:
        """What is scored unless directions are named.

        With prototypes: from them to whatever is there; otherwise across the modalities, both
        ways; with one modality only, within it.
        """
        if self.has_prototypes:
            return tuple(Direction(PROTOTYPE, name) for name in self._there)
        if len(self._there) == 1:
            return (Direction(self._there[0], self._there[0]),)
        return Direction(self.b, self.a), Direction(self.a, self.b)

    def choose(self, names: Sequence[str] | None) -> tuple[Direction, ...]:
        """The named directions, or the defaults."""
        return self.defaults() if names is None else self.parse(names)

    def all(self) -> tuple[Direction, ...]:
        """Every direction that these names can make."""
        a, b = self.a, self.b
        across = (Direction(b, a), Direction(a, b))
        within = (Direction(a, a), Direction(b, b))
        return (*across, *within, Direction(PROTOTYPE, a), Direction(PROTOTYPE, b))

    def parse(self, names: Sequence[str]) -> tuple[Direction, ...]:
        """The named directions, each once, in the order given.

        >>> [d.name for d in Modalities().parse(["text2sensor", "text2sensor"])]
        ['text2sensor']
        """
        if not names:
            raise InputError("no direction is named", hint=f"choose from {self._listed()}")
        known = {direction.name: direction for direction in self.all()}
        found: dict[str, Direction] = {}
        for name in names:
            if name not in known:
                raise InputError(
                    f"no direction {name!r}",
                    hint=f"{suggest(name, known)} choose from {self._listed()}",
                )
            found[name] = known[name]
            self._require(known[name])
        return tuple(found.values())

    def _require(self, direction: Direction) -> None:
        for name, there, option in (
            (self.a, self.has_a, "sensor"),
            (self.b, self.has_b, "text"),
        ):
            if name in (direction.queries, direction.targets) and not there:
                raise InputError(
                    f"{direction.name} needs embeddings of {name}",
                    hint=f"give --{option}-embeddings FILE, or leave the direction out",
                )
        if direction.is_prototype and not self.has_prototypes:
            raise InputError(
                f"{direction.name} needs prototypes",
                hint="give --use-prototypes with --metadata or --prototype-embeddings",
            )

    @property
    def _there(self) -> tuple[str, ...]:
        return tuple(name for name, there in ((self.a, self.has_a), (self.b, self.has_b)) if there)

    def _listed(self) -> str:
        return list_names([direction.name for direction in self.all()])


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]
