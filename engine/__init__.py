"""The game of Alexandros: values in, values out; no clock, no dice, no disk, no network.

In reading order, each importing only those before it:

    cards lattice grid board editions actions events position provinces
    march_rules action_rules evolve views effects rules deal notation plans
    codec log_validation logfile seal position_json bots
"""
