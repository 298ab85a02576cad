"""Outgoing mail: a row of the outbox is written as a letter and handed to a transport.

In reading order, each importing only those before it:

    letter_contexts envelopes composition letter_writer transports local_mailbox prepared in_hand claims
    outgoing operator_delivery
"""
