"""What the house does by itself: it plays the turns of its own players, and of people who are away.

In reading order, each importing only those before it:

    house_players house_turns
"""
