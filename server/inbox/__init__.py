"""Incoming mail: taken in by any way, and what it says is done and answered. Knows nothing of delivery.

In reading order, each importing only those before it:

    recipients mail_intake smtp_sessions smtp imap answer_limits correspondent screening_facts reply_outcome
    returned_mail chat_relay requests explanations mail_questions acceptances proposed_turns game_replies
    new_game_mail seat_mail office_mail mail_dispatch
"""
