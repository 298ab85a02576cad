"""Games before and after they are played: opened, joined, proposed, resigned, played again.

In reading order, each importing only those before it:

    games open_seats declining seat_expiry organiser strangers proposals rematches resignations
"""
