"""A session as JSON and Markdown."""
