"""Incoming mail as its writer meant it: parts, quotations, commands, screening, bounces.

In reading order, each importing only those before it:

    charsets headers encrypted format_flowed bodies html_bodies mail authentication screening bounces
    affirmations request_words chat_lines grammars quotations retractions greetings
    command_lines reply_reader game_requests
"""
