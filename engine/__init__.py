"""The game of Alexandros: values in, values out; no clock, no dice, no disk, no network.

In reading order, each importing only those before it:

    cards lattice board editions actions events position provinces
    marching acting evolve views rules deal notation
    bots codec checking logfile describe
"""
