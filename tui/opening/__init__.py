"""From arguments to a dataset that is ready to look at."""
