"""The game of Alexandros: values in, values out; no clock, no dice, no disk, no network."""
