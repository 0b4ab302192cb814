"""Triage: where an embedding fails, why, and how sure that is.

Workbench ─▶ Study ─▶ analyses ─▶ Finding ─▶ correction ─▶ Triage
"""
