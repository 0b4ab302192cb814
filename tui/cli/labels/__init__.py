"""`tui-eval labels`."""
