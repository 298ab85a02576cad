"""Incoming mail as its writer meant it: parts, quotations, commands, screening, bounces."""
