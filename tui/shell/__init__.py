"""What every screen and both apps stand on."""
