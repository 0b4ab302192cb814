"""The Inspect screen: one query, its results, and why each is a hit or not."""
