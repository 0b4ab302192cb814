"""The panes and parts that screens are made of."""
