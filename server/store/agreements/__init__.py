"""What those who play a game have agreed on, as its acts tell it.

In reading order, each importing only those before it:

    game_agreements
"""
