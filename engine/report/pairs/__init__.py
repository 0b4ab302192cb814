"""Minimal pairs as documents, tables and query sets."""
