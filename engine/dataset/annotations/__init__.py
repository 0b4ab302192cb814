"""Annotation files in the forms found in the field: CSV, TSV and parquet."""
