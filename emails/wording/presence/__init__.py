"""Days away in words: until when a clock stands, what is asked of them, what plays meanwhile.

In reading order, each importing only those before it:

    day_text absence_text time_questions terms_text
"""
