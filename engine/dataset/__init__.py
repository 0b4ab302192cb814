"""A dataset: annotations, embeddings, ground truth, vocabulary and queries, opened and checked."""
