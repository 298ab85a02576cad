"""The twelve figures of the rules, drawn, and what each shows.

In reading order, each importing only those before it:

    plates example_positions rule_figures caption_marches caption_provinces captions
"""
