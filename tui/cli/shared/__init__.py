"""What the commands share: options, output, exit codes, starting the inspector."""
