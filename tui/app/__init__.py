"""The apps, one for what each kind of start shows: wiring only."""
