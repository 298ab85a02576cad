"""The post office: the only floor with clock, dice, disk and network."""
