"""Everybody's files of judgements and rankings.

    file ─▶ Triples ─▶ Qrels | RunFile ─▶ engine.score

`read_qrels` and `read_run` find out the format by themselves; a new format is a new file and a line
in `registry.py`.
"""

from engine.formats.ids import Ids
from engine.formats.registry import FORMATS, Format, read_qrels, read_run
from engine.formats.triples import Duplicates
from engine.formats.values import Qrels, RunFile

__all__ = ["FORMATS", "Duplicates", "Format", "Ids", "Qrels", "RunFile", "read_qrels", "read_run"]
