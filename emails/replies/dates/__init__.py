"""From when till when somebody is away, as they say it in a mail.

In reading order, each importing only those before it:

    date_tokens days day_reader periods absence_lines days_answers time_amounts
"""
