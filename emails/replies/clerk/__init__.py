"""What a mail may mean that cannot be read whole: legal turns that agree with every word that was understood.

Nothing is played by it: what it finds is put to the writer as a question.
"""
