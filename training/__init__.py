"""How the fixed parts of the mapper are made: WordNet's table, the null, the model's weights."""
