"""Incoming mail: headers, text, quotations, commands, requests, screening and bounces."""
