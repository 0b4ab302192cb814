"""The Sessions screen: saved work."""
