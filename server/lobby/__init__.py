"""Games beside their turns: opened, joined, proposed, resigned, played again; what their players agree on.

In reading order, each importing only those before it:

    new_games games pauses votes seat_returns open_seats substitutes
    declined_invitations seat_expiry organiser strangers proposals rematches resignations nudges
"""
