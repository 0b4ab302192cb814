"""Frames of clips as pictures in a terminal."""
