"""The game in words, in the language of whoever reads: positions, options, what happened, rules.

In reading order, each importing only those before it:

    phrases ascii_map board_text standings hand option_text options costs option_numbers
    questions narration statistics score_chart requests rules_text
"""
