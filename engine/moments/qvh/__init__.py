"""QVHighlights: its files, its rules and its official numbers."""
