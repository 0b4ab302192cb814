"""Vectors that stand for labels: from texts, from files, and matched to the labels."""
