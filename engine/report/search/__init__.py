"""One query with its results as JSON and CSV."""
