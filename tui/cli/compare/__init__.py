"""`tui-eval compare`."""
