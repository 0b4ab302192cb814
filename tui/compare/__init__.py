"""The Compare screen: two models over the same queries."""
