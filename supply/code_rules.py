"""What our code never does: unpickle, run text as code, start a shell, fetch without encryption.

>>> [problem.message for problem in check_source("import os\\nos.system('ls')", Path("a.py"))]
['os.system starts a shell']
>>> check_source("np.load(path, allow_pickle=False)", Path("a.py"))
[]
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from supply.pins import ROOT

CHECKED = ("engine", "tui", "sample_data", "training", "benchmarks", "supply", "install.py")

UNPICKLING = "reads pickles, which can run code"
CODE = "runs text as code"
SHELL = "starts a shell"
RACE = "leaves the name of a file to whoever is first"

_PICKLING = ("pickle", "_pickle", "cPickle", "cloudpickle", "dill", "joblib", "shelve")
FORBIDDEN_MODULES = {
    **dict.fromkeys(_PICKLING, UNPICKLING),
    "marshal": "reads code",
    "code": CODE,
    "codeop": CODE,
}

ALLOWED_IMPORTS = {("pickle", "UnpicklingError")}
"""Names that only say what went wrong."""

FORBIDDEN_CALLS: Mapping[str, str] = {
    "eval": CODE,
    "exec": CODE,
    "compile": CODE,
    "__import__": CODE,
    "os.system": SHELL,
    "os.popen": SHELL,
    "subprocess.getoutput": SHELL,
    "subprocess.getstatusoutput": SHELL,
    "asyncio.create_subprocess_shell": SHELL,
    "tempfile.mktemp": RACE,
    "pandas.read_pickle": UNPICKLING,
    "yaml.load": "makes objects of any class: yaml.safe_load",
    "yaml.load_all": "makes objects of any class: yaml.safe_load_all",
    "yaml.unsafe_load": "makes objects of any class: yaml.safe_load",
    "yaml.full_load": "makes objects of any class: yaml.safe_load",
    "ssl._create_unverified_context": "trusts any certificate",
}

FORBIDDEN_ARGUMENTS = {
    "shell": (True, SHELL),
    "allow_pickle": (True, UNPICKLING),
    "verify": (False, "trusts any certificate"),
    "trust_remote_code": (True, "runs code of a model folder"),
    "weights_only": (False, UNPICKLING),
}
"""Arguments of any call, with the value that is refused; so is one that is not written out."""

REQUIRED_ARGUMENTS = {"torch.load": ("weights_only", UNPICKLING)}

ALIASES = {"np": "numpy", "pd": "pandas", "sp": "subprocess"}
_FETCHED = re.compile(r"http:/{2}\w", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CodeProblem:
    """A line that does what none may."""

    file: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.message}"


@cache
def check_code(root: Path = ROOT) -> tuple[CodeProblem, ...]:
    """The problems in all of our code but the tests."""
    parts = [root / part for part in CHECKED]
    files = [file for part in parts for file in ([part] if part.suffix else part.rglob("*.py"))]
    return tuple(
        problem
        for file in sorted(files)
        for problem in check_source(file.read_text(encoding="utf-8"), file.relative_to(root))
    )


def check_source(text: str, file: Path) -> list[CodeProblem]:
    nodes = list(ast.walk(ast.parse(text)))
    names = find_imported_names(nodes)
    return [
        CodeProblem(file, node.lineno, message)
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Call | ast.Name | ast.Attribute)
        for message in _judge(node, names)
    ]


def find_imported_names(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """What the names of a module stand for: `from os import system as run` is run → os.system."""
    names = dict(ALIASES)
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {a.asname: a.name for a in node.names if a.asname}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    return names


def _judge(node: ast.AST, names: Mapping[str, str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from _judge_modules(*(alias.name for alias in node.names))
    elif isinstance(node, ast.ImportFrom):
        if any((node.module, alias.name) not in ALLOWED_IMPORTS for alias in node.names):
            yield from _judge_modules(node.module or "")
    elif isinstance(node, ast.Call):
        yield from _judge_call(node, names)
    elif isinstance(node, ast.Name | ast.Attribute):  # called here, or passed on to who calls it
        named = name_called(node, names)
        if reason := FORBIDDEN_CALLS.get(named.removeprefix("builtins.")):
            yield f"{named} {reason}"


def _judge_modules(*modules: str) -> Iterator[str]:
    for module in modules:
        if reason := FORBIDDEN_MODULES.get(module.partition(".")[0]):
            yield f"{module} {reason}"


def _judge_call(call: ast.Call, names: Mapping[str, str]) -> Iterator[str]:
    called = name_called(call.func, names)
    if called == "importlib.import_module":
        texts = (one.value for one in call.args if isinstance(one, ast.Constant))
        yield from _judge_modules(*(text for text in texts if isinstance(text, str)))
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    for argument, (refused, reason) in FORBIDDEN_ARGUMENTS.items():
        value = given.get(argument, ast.Constant(not refused))
        if not isinstance(value, ast.Constant) or bool(value.value) is refused:
            yield f"{called}({argument}={ast.unparse(value)}) {reason}"
    needed, reason = REQUIRED_ARGUMENTS.get(called, ("", ""))
    if needed and needed not in given:
        yield f"{called} without {needed} {reason}"
    for text in (*call.args, *given.values()):
        if isinstance(text, ast.Constant) and _is_fetched(text.value):
            yield f"{called} fetches without encryption"


def _is_fetched(value: object) -> bool:
    return isinstance(value, str) and _FETCHED.match(value) is not None


def name_called(function: ast.expr, names: Mapping[str, str]) -> str:
    """What is called, by the name that it was imported under: np.load is numpy.load."""
    parts: list[str] = []
    while isinstance(function, ast.Attribute):
        parts.append(function.attr)
        function = function.value
    first = function.id if isinstance(function, ast.Name) else "…"
    return ".".join([names.get(first, first), *reversed(parts)])
