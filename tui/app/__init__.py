"""The two apps: wiring only."""
