"""Incoming mail: its headers, text, quotations, commands, requests, screening and bounces."""
