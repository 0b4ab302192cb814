"""The one registry of commands, and what is made of it: bindings, footer, palette, key files."""
