"""A player's own pages: sign-in, games, sessions and keys, settings, addresses, unsubscribing.

In reading order, each importing only those before it:

    game_list my_games_page sign_in_pages sessions_page my_data_page unwanted_page settings_form
    settings_page address_pages links_page resign_page away_page address_confirmation_page
    unsubscribe_page
"""
