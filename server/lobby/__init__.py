"""Games beside their turns: opened, joined, proposed, resigned, played again; what their players agree on.

In reading order, each importing only those before it:

    new_games games votes leaving open_seats substitutes
    organiser strangers proposals rematches nudges
"""
