"""What people say around their orders: a yes, words for the others, courtesies, small talk, and doubt.

In reading order, each importing only those before it:

    affirmations chat_lines remark_kinds remark_words sentences greetings footers small_talk classification
"""
