"""What `map test` and `map learn` found, as documents and words."""
