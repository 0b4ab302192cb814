"""What everything painted goes through: safe text, glyphs, words, themes."""
