"""Frames of clips: where the media of a clip lies, its pictures, and a memory of them."""
