"""Outgoing mail: a row of the outbox is written as a letter and handed to a transport.

In reading order, each importing only those before it:

    log_heads letter_contexts envelopes answer_composition composition letter_writer transports local_mailbox
    prepared_letters turn_letters relay_record relay_watch delivery_lanes claims outcomes due_letters
    outbox_delivery operator_delivery
"""
