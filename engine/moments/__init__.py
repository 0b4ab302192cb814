"""Moment retrieval: predicted spans of videos against the moments that queries ask for."""
