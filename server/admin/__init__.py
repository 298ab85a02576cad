"""The operator's desk: games as files, the check-up of what is stored, what became of letters, halts.

In reading order, each importing only those before it:

    archive desk_sign_in doctor backups backlog search correspondence game_sheet repairs
    interventions suspension unclear_mails environment_probes dns_check
    setup_check
"""
