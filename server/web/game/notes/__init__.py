"""What the page of a game notes beside the board: what its reader plans, what is asked of all.

In reading order, each importing only those before it:

    plan_note vote_note
"""
