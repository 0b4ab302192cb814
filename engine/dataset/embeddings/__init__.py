"""Embedding files: parquet, .npy and .npz, and the ids of their rows."""
