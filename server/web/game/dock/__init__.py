"""The dock of a turn: what can be chosen, what is drafted, and the board beside it.

In reading order, each importing only those before it:

    march_ways turn_state price_tags verbs controls play_section
"""
