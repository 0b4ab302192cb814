"""`tui-eval search`."""
