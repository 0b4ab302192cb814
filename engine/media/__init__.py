"""Frames of clips: where their media lies, pictures, a memory of them, and how clips look."""
