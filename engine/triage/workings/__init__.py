"""What the analyses are computed from: one calculation in each file, shared through the study."""
