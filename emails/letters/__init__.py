"""The letters: what each kind says, rendered in plain text and HTML, and composed as MIME.

In reading order, each importing only those before it:

    kinds guest_notes game_prospects contexts transfer_encoding chat_excerpts parts subjects renderer
    choice_lines board_parts game_letter_layout game_over preferences_text lobby_letters account_letters
    proposal_letter shown sections brief_letters game_letters mime
"""
