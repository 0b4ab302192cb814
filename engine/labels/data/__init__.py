"""Embeddings with labels: the files, the arrays, and what they become."""
