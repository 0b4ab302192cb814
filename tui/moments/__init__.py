"""Moment retrieval in the inspector: queries by error class, and spans on a time line."""
