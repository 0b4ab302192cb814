"""`tui-eval config`."""
