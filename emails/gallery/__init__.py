"""Every kind of letter, made from one sample game, to be looked at.

In reading order, each importing only those before it:

    sample_game sample_plan sample_contexts sample_answers letter_variants letter_files
"""
