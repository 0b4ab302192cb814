"""What one system did, query by query, wherever it comes from."""
