"""What people say about their time in sentences: that they are away, back, asleep, need more time.

In reading order, each importing only those before it:

    request_sentences topic_clauses topic_mail absence_topics plain_guesses topics
    vote_answers zone_lines
"""
