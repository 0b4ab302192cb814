"""Everybody's files of judgements and rankings.

    file ─▶ Triples ─▶ Qrels | RunFile ─▶ engine.rankings.score

`read_qrels` and `read_run` find out the format by themselves; a new format is a new file and a line
in `registry.py`.
"""
