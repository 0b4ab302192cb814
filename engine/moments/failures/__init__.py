"""Why queries fail: classes, curves, lengths, and the reason in words."""
