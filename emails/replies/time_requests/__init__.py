"""What people say about their time in sentences: that they are away, back, asleep, need more time.

In reading order, each importing only those before it:

    speakers request_sentences topic_clauses told_sentences topic_mail absence_topics
    plain_guesses topics request_reader asked_amounts request_proposals plan_guesses vote_answers
    zone_lines
"""
