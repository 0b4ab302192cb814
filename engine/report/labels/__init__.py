"""Label scores as JSON and CSV."""
