"""Screens that ask one thing and go: dialogs, help, palette, jump mode."""
