"""The game in words, in the language of whoever reads: positions, options, what happened, rules.

In reading order, each importing only those before it:

    place_names phrases times house_players_text ascii_map board_text standings hand_text option_text options
    costs option_numbers option_letters questions narration turn_news score_strip advice_text turn_choices
    finished requests vote_outcomes presence rules_text
"""
