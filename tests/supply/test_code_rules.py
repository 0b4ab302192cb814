"""Our code reads no pickle, runs no text, starts no shell; and the check would see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from supply.code_rules import check_code, check_source

FORBIDDEN = """
import pickle
import joblib
import shelve
import marshal
from pickle import loads
from pickle import UnpicklingError, loads
from cloudpickle import load
eval(text)
exec(text)
compile(text, "file", "exec")
builtins.eval(text)
run = eval; run(text)
list(map(eval, texts))
from importlib import import_module; import_module("pickle").load(file)
np.load(path, allow_pickle=True)
np.load(path, allow_pickle=wanted)
torch.load(path)
torch.load(path, weights_only=False)
import torch as t; t.load(path)
from torch import load; load(path)
pd.read_pickle(path)
yaml.load(text, Loader=yaml.Loader)
yaml.load(text)
subprocess.run("ls", shell=True)
subprocess.Popen(line, shell=wanted)
os.system("ls")
from os import system as run; run("ls")
os.popen("ls")
tempfile.mktemp()
from tempfile import mktemp; mktemp()
requests.get(address, verify=False)
urlopen("http://example.org/model")
AutoModel.from_pretrained(name, trust_remote_code=True)
"""

ALLOWED = """
from pickle import UnpicklingError
re.compile("a+")
model.eval()
import_module(name)
np.load(path)
np.load(path, allow_pickle=False)
torch.load(path, weights_only=True)
yaml.safe_load(text)
subprocess.run(["ls"])
subprocess.run(["ls"], shell=False)
tempfile.mkstemp()
urlopen("https://example.org/model")
text = "torch.load(path); eval(text); np.load(path, allow_pickle=True)"
"""


def test_our_code_does_none_of_it() -> None:
    assert [str(problem) for problem in check_code()] == []


@pytest.mark.parametrize("line", FORBIDDEN.strip().splitlines())
def test_it_is_seen(line: str) -> None:
    assert check_source(f"def work():\n    {line}", Path("file.py")) != []


@pytest.mark.parametrize("line", ALLOWED.strip().splitlines())
def test_what_only_looks_like_it_is_not_taken_for_it(line: str) -> None:
    assert check_source(line, Path("file.py")) == []


def test_the_place_is_told() -> None:
    [problem] = check_source("\n\nos.system('ls')", Path("engine/a.py"))

    assert str(problem) == "engine/a.py, line 3: os.system starts a shell"
