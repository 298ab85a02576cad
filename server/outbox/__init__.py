"""Who is to be told of what: preferences, notifications, the queue of letters, units of work, chat.

In reading order, each importing only those before it:

    confirmed_players preferences letter_details sent_letters invitations letter_traits
    announcements notifications blocks budgets situations leading_letters queue chat_messages unit_of_work
    posted_announcements chat daily_letters operator_mail
"""
