"""Moment retrieval as JSON, CSV, tables and Markdown; the check of a submission."""
