"""Triage: where an embedding fails, why, and how sure that is.

TriageRequest ─▶ Study ─▶ analyses ─▶ Finding ─▶ correction ─▶ Triage ─▶ document ─▶ SavedTriage
   build_study      ▲ workings          two Triages ─▶ baseline ─▶ FindingChange

A study is searched and judged once. Every analysis of `engine.triage.registry` asks it one question
and yields findings whose p is corrected for whatever that analysis looked at; `correction` corrects
them together and decides which hold. `verdicts` and the shortfall of `analyses.ceiling` are made
from what the analyses computed. `engine.report.triage` writes the document, and whatever shows a
triage reads it back as a `SavedTriage`, so that a saved one is shown like a new one.
"""
