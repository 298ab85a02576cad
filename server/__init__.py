"""The server: the only floor with clock, dice, disk and network."""
