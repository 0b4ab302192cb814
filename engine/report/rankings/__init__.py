"""Scored rankings as JSON, CSV and tables."""
