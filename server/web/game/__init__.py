"""The pages of a game: a turn, its choices and their preview, history, chat, the end.

In reading order, each importing only those before it:

    board_links conquests preview ticket_context ticket_forms bearer_activity one_click_play
    page_readers page_notes record dock nudge_page turn_pages advice_page votes_page chat_box
    invitation_page placement_form live_updates ticket_pages draft_pages plan_page
"""
