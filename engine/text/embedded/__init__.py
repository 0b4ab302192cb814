"""The embedded encoder, all-MiniLM-L6-v2: its weights run by numpy, without torch."""
