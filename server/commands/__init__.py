"""The subcommands of `alexandros`, one file for each subject.

A command imports what it needs when it runs, so that `--help` is fast.
"""
