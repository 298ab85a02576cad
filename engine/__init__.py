"""The rules, notation and bots of Alexandros: pure functions without clock, dice, disk or network."""
