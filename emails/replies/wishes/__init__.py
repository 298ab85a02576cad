"""What people say about their time in sentences: that they are away, back, asleep, need more time.

In reading order, each importing only those before it:

    wish_sentences rest_words wish_reader motion_answers
"""
