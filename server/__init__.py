"""The server: the only floor with clock, dice, disk and network.

In reading order, each importing only those before it:

    logs roles configuration passed_sockets private_files mail_addresses security_log
    time_control thinking monitoring store outbox reviews turns lobby accounts privacy delivery inbox
    admin
    standstills house due_tasks clock scheduler loops wakeups readiness web connections app commands cli start
"""
