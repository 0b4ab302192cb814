"""One row per query, in files that compare and gate read back."""
