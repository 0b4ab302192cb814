"""A small check that a LaTeX text is whole: what opens closes, and nothing commands by surprise."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

_DOCUMENT = r"""\documentclass{article}
\usepackage{booktabs}
\begin{document}
%s
\end{document}
"""
_COMMANDS = frozenset(
    """begin end centering caption label toprule midrule bottomrule textbf textsuperscript par
    smallskip linewidth footnotesize textbackslash textasciicircum textasciitilde textless
    textgreater textbar textquotedbl dag ddag ldots pm cdot times geq leq neq Sigma Delta delta
    alpha varepsilon pi sigma infty surd rightarrow leftarrow uparrow downarrow small resizebox
    section multicolumn cmidrule setlength tabcolsep""".split()
)


def assert_whole(text: str) -> None:
    """Braces, dollars and environments are balanced; rows have the columns that are declared; only
    commands that every LaTeX has occur. Where pdflatex is installed, it must compile."""
    bare = "\n".join(re.sub(r"(?<!\\)%.*", "", line) for line in text.splitlines())
    tokens = re.findall(r"\\[a-zA-Z]+|\\.|[{}$]", bare)
    depth, in_math = 0, False
    for token in tokens:
        depth += (token == "{") - (token == "}")
        assert depth >= 0, "a brace closes that never opened"
        in_math ^= token == "$"
        if token[0] == "\\" and token[1].isalpha():
            assert token[1:] in _COMMANDS, f"unknown command {token}"
    assert depth == 0, "a brace never closes"
    assert not in_math, "a formula never ends"
    open_ones: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", bare):
        if kind == "begin":
            open_ones.append(name)
        else:
            assert open_ones.pop() == name
    assert not open_ones
    for shape, body in re.findall(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end\{tabular\}", bare, re.S):
        for row in filter(None, (row.strip() for row in re.split(r"\\\\\n", body))):
            cells = re.sub(r"\\(top|mid|bottom)rule", "", row).strip()
            if cells:
                assert len(re.findall(r"(?<!\\)&", cells)) == len(shape) - 1, cells
    _compile(text)


def _compile(text: str) -> None:
    program = shutil.which("pdflatex")
    if program is None or not _knows("booktabs.sty"):
        return
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "t.tex").write_text(_DOCUMENT % text, encoding="utf-8")
        done = subprocess.run(
            [program, "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
            cwd=folder,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


def _knows(package: str) -> bool:
    found = subprocess.run(["kpsewhich", package], capture_output=True, check=False)
    return bool(found.stdout.strip())
