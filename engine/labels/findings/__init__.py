"""What is noteworthy in label scores, each finding with its numbers."""
