"""What the judge thinks of games that are over: worked out turn by turn, kept, and waited for.

In reading order, each importing only those before it:

    stored_reviews final_letters game_reviews
"""
