"""What a mail may mean that cannot be read whole: legal turns that agree with every word that was understood.

Nothing is played by it: what it finds is put to the writer as a question.

In reading order, each importing only those before it:

    phrase_book mentions alternatives mention_clauses known_position clause_content march_meanings
    action_meanings conquest_meanings clause_meanings objections reading_search readings turn_proposals
    descriptions
"""
