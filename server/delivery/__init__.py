"""Outgoing mail: rows of the outbox are written as letters and handed to a transport."""
