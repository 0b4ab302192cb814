"""From text to vectors and keywords: encoders, their cache, checkpoints, and the mapping."""

EMBEDDED = "embedded"
"""Name of the text encoder that comes with the install: all-MiniLM-L6-v2, 384 dimensions."""

MAPPER_THRESHOLD = 0.58
"""Least probability of a keyword that no phrase names. On fields that the weights were not fitted
on, exact keyword sets are as many from 0.54 to 0.62; below, words outside the vocabulary are taken
for keywords, above, paraphrases are missed."""
