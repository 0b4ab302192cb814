"""Faults at every place where files are touched: what is tried, and what must hold after it.

`python -m tests.faults` (or `make faults`) tries them all; a slice is in the tests.
"""
