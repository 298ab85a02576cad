"""Time in words, by the reader's clock: how fast a game goes, deadlines, and when a turn comes.

In reading order, each importing only those before it:

    turn_times deadlines turn_outlooks
"""
