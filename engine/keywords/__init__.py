"""Keyword retrieval: a question, its ranking, and how the ground truth judges it."""
