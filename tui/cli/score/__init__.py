"""`tui-eval score`."""
