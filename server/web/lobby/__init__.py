"""Pages of games that have not begun, and pages to read: front, form, joining, organiser, rules, privacy.

In reading order, each importing only those before it:

    rules_pages privacy_page front_page house_choice game_form new_game_form open_seat_pages organiser_page
    proposal_page
"""
