"""`tui-eval pairs`: the command, and what it shows."""
