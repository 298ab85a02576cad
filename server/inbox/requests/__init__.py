"""What a mail asks for besides orders: a plan, days away, and what all who play are asked for.

In reading order, each importing only those before it:

    plan_requests vote_replies presence_mail absence_answers told_requests
"""
