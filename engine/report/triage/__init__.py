"""Triage as documents: JSON, Markdown and the chapter of a page."""
