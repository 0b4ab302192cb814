"""A comparison as JSON, CSV and tables."""
