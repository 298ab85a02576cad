"""Incoming mail as its writer meant it: parts, quotations, commands, screening, bounces.

In reading order, each importing only those before it:

    charsets headers security_multiparts format_flowed bodies html_bodies mail authentication screening
    bounces quotations remarks dates time_requests request_words wrapped_notes person_names plan_lines
    grammars command_lines doubtful_remarks reply_reader game_requests clerk
"""
