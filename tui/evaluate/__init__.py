"""The Evaluate screen: the whole query set, worst first."""
