"""Incoming mail as its writer meant it: parts, quotations, commands, screening, bounces.

In reading order, each importing only those before it:

    affirmations encrypted charsets format_flowed headers bodies html_bodies quotations
    chat_lines retractions greetings command_lines reply_reader
    request_words game_requests screening bounces
"""
