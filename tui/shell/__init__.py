"""What every screen and every app stands on."""
