"""The small API of the papers: one query or a batch in, metrics by name out."""
