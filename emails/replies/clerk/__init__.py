"""What a mail may mean that cannot be read whole: legal turns that agree with every word that was understood.

Nothing is played by it: what it finds is put to the writer as a question.

In reading order, each importing only those before it:

    lexicon mentions alternatives clauses outlook asked march_units deed_units conquest_units units
    objections search readings proposals descriptions
"""
