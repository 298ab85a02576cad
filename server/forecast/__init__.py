"""When somebody's turn comes: how soon people answer, as counts, and what follows for the seats ahead.

It knows no database and no game: counts and moments in, an interval out.

In reading order, each importing only those before it:

    answer_counts rates turn_forecast
"""
