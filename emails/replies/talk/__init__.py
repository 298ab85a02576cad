"""What people say around their orders: a yes, words for the others, courtesies, plain talk, and doubt.

In reading order, each importing only those before it:

    affirmations chat_lines talk_kinds talk_words sentences greetings footers plain_talk classification
"""
