"""Everybody else's run files, matrices and embeddings, scored."""
