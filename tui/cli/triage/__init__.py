"""`tui-eval triage` and its commands."""
