"""The submission check: what a benchmark's server or script would refuse, ignore or misread."""
