"""Reading what users wrote, bounded and with a place for every fault; writing whole files."""
