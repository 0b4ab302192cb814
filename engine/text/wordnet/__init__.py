"""WordNet's words and their relations: synonyms, kinds, parts, and what is derived from what."""
