"""A keyword run: its JSON and CSV, and the report on a saved one."""
