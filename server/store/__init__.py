"""What is kept: tables, the log of acts, what is projected from it, and the context that all work needs.

In reading order, each importing only those before it:

    states dialects columns models session_models unasked_models work_models stored_availability
    encrypted_mail database migrations boards refusals facts histories event_log context withdrawals
    server_moments due_work turn_clock row_failures game_terms projection seats
"""
