"""From text to vectors and keywords: encoders, their cache, checkpoints, and the mapping."""

EMBEDDED = "embedded"
"""Name of the text encoder that comes with the install: all-MiniLM-L6-v2, 384 dimensions."""

MAPPER_THRESHOLD = 0.55
"""Least cosine of a "similar" keyword. Measured by leaving each synonym out of the table in turn:
65 % of those of two or three words are then found by similarity, 78 % of what is found is right."""
