"""What everything stands on: errors, messages, locks, progress, and the ranking that all share."""
