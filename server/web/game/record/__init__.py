"""What has become of a game: since a reader's last turn, step by step, at its end, for those who watch.

In reading order, each importing only those before it:

    recap finished_game history_page spectator_page print_sheet
"""
