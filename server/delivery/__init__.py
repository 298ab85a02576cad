"""Outgoing mail: rows of the outbox are rendered as letters and sent by a transport."""
