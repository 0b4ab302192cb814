"""Shell completion: how a shell asks, and the values of datasets and sessions that it is told."""
