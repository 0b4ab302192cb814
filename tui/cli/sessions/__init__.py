"""`tui-eval sessions`."""
