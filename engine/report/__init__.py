"""Results as documents: JSON, CSV and per-query tables, each number with its id and formula."""
