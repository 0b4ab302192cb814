"""What the user touches: the command line and the terminal inspector. It knows `engine`."""
