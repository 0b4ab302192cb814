"""A gate as JSON, JUnit XML, Markdown, and annotations of a pull request."""
