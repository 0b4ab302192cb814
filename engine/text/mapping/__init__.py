"""The parts of the mapper: words, the synonym table, evidence, and the choice among it."""
