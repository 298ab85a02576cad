"""Outgoing mail: a row of the outbox is written as a letter and handed to a transport."""
