"""The pages of a game: a turn, its choices and their preview, history, chat, the end.

In reading order, each importing only those before it:

    board_links scene conquests preview ticket_context at_once choice_links readers march_steps
    final_chart turn_pages chat_box invitation_page placement_form live_updates history_page
    spectator_page print_sheet ticket_pages
"""
