"""Label Score@K: how many of the nearest items have the query's own label."""
