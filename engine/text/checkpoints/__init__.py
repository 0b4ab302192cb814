"""Text encoders from checkpoints: weights alone are read, adapters say how to use them."""
