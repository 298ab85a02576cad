"""What is kept: tables, the log of acts, what is projected from it, and the context that all work needs.

In reading order, each importing only those before it:

    states columns models session_models unasked_models work_models encrypted_mail private_files database
    migrations boards refusals histories event_log context due_work row_care players game_terms
    projection seats
"""
