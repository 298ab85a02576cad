"""Brief letters of a running game: each asks or tells one thing beside the turns, with one button.

In reading order, each importing only those before it:

    vote_letter seat_letters stopped_letter
"""
