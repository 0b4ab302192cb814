"""From text to vectors and keywords: encoders, their cache, checkpoints, and the mapping."""
