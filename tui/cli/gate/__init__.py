"""`tui-eval gate`."""
