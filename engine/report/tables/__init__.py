"""Tables of finished texts, and how numbers are spelt in them."""
