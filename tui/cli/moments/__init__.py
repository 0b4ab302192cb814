"""`tui-eval moments`."""
