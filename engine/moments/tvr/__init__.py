"""TVR: its files, its rules and its official numbers."""
