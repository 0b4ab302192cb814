"""Neighbours counted by label: scores, scores by label, and confusions."""
